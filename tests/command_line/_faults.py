"""Runs the program while calls that write go wrong, and looks at what is left."""

import atexit
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from _support import PROGRAM, CommandLineTest

KINDS = ("error", "full", "kill", "term")
#: the machine's own, one without files that have no name, and one without links either
FILE_SYSTEMS = ("", "plain", "poor")

_folder = None


def library():
    """What is loaded before the C library, compiled once."""
    global _folder
    if _folder is None:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="modicum-faults-"))
        atexit.register(shutil.rmtree, _folder, True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", _folder / "faults.so",
                        pathlib.Path(__file__).with_name("_faults.c"), "-ldl"], check=True)
    return _folder / "faults.so"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Done:
    """How a run ended, and the calls that it made."""

    def __init__(self, process, calls):
        self.code, self.error, self.calls = process.returncode, process.stderr, calls

    @property
    def released(self):
        """Whether the run says that it has released something."""
        return self.code == 0 or "its privacy budget is spent" in self.error


def faulty(arguments, at=0, kind="error", file_system=""):
    """The program, with its `at`-th call that writes going wrong."""
    with tempfile.TemporaryDirectory(prefix="modicum-log-") as folder:
        log = pathlib.Path(folder) / "calls"
        environment = {**os.environ, "LD_PRELOAD": str(library()), "MODICUM_FAULT": str(at),
                       "MODICUM_FAULT_KIND": kind, "MODICUM_FAULT_LOG": str(log),
                       "MODICUM_FILE_SYSTEM": file_system}
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        process = subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 errors="replace", env=environment, timeout=300)
        return Done(process, log.read_text().split() if log.exists() else [])


def aside(path, number=1):
    """The name under which an old file is kept."""
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


class Files:
    """Files in a folder that has no others."""

    def __init__(self, folder, *names):
        self.folder, self.files = folder, [folder / name for name in names]
        for path in self.files:
            path.parent.mkdir(parents=True, exist_ok=True)

    def clear(self, before=()):
        """Only these files, with these bytes."""
        for path in self.content():
            path.unlink()
        for path, content in dict(before).items():
            path.write_bytes(content)

    def content(self):
        return {path: path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file()}


class Place(Files):
    """The files of one release: the certificate first. Without an output the numbers are shown."""

    def __init__(self, folder, output, certificate=None, page=None):
        certificate = certificate or f"{output}.certificate.json"
        super().__init__(folder, *(name for name in (certificate, page, output) if name))
        self.certificate, self.output = self.files[0], folder / output if output else None

    def fits(self, certificate, output):
        """Whether these are of one release."""
        told = json.loads(certificate.read_text())["output"]
        return told == {"file": self.output.name, "sha256": sha256(output)}


class FaultTest(CommandLineTest):
    """What must hold after any run, whatever went wrong in it: `before` are the files that were there,
    none or all of them."""

    def settle(self, place, before, done, at, kind, file_system, expected=None):
        told = (at, kind, file_system, done.code, done.error, done.calls)
        self.assertIn(done.code, (0, 1, -9, -15), told)
        after = place.content()
        found = {path: after[path] for path in place.files if path in after}
        same, whole = found == before, len(found) == len(place.files)
        if isinstance(place, Place):
            new = self.settle_release(place, before, after, found, told)
            told_of = done.released
        else:
            new, told_of = found == expected, done.code == 0 or "standard output" in done.error
        if done.code == -9:
            self.assertTrue(new or same or self.kept(before, after), told)
        elif done.code == -15:
            self.assertTrue(new or same, told)
        else:
            self.assertTrue(new if told_of else same, told)
        self.assertTrue(whole or not new, told)
        self.no_strangers(place, before, after, new, done, at, file_system, told)

    def settle_release(self, place, before, after, found, told):
        """Whether a new release is there. Numbers are never beside another certificate, and never
        without one."""
        if place.output in found:
            self.assertIn(place.certificate, found, told)
            self.assertTrue(place.fits(place.certificate, place.output), told)
        new = len(found) == len(place.files) and found[place.certificate] != before.get(place.certificate)
        if new and before:
            self.assertEqual(after[aside(place.certificate)], before[place.certificate], told)
        return new

    def kept(self, before, after):
        """Whether the old files are whole, under numbered names where not under their own."""
        return all(content in (after.get(aside(path)), after.get(path))
                   for path, content in before.items())

    def no_strangers(self, place, before, after, new, done, at, file_system, told):
        """Files that nobody asked for."""
        strangers = set(after) - set(place.files)
        if isinstance(place, Place) and before and new:
            strangers.discard(aside(place.certificate))
        struck = done.calls[at - 1] if 0 < at <= len(done.calls) else ""
        if done.code == -9 or struck == "unlink":  # old files, whole
            strangers -= {aside(path) for path in before if after.get(aside(path)) == before[path]}
        if done.code == -9 and struck == "rename" or file_system and (done.code == -9 or struck == "unlink"):
            strangers = {path for path in strangers if not path.name.startswith(".modicum-")}
        self.assertEqual(strangers, set(), told)

    def strike(self, place, arguments, before, at, kind, file_system="", expected=None):
        place.clear(before)
        done = faulty(arguments, at, kind, file_system)
        self.settle(place, before, done, at, kind, file_system, expected)
        return done
