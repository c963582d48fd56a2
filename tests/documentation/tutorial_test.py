"""Runs the commands of the documents and compares what they print.

A fenced block marked `console` holds commands, lines that start with "$ " (continued by lines that
start with "> "), each followed by its expected output. In it "..." stands for anything within a
line, as the last line for any lines; white space may differ in amount, and a fraction of four
digits or more by one unit of the last. A command must succeed. The pictures in docs/pictures must be
what the commands of docs/idea.md and docs/auditing.md draw.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

SOURCE = Path(os.environ.get("MODICUM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
os.environ.setdefault("MODICUM_DUCKDB", str(SOURCE / "build" / "duckdb" / "libduckdb.so"))
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\d)")


def commands_of(text):
    """[(line number, command, [expected line])] of every console block."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], []))
        elif inside and line.startswith("> ") and found and not found[-1][2]:
            start, command, output = found[-1]
            found[-1] = (start, command + "\n" + line[2:], output)
        elif inside and found:
            found[-1][2].append(line)
    return found


def slack(number):
    """One unit of the last printed digit, for a fraction of four digits or more."""
    value = Decimal(number).as_tuple()
    rounded = "." in number and len(value.digits) >= 4
    return Decimal(1).scaleb(value.exponent) if rounded else Decimal(0)


def same_line(expected, actual):
    """Whether the texts agree but for white space, and the numbers to their printed digits."""
    expected, actual = " ".join(expected.split()), " ".join(actual.split())
    pattern, last, numbers = "", 0, []
    for match in re.finditer(r"\.\.\.|" + NUMBER.pattern, expected):
        pattern += re.escape(expected[last:match.start()])
        last = match.end()
        if match.group() == "...":
            pattern += ".*"
        else:
            pattern += r"([-+]?\d[\d.]*(?:[eE][-+]?\d+)?)"
            numbers.append(match.group())
    found = re.fullmatch(pattern + re.escape(expected[last:]), actual)
    return found is not None and all(
        abs(Decimal(a) - Decimal(e)) <= slack(e) for e, a in zip(numbers, found.groups()))


def same_text(expected, actual):
    """Line by line, from the first to the last that is not blank."""
    expected, actual = ["\n".join(lines).strip("\n").split("\n") for lines in (expected, actual)]
    if expected[-1] == "..." and len(actual) >= len(expected):
        del expected[-1], actual[len(expected):]
    return len(expected) == len(actual) and all(
        same_line(e, a) for e, a in zip(expected, actual))


def written_by(text):
    """The files that the commands of a document write, and that a second run would not replace."""
    return {name for _, command, _ in commands_of(text)
            for name in re.findall(r"(?:--output|--ledger|--page)\s+([\w./-]+)", command) if name != "-"}


