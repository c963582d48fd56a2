"""gather, and releases from gathered sums: what is refused, what is left behind, the recipes."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

from _faults import faulty
from _support import PROGRAM, CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
RECIPES = EXAMPLES / "scale"
MEAN = ["--select", "wage", "--bounds", "wage=0:60", "--epsilon", 1, "--delta", "1e-6"]
RANGES = ["--range", "age=18:70", "--range", "schooling=0:20", "--range", "hours=0:80", "--range", "wage=0:60"]
JOB = {"budget": {"epsilon": 1, "delta": 1e-6}, "table": "wages.csv",
       "releases": [{"count": {}}, {"mean": {"select": ["wage"], "bounds": {"wage": [0, 60]}}},
                    {"quantile": {"select": ["wage"], "bounds": {"wage": [0, 60]}}}]}


class GatherTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        lines = (EXAMPLES / "wages.csv").read_text().splitlines(keepends=True)
        self.pieces = self.folder / "pieces"
        self.pieces.mkdir()
        for place, rows in enumerate((lines[1:40], lines[40:41], lines[41:])):
            (self.pieces / f"{place}.csv").write_text(lines[0] + "".join(rows))
        self.job = self.file(JOB, "jobs.json")

    def gather(self, place, *more, job=None, output=None):
        path = output or self.pieces / f"{place}.gathered"
        self.succeed("gather", self.pieces / f"{place}.csv", "--for", job or self.job, "--output", path, *more)
        return path

    def gather_all(self):
        return [self.gather(place) for place in range(3)]

    def refused(self, code, message, *arguments):
        """Nothing is released, and nothing new is left behind."""
        before = sorted(self.folder.rglob("*"))
        done = self.run_program(*arguments, "--output", self.folder / "refused.csv")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def from_pieces(self, *paths):
        return ["release", self.job, "--gathered", *paths]

    def test_pieces_are_released_as_one_table(self):
        paths = self.gather_all()
        for path in paths:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertIn("not private", path.read_text()[:120])
        result = self.answer("release", self.job, "--gathered", self.pieces / "*.gathered", "--pieces", 3,
                             "--output", "-")
        self.assertEqual(len(result["released"]["values"]), 3)
        self.assertTrue(any("read in pieces" in text for text in result["certificate"]["assumptions"]))
        self.assertNotIn("pieces", json.dumps(self.answer(
            "release", self.job, "--table", EXAMPLES / "wages.csv", "--output", "-")["certificate"]["assumptions"]))

    def test_sums_are_those_of_one_file(self):
        whole = self.folder / "whole.gathered"
        self.succeed("gather", EXAMPLES / "wages.csv", "--for", self.job, "--output", whole)
        def answers(path):
            return json.loads(path.read_text().splitlines()[0])["answers"]
        parts = [answers(path) for path in self.gather_all()]
        for place, total in enumerate(answers(whole)):
            entries = [part[place]["entries"] for part in parts]
            self.assertEqual([int(each) for each in total["entries"]], [sum(map(int, column)) for column in zip(*entries)])
            points = {}
            for part in parts:
                own = part[place]["points"]
                for point, count in zip(own[::2], own[1::2]):
                    points[point] = points.get(point, 0) + count
            self.assertEqual(points, dict(zip(total["points"][::2], total["points"][1::2])))

    def test_the_options_of_a_release_gather_too(self):
        for kind, options in (("mean", MEAN), ("covariance", [*RANGES, "--epsilon", 1, "--delta", "1e-6"])):
            paths = []
            for place in range(3):
                paths.append(self.pieces / f"{kind}{place}.gathered")
                self.succeed("release", kind, self.pieces / f"{place}.csv", *options, "--gather", "--output", paths[-1])
            result = self.answer("release", kind, "--gathered", *paths, *options, "--output", "-")
            self.assertEqual(result["certificate"]["guarantee"], "proved")

    def test_a_ledger_is_charged_as_for_files(self):
        store = self.folder / "ledger.db"
        self.succeed("ledger", "create", "--ledger", store, "--budget", "all", "--epsilon", 1.2, "--delta", "1e-5")
        paths = self.gather_all()
        self.answer(*self.from_pieces(*paths), "--ledger", store, "--output", "-")
        self.assertEqual(self.answer("ledger", "status", "--ledger", store)["budgets"][0]["entries"], 1)
        done = self.run_program(*self.from_pieces(*paths), "--ledger", store, "--output", self.folder / "more.csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertFalse((self.folder / "more.csv").exists())

    def test_a_piece_that_is_missing_or_there_twice(self):
        paths = self.gather_all()
        self.refused(2, "has 2 pieces, but --pieces says there are 3", *self.from_pieces(*paths[:2], "--pieces", 3))
        again = self.gather(0, output=self.folder / "another-name.gathered")
        self.refused(2, "has the same piece twice", *self.from_pieces(*paths, again))
        self.refused(2, "must be gathered with a --piece name each", *self.from_pieces(*paths, again))
        shutil.copy(paths[1], self.folder / "copy.gathered")
        self.refused(2, "has the same piece twice", *self.from_pieces(*paths, self.folder / "copy.gathered"))
        self.refused(4, "gone.gathered", *self.from_pieces(*paths, self.folder / "gone.gathered"))

    def test_pieces_without_rows_need_names(self):
        for place in range(2):
            (self.pieces / f"{place}.csv").write_text("age,schooling,hours,wage\n")
        paths = [self.gather(place) for place in range(2)]
        self.refused(2, "with the same rows, or with none, must be", *self.from_pieces(*paths))
        paths = [self.gather(place, "--piece", place, "--replace") for place in range(2)]
        self.answer(*self.from_pieces(*paths), "--output", "-")
        self.gather(1, "--piece", 0, "--replace")
        done = self.run_program(*self.from_pieces(*paths), "--output", "-")
        self.assertIn("has the same piece twice", done.stderr)
        self.assertNotIn("bytes", done.stderr)

    def test_what_the_job_says_of_fields_is_done(self):
        """By whoever gathers, who has the rows."""
        table = self.file("old,wage\nyes,1\nno,2\nyes,3\n", "yes.csv")
        job = self.file({"budget": {"epsilon": 1, "delta": 1e-6}, "booleans": ["old"],
                         "releases": [{"sum": {"select": ["old"], "bounds": {"old": [0, 1]}}}]}, "booleans.json")
        piece = self.folder / "yes.gathered"
        self.succeed("gather", table, "--for", job, "--output", piece)
        tree = json.loads(piece.read_text().splitlines()[0])
        self.assertEqual(tree["rules"]["table"]["booleans"], ["old"])
        self.answer("release", job, "--gathered", piece, "--output", "-")

    def test_questions_of_a_release_that_was_killed(self):
        """The next one beside the same pieces removes them, and no others."""
        words = self.passes("regression", "--target", "wage", *RANGES, "--epsilon", 3,
                            command=f"cp {{}} '{self.folder}/seen' && sleep 60")
        killed = subprocess.Popen([PROGRAM, *map(str, words), "--output", "-"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True)
        left = self.pieces / f"pass-{killed.pid}.json"
        while not (self.folder / "seen").exists():
            self.assertIsNone(killed.poll())
            time.sleep(0.01)
        other = self.pieces / "pass-notes.json"
        other.write_text("{}")
        named_alike = self.pieces / "pass-2024.json"
        named_alike.write_text("somebody else's, and as long as the questions of a release are")
        named_alike.chmod(0o600)
        good = self.passes("covariance", *RANGES, "--epsilon", 1)
        self.answer(*good, "--output", "-")
        self.assertTrue(left.exists())  # it still runs
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        self.assertTrue(left.exists())
        self.answer(*good, "--output", "-")
        self.assertFalse(left.exists())
        self.assertTrue(other.exists())
        self.assertTrue(named_alike.exists())

    def test_a_piece_that_is_truncated_or_tampered_with(self):
        paths = self.gather_all()
        good = paths[0].read_text()
        for bad in good[:-1], good[:len(good) // 2], "", good.replace("entries\":[", "entries\":[1", 1), good + "\n":
            paths[0].write_text(bad)
            self.refused(4, "0.gathered", *self.from_pieces(*paths))

    def test_a_piece_of_other_rules_or_another_version(self):
        paths = self.gather_all()
        other = {**JOB, "releases": [*JOB["releases"][:2], {"quantile": {
            "select": ["wage"], "bounds": {"wage": [0, 50]}}}]}
        self.gather(1, "--replace", job=self.file(other, "other.json"))
        self.refused(2, "differ in questions.question 3.question.bounds", *self.from_pieces(*paths))
        self.gather(1, "--replace", "--strict")
        self.refused(2, "differ in table.malformed_rows", *self.from_pieces(*paths))
        for place in range(3):
            self.gather(place, "--replace", job=self.file(other, "other.json"))
        self.refused(2, "answer another question", *self.from_pieces(*paths))
        good = self.gather(1, "--replace").read_text()
        body = good.splitlines(keepends=True)[0].replace('"format_version":2', '"format_version":0')
        import hashlib
        paths[1].write_text(body + json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()},
                                              separators=(",", ":")) + "\n")
        self.refused(4, "another version", *self.from_pieces(paths[1]))

    def test_nothing_of_a_damaged_piece_is_shown(self):
        path = self.gather(0)
        good = path.read_text()
        # A JSON parser would quote the word; a table is no piece at all.
        for message, text in (("its checksum is another", good.replace('"entries":[', '"entries":[secret-4711,', 1)),
                              ("is no file of gathered sums", (self.pieces / "0.csv").read_text()),
                              ("is truncated", good.replace("\n", "secret-4711"))):
            path.write_text(text)
            done = self.run_program(*self.from_pieces(path), "--output", self.folder / "refused.csv")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertNotIn("secret", done.stderr)
            self.assertNotIn(text[:8], done.stderr)

    def test_names_from_the_content_are_not_shown(self):
        words = ["gather", self.pieces / "0.csv", "--for", self.job, "--replace", "--output"]
        path = self.pieces / "0.gathered"
        self.assertNotIn("content", self.succeed(*words, path))
        name = json.loads(path.read_text().splitlines()[0])["piece"]
        self.assertTrue(name.startswith("content "))
        self.assertNotIn("piece", self.answer(*words, path))
        self.assertEqual(self.answer(*words, path, "--piece", "a")["piece"], "named a")
        released = self.run_program(*self.passes("covariance", *RANGES, "--epsilon", 1), "--output", "-")
        self.assertEqual(released.returncode, 0, released.stderr)
        self.assertNotIn(name.split()[1], released.stdout + released.stderr)
        self.assertNotIn("Gathered", released.stdout + released.stderr)

    def test_what_does_not_fit_together(self):
        paths = self.gather_all()
        one = self.pieces / "0.csv"
        for message, words in [
                ("--table must not be given with --gathered", [*self.from_pieces(*paths), "--table", one]),
                ("--pieces must not be given without --gathered", ["release", "mean", one, *MEAN, "--pieces", 3]),
                ("--strict must not be given for gathered sums", [*self.from_pieces(*paths), "--strict"]),
                ("--booleans must not be given for gathered sums", [*self.from_pieces(*paths), "--booleans", "x"]),
                ("but this reads rows one by one", [*self.from_pieces(*paths), "--confidential"]),
                ("but this reads rows one by one", ["release", "components", "--gathered", *paths, "--ranks", "--method",
                 "exponential", "--components", 1, "--epsilon", 1, "--delta", 0]),
                ("--piece must not be given without --gather", ["release", "mean", one, *MEAN, "--piece", "x"]),
                ("each-pass", ["release", "mean", *MEAN, "--gathered", *paths, "--each-pass", "true"]),
                ("is missing, but must be given", ["release", "mean", *MEAN])]:
            done = self.run_program(*words, "--output", self.folder / "refused.csv")
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(message.lower(), done.stderr.lower())
            self.assertFalse((self.folder / "refused.csv").exists())

    def test_rows_of_a_person_must_be_together(self):
        job = self.file({**JOB, "unit": "age", "unit_rows": 2}, "persons.json")
        paths = [self.gather(place, job=job) for place in range(3)]
        words = ["release", job, "--gathered", *paths]
        self.refused(2, "--persons-together", *words)
        result = self.answer(*words, "--persons-together", "--output", "-")
        self.assertIn("all rows of one person are in one piece", result["certificate"]["assumptions"])

    def test_what_is_there_is_not_replaced_unasked(self):
        path = self.gather(0)
        done = self.run_program("gather", self.pieces / "1.csv", "--for", self.job, "--output", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("must not be there already", done.stderr)
        done = self.run_program("gather", self.pieces / "1.csv", "--for", self.job, "--output", self.pieces / "1.csv",
                                "--replace")
        self.assertEqual(done.returncode, 2)
        self.assertIn("must not be one of the data files", done.stderr)

    def test_a_full_disk_leaves_nothing(self):
        folder = self.folder / "small"
        folder.mkdir()
        words = ["gather", self.pieces / "0.csv", "--for", self.job, "--output", folder / "0.gathered"]
        calls = len(faulty(words).calls)
        self.assertGreater(calls, 0)
        for at in range(1, calls + 1):
            (folder / "0.gathered").unlink(missing_ok=True)
            done = faulty(words, at, "full")
            left = list(folder.iterdir())
            if done.code == 0:  # what failed was not needed
                self.assertEqual(left, [folder / "0.gathered"])
            else:
                self.assertEqual((left, done.error.count("\n")), ([], 1))

    def passes(self, kind, *options, command=None):
        each = command or f"for piece in 0 1 2; do '{PROGRAM}' gather '{self.pieces}'/$piece.csv --for {{}} " \
                          f"--output '{self.pieces}'/$piece.gathered --replace || exit; done"
        return ["release", kind, "--gathered", *(self.pieces / f"{place}.gathered" for place in range(3)),
                "--pieces", 3, "--each-pass", each, *options, "--delta", "1e-6"]

    def test_releases_in_several_passes(self):
        words = self.passes("regression", "--target", "wage", "--intercept", *RANGES, "--epsilon", 3)
        done = self.run_program(*words, "--output", "-", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["released"]["rows"]), 4)
        self.assertEqual([path for path in self.pieces.iterdir() if "pass" in path.name], [])

    def test_a_pass_that_fails_releases_nothing(self):
        target = ["--target", "wage", *RANGES, "--epsilon", 1]
        self.refused(1, "the command for a pass failed (exit code 7)",
                     *self.passes("regression", *target, command="test -f {} && exit 7"))
        self.refused(2, "must have {}", *self.passes("regression", *target, command="true"))
        self.refused(4, "0.gathered", *self.passes("regression", *target, command="test -f {}"))

    def test_the_recipe_for_make(self):
        (self.pieces / "3.csv").write_text((self.pieces / "1.csv").read_text())  # the same rows by chance
        shutil.copy(RECIPES / "Makefile", self.folder)
        made = subprocess.run(["make", "-s", "-j2", f"MODICUM={PROGRAM}"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue((self.folder / "answers.csv.certificate.json").is_file())
        words = ["release", "covariance", "--gathered", "pieces/*.gathered", "--each-pass",
                 f"make -s pass PASS={{}} MODICUM={PROGRAM}", *RANGES, "--epsilon", 1, "--delta", "1e-6"]
        done = subprocess.run([PROGRAM, *map(str, words), "--output", "moments.csv"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_recipe_for_slurm(self):
        for place in range(3):
            done = subprocess.run(["bash", RECIPES / "gather.sbatch"], cwd=self.folder, capture_output=True, text=True,
                                  env={**os.environ, "MODICUM": PROGRAM, "SLURM_ARRAY_TASK_ID": str(place)})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(self.pieces.glob("*.gathered"))), 3)

    def test_the_recipe_for_spark(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        lines = []
        for place in range(3):
            rows = (self.pieces / f"{place}.csv").read_text().splitlines(keepends=True)
            done = subprocess.run(["bash", RECIPES / "gather_part.sh", self.job, *rows[0].strip().split(",")],
                                  input=f"{place}\n" + "".join(rows[1:]), capture_output=True, text=True,
                                  env={**os.environ, "MODICUM": PROGRAM, "TMPDIR": str(scratch)})
            self.assertEqual(done.returncode, 0, done.stderr)
            lines += done.stdout.splitlines()
        self.assertEqual(list(scratch.iterdir()), [])
        sys.path.insert(0, str(RECIPES))
        try:
            import spark_pipe
        finally:
            sys.path.pop(0)
        spark_pipe.write(lines, str(self.folder / "sums"))
        result = self.answer(*self.from_pieces(self.folder / "sums" / "*.gathered"), "--pieces", 3, "--output", "-")
        self.assertEqual(len(result["released"]["values"]), 3)


if __name__ == "__main__":
    unittest.main()
