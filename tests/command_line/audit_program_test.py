"""modicum audit program."""

import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from _support import PROGRAM, CommandLineTest

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "noisy_count.py"

class AuditProgram(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.one = self.file("1\n", "one")
        self.zero = self.file("0\n", "zero")

    def arguments(self, command, *more, epsilon=1, delta=1e-5, trials=2000):
        return ["audit", "program", "--command", command, "--input", self.one, "--neighbor",
                self.zero, "--epsilon", epsilon, "--delta", delta, "--trials", trials, *more]

    def audit(self, command, *more, **claim):
        return self.answer(*self.arguments(command, *more, **claim))

    def script(self, text, name="program.py"):
        """A Python program; INPUT is the number in its input. Thousands are run: without what a
        start need not load, each takes half the time."""
        start = ("import os, sys\n"
                 "INPUT = int(open(sys.argv[1]).read())\n"
                 "def chance(): return int.from_bytes(os.urandom(6), 'big') / 2**48\n")
        return f"{sys.executable} -I -S {self.file(start + text, name)}"

    def response(self, count=1000):
        return self.script(f"for _ in range({count}):\n"
                           "    print(INPUT if chance() < 0.9 else 1 - INPUT)\n")

    def test_finds_a_violation(self):
        result = self.audit(self.response(), "--jobs", 2, trials=20000)
        self.assertEqual(result["verdict"], "violated")
        # The truth is log 9 = 2.197 and, at epsilon 1, delta = 0.9 - 0.1 e = 0.628. The bounds are
        # more than six standard errors of theirs above these.
        self.assertGreater(result["epsilon_lower_bound"], 1.7)
        self.assertGreater(result["delta_lower_bound"], 0.35)

    def test_bounds_stay_below_the_truth(self):
        # Each of the three is wrong once in 10^6 runs.
        result = self.audit(self.response(), "--confidence", 0.999999, trials=4000)
        self.assertLess(result["epsilon_lower_bound"], 2.1973)
        self.assertLess(result["delta_lower_bound"], 0.6282)
        result = self.audit(self.response(), "--confidence", 0.999999, epsilon=2.2, delta=0)
        self.assertEqual(result["verdict"], "not refuted")

    def test_shape(self):
        # One at a time: while it is not known how many samples a run gives, more are started.
        result = self.audit(self.response(), "--confidence", 0.9, "--jobs", 1)
        self.assertEqual(list(result), ["verdict", "epsilon_lower_bound", "delta_lower_bound",
                                        "p_value", "confidence", "claim", "trials", "guesses",
                                        "right", "failed_runs", "dimension", "distinguisher"])
        self.assertEqual(result["claim"], {"epsilon": 1, "delta": 1e-5})
        self.assertEqual(result["confidence"], 0.9)
        self.assertEqual(result["dimension"], 1)
        self.assertEqual(result["failed_runs"]["input"], {"runs": 1, "failed": 0, "ways": {}})
        self.assertLess(1800, result["trials"])
        self.assertLessEqual(result["right"], result["guesses"])
        self.assertLess(result["guesses"], result["trials"])

    def test_words(self):
        text = self.succeed(*self.arguments(self.response()))
        for part in "Verdict: VIOLATED", "with 95 % confidence", "epsilon at delta 1e-05":
            self.assertIn(part, text)
        text = self.succeed(*self.arguments(self.response(), epsilon=9))
        self.assertIn("not refuted proves nothing", text)

    def test_crashes_are_outcomes(self):
        crash = self.script("print(chance(), flush=True)\n"
                            "if INPUT and chance() < 0.5: os.abort()\n")
        result = self.audit(crash, epsilon=0.1, delta=0.01, trials=300)
        self.assertEqual(result["verdict"], "violated")
        failed = result["failed_runs"]
        self.assertEqual(failed["neighbor"]["failed"], 0)
        self.assertGreater(failed["input"]["failed"], 20)
        self.assertEqual(list(failed["input"]["ways"]), ["killed by signal 6"])

    def test_time_outs_are_outcomes(self):
        slow = "sh -c 'echo 1; if [ $(cat {input}) = 1 ]; then sleep 60; fi'"
        result = self.audit(slow, "--timeout", 0.5, "--jobs", 40, trials=100)
        self.assertEqual(result["failed_runs"]["input"]["ways"].keys(), {"timed out"})
        self.assertEqual(result["failed_runs"]["neighbor"]["failed"], 0)

    def test_a_program_that_only_fails_is_an_error(self):
        for command, word in (("false", "exit status 1"), ("echo oh", "not a list of numbers"),
                              ("sh -c 'exit 127'", "exit status 127")):
            error = self.refuse(1, *self.arguments(command))
            self.assertIn("nearly every run failed on both inputs", error)
            self.assertIn(word, error)
        self.assertIn("/no/such/program", self.refuse(1, *self.arguments("/no/such/program")))

    def test_files_that_the_program_writes(self):
        release = self.script(
            "print('a word to the user')\n"
            "with open(sys.argv[2], 'w') as out:\n"
            "    out.write('name,value\\nfirst,%r\\nsecond,%r\\n' % (INPUT, chance()))\n")
        result = self.audit(release + " {input} {output}", trials=200)
        self.assertEqual((result["verdict"], result["dimension"]), ("violated", 2))

    def test_samples_per_run(self):
        result = self.audit(self.response(10), "--samples-per-run", 10, trials=400)
        self.assertEqual(result["failed_runs"]["input"], {"runs": 20, "failed": 0, "ways": {}})
        error = self.refuse(1, *self.arguments(self.response(1), "--samples-per-run", 2))
        self.assertIn("fewer than 2 samples", error)

    def test_the_example(self):
        more = self.file("a\n" + "x\n" * 100, "more.csv")
        less = self.file("a\n" + "x\n" * 99, "less.csv")
        command = f"{sys.executable} '{EXAMPLE}' --samples 10000"
        arguments = ["audit", "program", "--input", more, "--neighbor", less, "--epsilon", 1,
                     "--trials", 40000, "--delta", 0, "--confidence", 0.999999]
        # A false alarm once in 10^6 runs, a miss even less often.
        self.assertEqual(self.answer(*arguments, "--command", command)["verdict"], "not refuted")
        broken = self.answer(*arguments, "--command", command + " --factor 0.6")
        self.assertEqual(broken["verdict"], "violated")

    # --- journals -----------------------------------------------------------------------------

    def test_a_journal_gives_the_answer_again(self):
        journal = self.folder / "journal"
        command = self.response(100)
        first = self.audit(command, "--journal", journal, trials=400)
        lines = journal.read_text().splitlines()
        self.assertEqual(json.loads(lines[0])["trials"], 400)
        self.assertEqual(len(lines), 5)
        (self.folder / "program.py").write_text("raise SystemExit('not to be run again')")
        self.assertEqual(self.audit(command, "--journal", journal, trials=400), first)
        # Another claim may be held against the same samples.
        other = self.audit(command, "--journal", journal, trials=400, epsilon=5)
        self.assertEqual(other["verdict"], "not refuted")

    def test_a_journal_is_gone_on_from(self):
        journal = self.folder / "journal"
        command = self.response(10)
        self.audit(command, "--journal", journal, trials=400)
        whole = journal.read_bytes()
        lines = whole.splitlines(keepends=True)
        half = b"".join(lines[:12])
        for torn in half, half + lines[12][:20], half + lines[12][:-1]:
            journal.write_bytes(torn)
            self.audit(command, "--journal", journal, trials=400)
            again = journal.read_bytes()
            self.assertEqual(again[:len(half)], half)
            self.assertEqual(len(again.splitlines()), len(lines))

    def test_a_journal_of_another_audit_is_refused(self):
        journal = self.folder / "journal"
        command = self.response(100)
        self.audit(command, "--journal", journal, trials=400)
        kept = journal.read_bytes()
        for arguments, word in (
                (self.arguments(command + " more", "--journal", journal, trials=400), "command"),
                (self.arguments(command, "--journal", journal, trials=600), "trials"),
                (self.arguments(command, "--journal", journal, "--timeout", 5, trials=400),
                 "timeout")):
            self.assertIn(f"its {word} is another", self.refuse(2, *arguments))
        self.one.write_text("1 \n")
        error = self.refuse(2, *self.arguments(command, "--journal", journal, trials=400))
        self.assertIn("its input is another", error)
        self.assertEqual(journal.read_bytes(), kept)
        text = self.file("a letter\nto a friend\n", "letter")
        self.assertIn("journal", self.refuse(2, *self.arguments(command, "--journal", text)))
        self.assertEqual(text.read_text(), "a letter\nto a friend\n")

    def test_an_interrupted_audit_leaves_a_journal_and_no_process(self):
        journal = self.folder / "journal"
        mark = self.folder / "late"
        command = f"sh -c 'echo $(cat {{input}}); sleep 0.05; (sleep 3; touch {mark}) >/dev/null & wait'"
        quick = "sh -c 'cat {input}'"
        for stop in signal.SIGINT, signal.SIGTERM:
            process = subprocess.Popen(
                [PROGRAM, *map(str, self.arguments(command, "--journal", journal, "--jobs", 4))],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.0)
            process.send_signal(stop)
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (1, ""), error)
            self.assertIn("interrupted", error)
        time.sleep(3.5)
        self.assertFalse(mark.exists(), "what the runs had started went on")
        # What was finished is there.
        journal.unlink()
        process = subprocess.Popen(
            [PROGRAM, *map(str, self.arguments(quick, "--journal", journal, trials=100000))],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.0)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertGreater(len(journal.read_bytes().splitlines()), 5)

    # --- misuse -------------------------------------------------------------------------------

    def test_bad_arguments(self):
        for option, value in (("--trials", 99), ("--trials", 100.5), ("--confidence", 1),
                              ("--jobs", 0), ("--timeout", 0), ("--samples-per-run", -1)):
            given = {"trials": value} if option == "--trials" else {}
            more = [] if given else [option, value]
            error = self.refuse(2, *self.arguments("true", *more, **given))
            self.assertIn(option, error)
        self.assertIn("command", self.refuse(2, *self.arguments("'true")))
        self.assertIn("epsilon", self.refuse(2, *self.arguments("true", epsilon=-1)))
        arguments = self.arguments("true")
        arguments[arguments.index(self.zero)] = self.folder / "none"
        self.refuse(4, *arguments)


if __name__ == "__main__":
    unittest.main()