def anchors_of(text):
    """Where links into a document may lead: its headings, as sites name them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower())) for heading in headings}


def same_picture(expected, actual):
    """Whether two drawings agree to half a pixel."""
    number = r"\d+(?:\.\d+)?"
    parts = [re.sub(r"frame-[0-9a-f]{8}", "frame", text) for text in (expected, actual)]
    numbers = [[float(n) for n in re.findall(number, text)] for text in parts]
    texts = [re.sub(number, "0", text) for text in parts]
    return texts[0] == texts[1] and all(abs(a - b) <= 0.5 for a, b in zip(*numbers))


class Comparison(unittest.TestCase):
    def test_numbers_agree_to_printed_digits(self):
        self.assertTrue(same_line("delta  1.234e-05", "delta 1.235e-05"))
        self.assertFalse(same_line("delta 1.234e-05", "delta 1.236e-05"))
        self.assertFalse(same_line("delta 1e-06", "delta 2e-06"))
        self.assertFalse(same_line("exit code 3", "exit code 2"))
        self.assertFalse(same_line("delta 0.5", "delta exactly zero"))
        self.assertFalse(same_line("epsilon 1", "epsilon 10"))

    def test_dots_stand_for_anything(self):
        self.assertTrue(same_line("about ... of 3", "about 17 (or so) of 3"))
        self.assertFalse(same_line("about ... of 3", "about 17 of 5"))

    def test_dots_end_a_text(self):
        self.assertTrue(same_text(["a", "..."], ["a", "b", "c"]))
        self.assertFalse(same_text(["a", "..."], ["b", "c"]))
        self.assertFalse(same_text(["a"], ["a", "b"]))

    def test_pictures_may_differ_by_half_a_pixel(self):
        self.assertTrue(same_picture("<path d='M1.00,2.00V3'/>", "<path d='M1.25,2.00V3'/>"))
        self.assertFalse(same_picture("<path d='M1.00,2.00V3'/>", "<path d='M1.75,2.00V3'/>"))
        self.assertFalse(same_picture("<path d='M1.00,2.00V3'/>", "<path d='M1.00,2.00H3'/>"))

    def test_finds_commands(self):
        text = "```console\n$ a\nb\n\nc\n$ d \\\n> e\n```\n$ f\n```sh\n$ g\n```\n"
        self.assertEqual(commands_of(text), [(2, "a", ["b", "", "c"]), (6, "d \\\ne", [])])

    def test_finds_files_and_anchors(self):
        text = "```console\n$ a --output b.csv; c --ledger d.db --output -\n```\n"
        self.assertEqual(written_by(text), {"b.csv", "d.db"})
        self.assertEqual(anchors_of("# What `a` is?\n```\n# b\n```\n"), {"what-a-is"})


# Other draws, another picture: only the title is the same.
OF_DRAWS = {"components-tradeoff.svg", "components-projections.svg"}


def title_of(picture):
    return re.search(r"<title>(.*?)</title>", picture).group(1)


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="modicum-documents-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(SOURCE / "examples", self.folder / "examples")
        (self.folder / "docs" / "pictures").mkdir(parents=True)
        os.symlink(os.path.abspath(os.environ["MODICUM_PROGRAM"]), self.folder / "modicum")

    def run_document(self, name):
        commands = commands_of((SOURCE / name).read_text(encoding="utf-8"))
        self.assertTrue(commands, name + " has no commands")
        for line, command, expected in commands:
            with self.subTest(f"{name}:{line}"):
                done = subprocess.run(
                    ["bash", "-c", "set -o pipefail\n" + command], cwd=self.folder, timeout=300,
                    text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})
                shown = f"\n$ {command}\n{done.stdout}"
                self.assertEqual(done.returncode, 0, shown)
                self.assertTrue(same_text(expected, done.stdout.splitlines()),
                                shown + "\nexpected:\n" + "\n".join(expected))

    def test_readme(self):
        self.run_document("README.md")

    def test_tutorial(self):
        self.run_document("docs/tutorial.md")

    def test_other_accountants(self):
        self.run_document("docs/other-accountants.md")

    def test_errata(self):
        self.run_document("docs/errata.md")

    def test_releases(self):
        self.run_document("docs/releases.md")

    def test_statistics(self):
        self.run_document("docs/statistics.md")

    def test_scale(self):
        self.run_document("docs/scale.md")

    def test_per_instance(self):
        self.run_document("docs/per-instance.md")

    def test_pipelines(self):
        self.run_document("docs/pipelines.md")

    def test_explorer(self):
        self.run_document("docs/explorer.md")

    def test_sources(self):
        self.run_document("docs/sources.md")

    def test_ledger(self):
        self.run_document("docs/ledger.md")

    def test_study(self):
        self.run_document("docs/study.md")

    def test_pages_with_pictures(self):
        self.run_document("docs/idea.md")
        self.run_document("docs/auditing.md")
        self.run_document("docs/principal-components.md")
        committed = SOURCE / "docs" / "pictures"
        written = self.folder / "docs" / "pictures"
        # Those of the examples in Python are drawn by tests/python/examples_test.py; those of the explorer are
        # taken by tests/browser/explorer_test.py.
        examples = {script.stem for script in (SOURCE / "examples" / "python").glob("*.py")}
        pictures = [name for name in os.listdir(committed)
                    if Path(name).stem not in examples and not name.startswith("explorer-")]
        self.assertEqual(sorted(os.listdir(written)), sorted(pictures))
        for picture in pictures:
            with self.subTest(picture):
                old, new = (committed / picture).read_text(), (written / picture).read_text()
                if picture in OF_DRAWS:
                    self.assertEqual(title_of(old), title_of(new))
                    continue
                self.assertTrue(same_picture(old, new),
                                picture + " is not what its command draws: run it again")


class References(unittest.TestCase):
    """Every page, heading and citation key that code or a document names exists."""

    def texts(self):
        for folder in ["docs", "src", "include", "tests", "bench", "fuzz", "examples"]:
            for path in sorted((SOURCE / folder).rglob("*")):
                if path.suffix in {".md", ".h", ".cpp", ".py"} and path != Path(__file__).resolve():
                    yield path, path.read_text(encoding="utf-8")
        for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]:
            yield SOURCE / name, (SOURCE / name).read_text(encoding="utf-8")

    def test_citation_keys_are_in_the_bibliography(self):
        bibliography = (SOURCE / "docs" / "bibliography.md").read_text(encoding="utf-8")
        known = set(re.findall(r"\*\*\[(\w+)\]\*\*", bibliography))
        for path, text in self.texts():
            for key in re.findall(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d[a-z]?)[,\]]", text):
                self.assertIn(key, known, f"{path} cites [{key}]")

    def test_pages_named_in_code_exist(self):
        for path, text in self.texts():
            for page in re.findall(r"\bdocs/[\w/-]+\.(?:md|svg)", text):
                self.assertTrue((SOURCE / page).exists(), f"{path} names {page}")

    def test_example_in_cpp_is_the_one_in_the_page(self):
        page = (SOURCE / "docs" / "cpp.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```(?:cmake|cpp)\n(.*?)```", page, re.DOTALL)
        for name in ["CMakeLists.txt", "budget.cpp", "release.cpp"]:
            self.assertIn((SOURCE / "examples" / "cpp" / name).read_text(), blocks)

    def test_links_lead_somewhere(self):
        for path, text in self.texts():
            if path.suffix != ".md":
                continue
            for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                page = path.parent / target if target else path
                self.assertTrue(page.exists(), f"{path} links to {target}")
                if anchor:
                    self.assertIn(anchor, anchors_of(page.read_text(encoding="utf-8")), f"{path} links to {target}")

    def test_pages_do_not_write_to_the_same_file(self):
        """Somebody who follows one page after the other is never refused for what the last one left."""
        writer = {}
        for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]:
            for name in written_by(page.read_text(encoding="utf-8")):
                if not name.startswith("docs/pictures/"):
                    self.assertEqual(writer.setdefault(name, page), page, name)


if __name__ == "__main__":
    if "MODICUM_PROGRAM" not in os.environ:
        sys.exit("set MODICUM_PROGRAM to the built program")
    unittest.main(verbosity=2)
