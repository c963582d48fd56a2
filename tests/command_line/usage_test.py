"""Help, version, bad arguments, bad descriptions, exit codes and output that cannot be written."""

import json
import os
import pty
import subprocess
import unittest

from _support import GAUSSIAN, INSTRUMENTED, PROGRAM, CommandLineTest

COMMANDS = [["profile"], ["epsilon"], ["tradeoff"], ["renyi"], ["calibrate"],
            ["calibrate", "gaussian"], ["calibrate", "laplace"], ["calibrate", "l2"],
            ["calibrate", "spherical"], ["calibrate", "subsampled-gaussian"],
            ["calibrate", "allocated-gaussian"], ["optimize"],
            ["optimize", "spherical"], ["compare"], ["convert"], ["convert", "renyi"],
            ["convert", "zcdp"], ["convert", "gaussian-dp"], ["convert", "pure"],
            ["convert", "sampling"], ["audit"], ["audit", "pair"],
            ["plot"], ["plot", "profile"], ["plot", "tradeoff"]]


class Help(CommandLineTest):
    def test_every_command_has_help_with_an_example(self):
        for command in [[]] + COMMANDS:
            for flag in "--help", "-h":
                text = self.succeed(*command, flag)
                self.assertIn("Usage: " + " ".join(["modicum", *command]), text)
                self.assertIn("Example:", text)
                self.assertLess(max(map(len, text.splitlines())), 121)

    def test_the_bare_program_prints_help(self):
        self.assertEqual(self.succeed(), self.succeed("--help"))

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"\Amodicum \d+\.\d+\.\d+\n\Z")


class Arguments(CommandLineTest):
    def test_unknown(self):
        path = self.file(GAUSSIAN)
        for arguments, part in (
                (["bogus"], '"bogus"'),
                (["--bogus"], "unknown option --bogus"),
                (["calibrate"], "gaussian, laplace"),
                (["calibrate", "cauchy"], '"cauchy"'),
                (["profile", path, "--epsilon", 1, "--bogus"], "unknown option --bogus"),
                (["profile", path, path, "--epsilon", 1], "mechanism.json"),
                (["profile", path], "--epsilon is missing"),
                (["profile", path, "--epsilon"], "--epsilon"),
                (["profile", "--epsilon", 1], "FILE is missing"),
                (["profile", path, "--epsilon", 1, "--fast", "--certified"], "--certified"),
                (["audit", "pair", path, "--epsilon", 1, 2, "--delta", 1], '"2"'),
                (["audit", "pair", path, "--epsilon", 1, "--epsilon", 2, "--delta", 0], "--epsilon")):
            error = self.refuse(2, *arguments)
            self.assertIn(part, error)
            self.assertIn("--help", error)

    def test_numbers(self):
        path = self.file(GAUSSIAN)
        for value in "nan", "-nan", "inf", "-inf", "1e999", "1e-400", "abc", "1,5", "0x10", "1 2", "":
            error = self.refuse(2, "profile", path, "--epsilon", value)
            self.assertIn("--epsilon is ", error)
            self.assertIn("must", error)
        self.assertEqual(self.answer("profile", path, "--epsilon=+1"),
                         self.answer("profile", path, "--epsilon=1.0e0"))

    def test_hostile_text_stays_on_one_line(self):
        path = self.file(GAUSSIAN)
        self.refuse(2, "profile", path, "--epsilon", "1\n2\x1b[31m")
        self.refuse(2, "bogus\ncommand")
        self.refuse(4, "profile", "none\nfile", "--epsilon", 1)
        self.assertLess(len(self.refuse(2, "profile", path, "--epsilon", "9" * 100000 + "x")), 300)


