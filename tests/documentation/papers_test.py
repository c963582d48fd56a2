"""Checks docs/papers.md: every numbered place of the papers is there once, and what is named exists.

In the last column a text in backquotes is a command with options and their words, a header, a function or type of a
header, a "mechanism" of a description, a test Suite.Name, or, after the word `study`, a study of reproduction/.
"""
import functools
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

SOURCE = Path(os.environ.get("MODICUM_SOURCE_DIR", Path(__file__).resolve().parents[2]))

KINDS = "Definition|Lemma|Theorem|Proposition|Corollary|Corollarie|Remark|Fact|Claim|Assumption|Algorithm|Figure|Table"


def upto(last, first=1):
    return [str(number) for number in range(first, last + 1)]


# What the papers number, as printed.
PAPERS = {
    "LuWei2026": {
        "Definition": upto(9), "Fact": ["1"], "Lemma": upto(4), "Proposition": upto(8), "Figure": upto(5),
        "Theorem": ["4.1", "4.2", "5.1", "5.2", "5.3", "5.4", "6.1", "7.1"]},
    "LuWei2024": {
        "Definition": upto(13), "Fact": upto(2), "Remark": upto(2), "Lemma": upto(2), "Theorem": upto(9),
        "Corollary": upto(7), "Proposition": upto(16), "Figure": upto(15), "Table": upto(6)},
    "WeiBienstock2026": {
        "Theorem": ["1.1", "2.1", "3.1", "B.1", "C.1"], "Definition": ["2.1", "3.1", "4.1", "4.2", "4.3"],
        "Lemma": ["3.1", "3.2", "3.3", "4.1", "4.2", "4.3", "C.1", "D.1"],
        "Proposition": ["3.1", "4.1", "4.2", "A.1", "B.1", "C.1"],
        "Algorithm": upto(7), "Figure": upto(3), "Table": upto(3)},
    "RedbergWang2021": {
        "Definition": ["3"], "Theorem": ["6", "8", "9", "10", "11", "13", "14", "17", "22"],
        "Corollary": ["7", "16", "23"], "Proposition": ["12", "15", "21"],
        "Lemma": [*upto(20, 18), *upto(31, 24)], "Algorithm": upto(6), "Figure": upto(10, 4)},
    "YunDudeja2025": {
        "Definition": upto(5), "Assumption": upto(3), "Theorem": upto(7), "Lemma": upto(16), "Proposition": upto(6),
        "Corollary": ["1"], "Fact": upto(6), "Claim": upto(7), "Remark": ["1"], "Algorithm": upto(4),
        "Figure": upto(7)},
}


def places_of(text):
    """[("Lemma", "5"), ...] of "Lemmas 5 to 7, 9 and 10"."""
    kind, numbers = re.fullmatch(rf"({KINDS})s? (.+)", text).groups()
    kind = "Corollary" if kind == "Corollarie" else kind
    found = []
    for part in re.split(r", | and ", numbers):
        ends = part.split(" to ")
        found += [(kind, number) for number in (upto(int(ends[1]), int(ends[0])) if len(ends) == 2 else ends)]
    return found


def tables_of(text):
    """{key of a paper: [cells of a row]}"""
    found, key = {}, None
    for line in text.splitlines():
        heading = re.match(r"## .*\[(\w+)\]$", line)
        if line.startswith("## "):
            key = heading and heading.group(1)
        elif key and line.startswith("| ") and not line.startswith("| place"):
            found.setdefault(key, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def run(*arguments, text=""):
    return subprocess.run([os.environ["MODICUM_PROGRAM"], *arguments], text=True, input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


@functools.lru_cache(None)
def help_of(command):
    done = run(*command, "--help")
    return done.stdout if done.returncode == 0 else None


@functools.lru_cache(None)
def text_of(folder, endings):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / folder).rglob("*"))
                     if path.suffix in endings.split())


class Papers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = tables_of((SOURCE / "docs" / "papers.md").read_text(encoding="utf-8"))
        cls.commands = re.findall(r"^  ([a-z]\S*)", help_of(()).split("Commands:\n")[1].split("\n\n")[0], re.M)

    def test_reads_places(self):
        self.assertEqual(places_of("Lemmas 5 to 7, 9 and 10"), [("Lemma", n) for n in ["5", "6", "7", "9", "10"]])
        self.assertEqual(places_of("Theorem B.1"), [("Theorem", "B.1")])

    def test_every_numbered_place_is_there_once(self):
        for key, kinds in PAPERS.items():
            expected = Counter((kind, number) for kind, numbers in kinds.items() for number in numbers)
            found = Counter(place for cells in self.tables[key] for place in places_of(cells[0]))
            self.assertEqual(found - expected, Counter(), f"{key}: more than the paper has")
            self.assertEqual(expected - found, Counter(), f"{key}: left out")

    def test_every_place_says_where(self):
        for key, rows in self.tables.items():
            for cells in rows:
                self.assertEqual(len(cells), 3, f"{key}: {cells}")
                self.assertTrue(all(cells), f"{key}: {cells}")

    def test_what_is_named_exists(self):
        for key, rows in self.tables.items():
            for place, _, where in rows:
                for study in re.findall(r"study `([^`]+)`", where):
                    self.assertTrue((SOURCE / "reproduction" / "results" / f"{study}.md").exists(), study)
                    self.assertIn(f'"{study}"', text_of("reproduction", ".py"), study)
                for name in re.findall(r"(?<!study )`([^`]+)`", where):
                    with self.subTest(f"{key}, {place}: {name}"):
                        self.check(name)

    def test_errata_named_exist(self):
        known = set(re.findall(r"^## (\d+)\. ", (SOURCE / "docs" / "errata.md").read_text(encoding="utf-8"), re.M))
        for rows in self.tables.values():
            for _, _, where in rows:
                for numbers in re.findall(r"errata (\d+(?:(?:, | and )\d+)*)", where):
                    self.assertLessEqual(set(re.findall(r"\d+", numbers)), known, where)

    def check(self, name):
        words = name.split()
        if name.startswith('"'):
            done = run("profile", "-", "--epsilon", "1", text='{"mechanism": %s}' % name)
            self.assertIn("is missing", done.stdout, name)
        elif name.startswith("modicum/"):
            self.assertTrue((SOURCE / "include" / name).exists(), name)
        elif words[0] in self.commands:
            plain = [word for word in words if not word.startswith("-")]
            command = tuple(next(plain[:length] for length in range(len(plain), 0, -1)
                                 if plain[:length] == words[:length] and help_of(tuple(plain[:length]))))
            for word in words[len(command):]:
                self.assertRegex(help_of(command), rf"(?m)(?<![\w-]){re.escape(word)}(?![\w-])")
        elif re.fullmatch(r"[A-Z]\w+\.[A-Z]\w+", name):
            self.assertIn("TEST({}, {})".format(*name.split(".")), text_of("tests", ".cpp"))
        else:
            self.assertRegex(text_of("include", ".h") + text_of("src/release/descriptions", ".h .cpp"),
                             rf"\b{re.escape(name)}\b")


if __name__ == "__main__":
    if "MODICUM_PROGRAM" not in os.environ:
        sys.exit("set MODICUM_PROGRAM to the built program")
    unittest.main(verbosity=2)
