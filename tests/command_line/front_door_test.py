"""Pages for man, completion of shells, --quiet and the log: from the tables of the program."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["MODICUM_PROGRAM"]


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **more)


def commands(name=()):
    """Every command that --help names, from the program down."""
    found = [name]
    said = run(*name, "--help").stdout
    listed = said.partition("Commands:\n")[2].split("\n\n")[0]
    for line in listed.splitlines():
        word = re.match(r"  (\S+)", line)
        if word:
            found += commands((*name, word.group(1)))
    return found


class Manual(unittest.TestCase):
    def test_every_command_has_a_page_with_all_its_options(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("manual", "--folder", folder).returncode, 0)
            for command in commands():
                path = os.path.join(folder, "-".join(("modicum", *command)) + ".1")
                with open(path, encoding="utf-8") as file:
                    page = file.read()
                for option in re.findall(r"^  (--[a-z0-9-]+)", run(*command, "--help").stdout, re.M):
                    self.assertIn(option.replace("-", "\\-"), page, command)
            if shutil.which("mandoc") or shutil.which("groff"):
                checker = ["mandoc", "-T", "lint", "-W", "error"] if shutil.which("mandoc") else ["groff", "-man", "-ww", "-z"]
                said = subprocess.run([*checker, *(os.path.join(folder, each) for each in sorted(os.listdir(folder)))],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(said.stdout + said.stderr, "")

    def test_a_page_by_itself_and_one_that_is_not_there(self):
        self.assertIn(".SH EXAMPLE", run("manual", "calibrate", "gaussian").stdout)
        said = run("manual", "calibrate", "gausian")
        self.assertEqual(said.returncode, 2)
        self.assertIn("did you mean calibrate gaussian?", said.stderr)


    def test_lines_end_where_the_page_ends_them(self):
        query = run("manual", "gather").stdout.partition("query\\fR")[2].partition(".TP")[0]
        self.assertIn("people.parquet", query)
        self.assertNotIn(".br", query)
        self.assertIn("\n.br\ncovariance: ", run("manual", "release", "regression").stdout)


class Help(unittest.TestCase):
    def test_help_before_a_command_is_help_after_it(self):
        for command in ((), ("release",), ("calibrate", "gaussian")):
            self.assertEqual(run("help", *command).stdout, run(*command, "--help").stdout)
            self.assertEqual(run("help", *command).returncode, 0)
        self.assertEqual(run("help", "relese").returncode, 2)


class Completion(unittest.TestCase):
    def words(self, *typed):
        said = run("completion", "words", "--", *typed)
        self.assertEqual(said.returncode, 0, said.stderr)
        return said.stdout.split()

    def test_words_of_commands_options_and_choices(self):
        self.assertIn("calibrate", self.words("cal"))
        self.assertEqual(self.words("calibrate", "gauss"), ["gaussian"] if "gaussian-process" not in self.words("calibrate", "") else ["gaussian", "gaussian-process"])
        self.assertIn("--sensitivity", self.words("calibrate", "gaussian", "--s"))
        self.assertEqual(self.words("release", "regression", "t.csv", "--method", "adapt"), ["adaptive-sufficient-statistics"])
        self.assertEqual(self.words("completion", "z"), ["zsh"])
        self.assertEqual(self.words("nonsense", ""), [])
        self.assertIn("profile", self.words(""))

    def test_bash_completes(self):
        script = 'source <("$MODICUM_PROGRAM" completion bash); modicum() { "$MODICUM_PROGRAM" "$@"; }; COMP_WORDS=(modicum calibrate lap); COMP_CWORD=2; _modicum; echo "${COMPREPLY[@]}"'
        said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.split(), ["laplace"], said.stderr)

    def test_scripts_of_other_shells_parse(self):
        for shell in ("zsh", "fish"):
            script = run("completion", shell).stdout
            self.assertIn("completion words", script)
            if shutil.which(shell):
                self.assertEqual(subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False).returncode, 0)


class Quiet(unittest.TestCase):
    def test_prints_nothing_but_errors_and_what_was_asked_for(self):
        words = ["calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6", "--sensitivity", "1"]
        said = run(*words, "--quiet")
        self.assertEqual((said.returncode, said.stdout, said.stderr), (0, "", ""))
        self.assertIn("standard_deviation", json.loads(run(*words, "--quiet", "--json").stdout))
        said = run(*words[:-2], "--quiet")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn("--sensitivity is missing", said.stderr)


class Log(unittest.TestCase):
    def test_has_a_line_for_each_command_and_no_value(self):
        with tempfile.TemporaryDirectory() as folder:
            log, table = os.path.join(folder, "log"), os.path.join(folder, "secret-name.csv")
            with open(table, "w", encoding="ascii") as out:
                out.write("wage\n31\n32\n")
            given = {**os.environ, "MODICUM_LOG": log}
            run("release", "mean", table, "--select", "wage", "--bounds", "wage=0:60", "--epsilon", "1", "--delta", "1e-6",
                "--output", os.path.join(folder, "mean.csv"), env=given)
            run("calibrate", "gaussian", "--epsilon", "-7", "--delta=1e-6", "--secret-31", env=given)
            run("--nonsense-31", env=given)
            with open(log, encoding="ascii") as file:
                lines = file.read().splitlines()
            self.assertEqual(len(lines), 3)
            self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\dT[\d:]+Z modicum \S+ \[\d+\] release mean --select --bounds --epsilon --delta --output exit 0$")
            self.assertTrue(lines[1].endswith("calibrate gaussian --epsilon --delta exit 2"), lines[1])
            self.assertTrue(lines[2].endswith("exit 2"))
            for value in ("secret", "wage", "31", "60", "nonsense"):
                self.assertNotIn(value, "".join(line.split("]")[1] for line in lines))
            self.assertEqual(os.stat(log).st_mode & 0o777, 0o600)

    def test_that_cannot_be_written_changes_nothing(self):
        said = run("--version", env={**os.environ, "MODICUM_LOG": "/no/such/folder/log"})
        self.assertEqual((said.returncode, said.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
