"""One table or figure of a paper: its numbers as Markdown and CSV, with words around them."""

import csv
import dataclasses
from typing import Callable


@dataclasses.dataclass
class Result:
    title: str
    columns: list           # (heading, format), one a column
    rows: list              # lists of numbers or texts
    remarks: list           # paragraphs: what the paper says, where the numbers differ and why
    pictures: list          # file names beside the Markdown
    more: dict = dataclasses.field(default_factory=dict)    # further results below, by the ending of their CSV's name

    def cells(self, row):
        return [value if isinstance(value, str) else format(value, form)
                for value, (_, form) in zip(row, self.columns)]

    def markdown(self, mark="#"):
        headings = [heading for heading, _ in self.columns]
        lines = [headings, ["---:"] * len(headings), *map(self.cells, self.rows)]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        pictures = [f"![{self.title}]({name})" for name in self.pictures]
        more = [each.markdown(mark + "#").rstrip("\n") for each in self.more.values()]
        return "\n\n".join([f"{mark} {self.title}", table, *pictures, *self.remarks, *more]) + "\n"

    def write(self, folder, name):
        (folder / f"{name}.md").write_text(self.markdown(), encoding="utf-8")
        self.write_table(folder, name)

    def write_table(self, folder, name):
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([heading for heading, _ in self.columns])
            writer.writerows(map(self.cells, self.rows))
        for ending, each in self.more.items():
            each.write_table(folder, f"{name}-{ending}")


@dataclasses.dataclass
class Study:
    name: str
    what: str
    make: Callable          # (folder, name, quick) -> Result; writes its pictures


def agreement(pairs, digits):
    """Says whether printed and computed numbers agree to so many decimals."""
    apart = [(printed, ours) for printed, ours in pairs
             if abs(printed - ours) > 0.5000001 * 10.0 ** -digits]
    if not apart:
        return f"All numbers agree with the printed ones to all {digits} decimals."
    return "Apart from the printed ones beyond their last decimal: " + ", ".join(
        f"{ours:.{digits + 2}f} for {printed:.{digits}f}" for printed, ours in apart) + "."