class Descriptions(CommandLineTest):
    def test_bad_descriptions(self):
        good = '{"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1%s}'
        for text, part in (
                ("", "line 1, column 1"),
                ("{", "line 1, column 2"),
                ('{\n"mechanism": oops}', "line 2, column 14"),
                ("[]", "must be an object"),
                ('{"mechanism": "gaussian", "standard_deviation": NaN, "sensitivity": 1}',
                 "standard_deviation is NaN"),
                ('{"mechanism": "gaussian", "standard_deviation": 1e999, "sensitivity": 1}',
                 "standard_deviation is 1e999"),
                ('{"mechanism": "gaussian", "standard_deviation": true, "sensitivity": 1}',
                 "standard_deviation is true"),
                ('{"mechanism": "gaussian", "standard_deviation": 0, "sensitivity": 1}',
                 "standard_deviation is 0"),
                ('{"mechanism": "gaussian", "standard_deviation": 1, "sensitivity": -1}',
                 "sensitivity is -1"),
                ('{"mechanism": "gaussian", "standard_deviation": 1}', "sensitivity is missing"),
                (good % ', "sigma": 1', "sigma is an unknown key"),
                (good % ', "sensitivity": 1', "sensitivity is given twice"),
                (good % ', "count": 0', "count is 0"),
                (good % ', "count": 1.5', "count is 1.5"),
                (good % ', "count": "2"', "count is"),
                ('{"mechanism": "subsampled"}', 'mechanism is "subsampled"'),
                ('{"mechanism": "subsampled_gaussian"}', "sampling_rate is missing"),
                ('{"compose": []}', "compose is an empty list"),
                ('{"compose": [%s, {"mechanism": "pure", "epsilon": -1}]}' % (good % ""),
                 "compose[1].epsilon is -1"),
                ("[" * 100000, "nested")):
            path = self.file(text)
            error = self.refuse(2, "profile", path, "--epsilon", 1)
            self.assertIn(part, error)
            self.assertIn(str(path), error)
            error = self.refuse(2, "profile", "-", "--epsilon", 1, text=text)
            self.assertIn(part, error)
            self.assertIn("standard input", error)

    def test_files_that_cannot_be_read(self):
        self.assertIn("none.json", self.refuse(4, "profile", self.folder / "none.json",
                                               "--epsilon", 1))
        self.assertIn("directory", self.refuse(4, "profile", self.folder, "--epsilon", 1))
        self.assertIn("256 MiB", self.refuse(4, "profile", "/dev/zero", "--epsilon", 1))

    def test_standard_input_that_is_closed(self):
        done = subprocess.run(f"'{PROGRAM}' profile - --epsilon 1 <&-", shell=True,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (4, ""))


class Output(CommandLineTest):
    def shell(self, redirection):
        path = self.file(GAUSSIAN)
        return subprocess.run(f"'{PROGRAM}' profile '{path}' --epsilon 1 {redirection}", shell=True,
                              executable="/bin/bash", capture_output=True, text=True)

    def test_output_that_cannot_be_written(self):
        for redirection in ">/dev/full", ">&-":
            done = self.shell(redirection)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written", done.stderr)

    def test_a_reader_that_went_away(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([PROGRAM, "profile", self.file(GAUSSIAN), "--epsilon", "1"],
                              stdout=writing, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output cannot be written", done.stderr)

    def test_help_that_cannot_be_written(self):
        done = subprocess.run(f"'{PROGRAM}' --help >/dev/full", shell=True, capture_output=True)
        self.assertEqual(done.returncode, 1)

    def test_quick_work_shows_no_progress_on_a_terminal(self):
        master, slave = pty.openpty()
        path = self.file(GAUSSIAN)
        done = subprocess.run([PROGRAM, "profile", path, "--epsilon", "1"], stderr=slave,
                              stdout=subprocess.PIPE)
        os.close(slave)
        self.assertEqual(done.returncode, 0)
        os.set_blocking(master, False)
        try:
            shown = os.read(master, 1000)
        except OSError:  # nothing was written
            shown = b""
        os.close(master)
        if not INSTRUMENTED:
            self.assertEqual(shown, b"")

    def test_other_languages_do_not_change_numbers(self):
        path = self.file(GAUSSIAN)
        plain = self.succeed("profile", path, "--epsilon", 1.5, "--json")
        done = subprocess.run([PROGRAM, "profile", path, "--epsilon", "1.5", "--json"],
                              env={**os.environ, "LC_ALL": "de_DE.UTF-8"}, capture_output=True,
                              text=True)
        self.assertEqual(done.stdout, plain)
        json.loads(plain)


if __name__ == "__main__":
    unittest.main()
