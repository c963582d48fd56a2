"""What happens where nobody listens, nothing can be written, or there is no room."""

import hashlib
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

from _support import GAUSSIAN, INSTRUMENTED, PROGRAM, CommandLineTest

EXAMPLES = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"]) / "examples"
WAGES = EXAMPLES / "wages.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
COVARIANCE = ["release", "covariance", WAGES, "--row-norm-bound", 100, *TARGET]


class StreamTest(CommandLineTest):
    def shell(self, redirection, *arguments):
        """The program with its streams redirected as a shell does it."""
        return subprocess.run(["bash", "-c", f'"$0" "$@" {redirection}', PROGRAM, *map(str, arguments)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Errors(StreamTest):
    def test_complaints_that_nobody_hears(self):
        for redirection in "2>&-", "2>/dev/full", "1>&- 2>&-", ">/dev/full 2>/dev/full":
            wrong = self.shell(redirection, "profile", self.folder / "none.json", "--epsilon", 1)
            self.assertEqual(wrong.returncode, 1 if "1>&-" in redirection else 4, redirection)
            self.assertEqual(self.shell(redirection, "--unknown").returncode,
                             1 if "1>&-" in redirection else 2, redirection)
        self.assertEqual(self.shell(">/dev/full 2>/dev/full", "--help").returncode, 1)
        self.assertEqual(self.shell(">/dev/full 2>&-", "--help").returncode, 1)

    def test_a_file_never_takes_the_place_of_a_stream(self):
        # The first file that is opened would get the number of a closed stream.
        for redirection in "0<&-", "2>&-", "0<&- 2>&-":
            self.assertEqual(self.shell(redirection, *COVARIANCE, "--output", self.folder / "out.csv",
                                        "--replace").returncode, 0)
        self.assertEqual(json.loads((self.folder / "out.csv.certificate.json").read_text())["output"]["sha256"],
                         hashlib.sha256((self.folder / "out.csv").read_bytes()).hexdigest())

    def test_a_terminal_that_goes_away(self):
        first, second = pty.openpty()
        run = subprocess.Popen([PROGRAM, "profile", "-", "--epsilon", "1"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=second, text=True)
        os.close(second)
        self.assertTrue(os.read(first, 100).startswith(b"\r"))  # after a second
        os.close(first)
        time.sleep(1.2)
        run.communicate(json.dumps(GAUSSIAN), timeout=300)
        self.assertEqual(run.returncode, 0)

    @unittest.skipIf(INSTRUMENTED, "sanitizers need the whole address space")
    def test_no_memory(self):
        columns = 16000  # whose second moments take two gigabytes
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': (1, {columns}), }}".ljust(117) + "\n"
        path = self.folder / "wide.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                         + bytes(8 * columns))
        done = subprocess.run([PROGRAM, "release", "covariance", path, "--row-norm-bound", "1", "--epsilon", "1",
                               "--delta", "1e-6", "--output", self.folder / "out.csv"],
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(done.stderr, "modicum: out of memory\n")
        self.assertEqual(self.names(), ["wide.npy"])


class AfterARelease(StreamTest):
    """Whoever does not see the answer must not try again."""

    def test_it_is_told_that_it_was_released(self):
        output = self.folder / "out.csv"
        for more in [], ["--json"]:
            done = self.shell(">/dev/full", *COVARIANCE, "--output", output, "--replace", *more)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Amodicum: standard output cannot be written: No space left on "
                                          r"device; released all the same, to [^\n]*out\.csv[^\n]* with the "
                                          r"certificate [^\n]*out\.csv\.certificate\.json[^\n]*: its privacy "
                                          r"budget is spent[^\n]*\n\Z")
            self.assertTrue(output.exists())
        # And a second one is refused.
        self.refuse(2, *COVARIANCE, "--output", output)

    def test_what_is_shown_may_have_been_seen(self):
        certificate = self.folder / "record.json"
        done = self.shell(">/dev/full", *COVARIANCE, "--output", "-", "--certificate", certificate)
        self.assertEqual(done.returncode, 1)
        self.assertIn("its privacy budget is spent", done.stderr)
        self.assertIn("record.json", done.stderr)
        self.assertTrue(certificate.exists())
        done = self.shell(">/dev/full", "calibrate", "gaussian", *TARGET, "--sensitivity", 1)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "modicum: standard output cannot be written: No space left on device\n"))

    def test_a_closed_output_is_found_before_anything_is_read(self):
        for output in "-", self.folder / "out.csv":
            done = self.shell("1>&-", "release", "covariance", self.folder / "none.csv", "--row-norm-bound", 1,
                              *TARGET, "--output", output)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written", done.stderr)
        self.assertEqual(self.names(), [])

    def test_a_reader_that_went_away(self):
        done = self.shell("| true; exit ${PIPESTATUS[0]}", *COVARIANCE, "--output", self.folder / "out.csv")
        self.assertIn(done.returncode, (0, 1))  # it may have been there long enough
        if done.returncode == 1:
            self.assertIn("its privacy budget is spent", done.stderr)


class Places(StreamTest):
    """Where nothing can be written the exit code is 1, before anything is read."""

    def test_every_command_that_writes(self):
        none, data = self.folder / "none", self.folder / "none.csv"
        reading = [["release", "covariance", data, "--row-norm-bound", 1, *TARGET, "--output", "{}.csv"],
                   ["release", "components", data, "--components", 1, *TARGET, "--output", "{}.csv"],
                   ["release", "matrix", data, "--sensitivity", 1, *TARGET, "--output", "{}.csv"],
                   ["release", "covariance", data, "--row-norm-bound", 1, *TARGET, "--output", "-",
                    "--certificate", "{}.json"],
                   ["report", "spectrum", data, "--confidential", "--output", "{}.json"],
                   ["report", "per-instance", data, "--release", data, "--confidential", "--output", "{}.csv"],
                   ["report", "per-instance", data, "--release", data, "--confidential", "--output", "-",
                    "--page", "{}.html"],
                   ["report", "per-instance", "--release", data, "--method", "data-independent", "--output",
                    "{}.json"],
                   ["plot", "profile", data, "--output", "{}.svg"],
                   ["plot", "projections", data, "--confidential", "--output", "{}.svg"],
                   ["plot", "components", "--eigenvalues", data, "--rows", 9, "--confidential", "--output",
                    "{}.svg"],
                   ["audit", "components", "--eigenvalues", data, "--rows", 9, "--components", 1, "--mu", 1,
                    "--confidential", "--output", "{}.svg"]]
        (self.folder / "folder.csv").mkdir()
        for words in reading:
            for place in none / "x", "/proc/x":
                error = self.refuse(1, *(str(word).format(place) for word in words))
                self.assertIn("cannot be written", error, words)
        self.assertIn("no regular file", self.refuse(1, *COVARIANCE, "--output", self.folder / "folder.csv"))
        self.assertEqual(self.names(), ["folder.csv"])

    def test_a_release_is_replaced_when_asked(self):
        output = self.folder / "out.csv"
        self.succeed(*COVARIANCE, "--output", output)
        first = (self.folder / "out.csv.certificate.json").read_bytes()
        # Before anything is read.
        words = ["release", "covariance", self.folder / "none.csv", "--row-norm-bound", 1, *TARGET]
        self.assertIn("--replace", self.refuse(2, *words, "--output", output))
        self.assertIn("--certificate", self.refuse(2, *words, "--output", self.folder / "other.csv",
                                                   "--certificate", output))
        self.assertIn("--certificate", self.refuse(2, *words, "--output", "-", "--certificate", output))
        self.assertIn("--replace", self.refuse(2, *words, "--output", "-", "--replace"))
        self.succeed(*COVARIANCE, "--output", output, "--replace")
        self.assertEqual((self.folder / "out.csv.certificate.1.json").read_bytes(), first)
        self.assertEqual(self.names(), ["out.csv", "out.csv.certificate.1.json", "out.csv.certificate.json"])
        # Nor by anything else.
        for words in (["report", "spectrum", WAGES, "--row-norm-bound", 100, "--confidential", "--output", output],
                      ["report", "spectrum", WAGES, "--row-norm-bound", 100, "--confidential", "--output",
                       f"{output}.certificate.json"]):
            self.assertIn("--output", self.refuse(2, *words))

    def test_shown_numbers_have_a_checksum(self):
        path = self.folder / "record.json"
        out = self.succeed(*COVARIANCE, "--output", "-", "--certificate", path, "--json")
        told = json.loads(path.read_text())["output"]
        numbers = out[out.index('"released":') + len('"released":'):-2] + "\n"
        self.assertEqual(told, {"file": "-", "sha256": hashlib.sha256(numbers.encode()).hexdigest()})
        # People see all digits of them.
        words = self.succeed(*COVARIANCE, "--output", "-", "--certificate", path, "--replace")
        self.assertGreater(max(len(word) for word in words.split() if "." in word and word[0] in "-123456789"), 12)


class Memory(StreamTest):
    """Rows in memory stay there: no core dumps, and no other process of the same user looks at them."""

    def waiting(self, prepare):
        """The program, waiting for its input: a copy, since others may not look where it was built."""
        self.folder.chmod(0o755)
        run = subprocess.Popen([shutil.copy(PROGRAM, self.folder), "profile", "-", "--epsilon", "1"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=prepare)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        for _ in range(1000):  # the last thing before it begins
            if os.stat(f"/proc/{run.pid}/environ").st_uid == 0:
                return run
            time.sleep(0.01)
        self.fail("other processes can look into it")

    def test_no_core_dumps(self):
        def allow():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
            self.become_nobody()

        run = self.waiting(allow)
        limits = pathlib.Path(f"/proc/{run.pid}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        run.send_signal(signal.SIGQUIT)
        status = os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)
        self.assertEqual((status.si_code, status.si_status), (os.CLD_KILLED, signal.SIGQUIT))

    def become_nobody(self):
        """Files about a process that may not be looked into belong to root; else to its user."""
        if os.getuid() == 0:
            os.setuid(65534)


if __name__ == "__main__":
    unittest.main()
