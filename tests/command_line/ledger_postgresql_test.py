"""modicum ledger on a PostgreSQL server that lives as long as this test."""

import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import unittest

import ledger_test

TOOLS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))


def server_user():
    """Somebody who is not root: the server refuses to be run by it."""
    if os.geteuid() != 0:
        return None
    for name in "postgres", "nobody":
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            pass
    raise unittest.SkipTest("there is no user but root")


@unittest.skipUnless(TOOLS, "the package postgresql is not installed")
class Server(ledger_test.Ledger):
    """All that a file is tested with."""

    @classmethod
    def setUpClass(cls):
        cls.user = server_user()
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="modicum-postgresql-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        if cls.user is not None:
            os.chown(cls.place, cls.user, -1)
        cls.place.chmod(0o755)
        cls.tool("initdb", "-D", cls.place / "data", "-A", "trust", "-U", "modicum", "--no-sync")
        cls.tool("pg_ctl", "-D", cls.place / "data", "-w", "-l", cls.place / "log", "-o",
                 f"-k {cls.place} -c listen_addresses= -c fsync=off", "start")
        cls.addClassCleanup(cls.tool, "pg_ctl", "-D", cls.place / "data", "-m", "immediate", "stop")
        cls.count = 0

    @classmethod
    def tool(cls, name, *arguments):
        done = subprocess.run([f"{TOOLS[-1]}/{name}", *map(str, arguments)], user=cls.user,
                              cwd=cls.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr}")

    def setUp(self):
        super().setUp()
        type(self).count += 1
        self.base = f"base{self.count}"
        self.tool("createdb", "-h", self.place, "-U", "modicum", self.base)

    @property
    def store(self):
        return f"postgresql://modicum:secret@/{self.base}?host={self.place}"

    def test_passwords_stay_out_of_sight(self):
        self.create("--mu", 1)
        self.charge(ledger_test.ANSWER)
        for command in "list", "status", "verify":
            self.assertNotIn("secret", self.succeed("ledger", command, "--ledger", self.store, "--json"))
        error = self.refuse(4, "ledger", "status", "--ledger",
                            f"postgresql://modicum:secret@/{self.base}?host=/nowhere")
        self.assertNotIn("secret", error)

    def test_no_ledger(self):
        self.assertIn("no ledger", self.refuse(4, "ledger", "status", "--ledger", self.store))


if __name__ == "__main__":
    # The tests of the module are run by its own script.
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Server)
    result = unittest.TextTestRunner().run(suite)
    raise SystemExit(not result.wasSuccessful())
