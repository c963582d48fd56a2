"""modicum ledger on a PostgreSQL server that lives as long as this test."""

import glob
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import _duckdb  # noqa: F401  finds the library for queries
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
        cls.start()
        cls.addClassCleanup(cls.tool, "pg_ctl", "-D", cls.place / "data", "-m", "immediate", "stop")
        cls.count = 0

    @classmethod
    def start(cls):
        cls.tool("pg_ctl", "-D", cls.place / "data", "-w", "-l", cls.place / "log", "-o",
                 f"-k {cls.place} -c listen_addresses= -c fsync=off", "start")

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

    def test_tables_are_read_by_queries(self):
        """Typed cells as a file has them; the rows of views are refused, and no password is quoted."""
        columns = ("i AS id, i % 2 = 0 AS even, i * 1.50 AS price, i / 2::double precision AS half, "
                   "date '2020-01-01' + i AS day, timestamptz '2020-01-01 12:00+00' AS moment, "
                   "CASE i % 3 WHEN 0 THEN NULL ELSE 'n' || i % 3 END AS note")
        self.tool("psql", "-h", self.place, "-U", "modicum", "-d", self.base, "-v", "ON_ERROR_STOP=1", "-c",
                  f"CREATE TABLE people AS SELECT {columns} FROM generate_series(1, 90) i; "
                  "CREATE VIEW pairs AS SELECT a.id FROM people a, people b")
        table = f"postgres_scan('host={self.place} user=modicum dbname={self.base}', 'public', '{{}}')"
        budget = "--epsilon", 1, "--delta", 1e-6, "--output", "-"

        def count(condition):
            return self.answer("release", "count", "--query", f"select * from {table.format('people')} where {condition}",
                               *budget, "--confidential")["confidential"]["rows_used"]

        for condition, expected in (("id > 60", 30), ("even = 'true'", 45), ("price = 3", 1), ("price = '4.5'", 1),
                                    ("half = 1.5", 1), ("day < '2020-01-11'", 9), ("note is null", 30),
                                    ("note = 'n2' and moment = '2020-01-01T12:00:00'", 30)):
            with self.subTest(condition=condition):
                self.assertEqual(count(condition), expected)
        self.assertEqual(count("note = 'n1' and even = 'true'"), 15)
        for other in "pairs", "nobody":
            error = self.refuse(2, "release", "count", "--query", f"select id from {table.format(other)}", *budget)
            self.assertIn("not a table of the database itself", error)
        self.refuse(4, "release", "count", "--query",
                    "select id from postgres_scan('host=/nowhere dbname=x', 'public', 'people')", *budget)
        for place in "host=/nowhere password=secret", "postgresql://modicum:secret@/x?host=/nowhere":
            error = self.refuse(2, "release", "count", "--query",
                                f"select id from postgres_scan('{place}', 'public', 'people')", *budget)
            self.assertNotIn("secret", error)

    def sql(self, *commands, base=None):
        for command in commands:
            self.tool("psql", "-h", self.place, "-U", "modicum", "-d", base or self.base, "-v", "ON_ERROR_STOP=1",
                      "-c", command)

    def query_of(self, table, columns="*", base=None):
        place = f"host={self.place} user=modicum dbname={base or self.base}"
        return ("--query", f"select {columns} from postgres_scan('{place}', 'public', '{table}')", "--epsilon", 1,
                "--delta", 1e-6, "--output", "-")

    def test_parts_of_a_table_that_are_elsewhere(self):
        """A foreign table may answer with anything: also as a grandchild its rows are none of the table."""
        self.sql("CREATE TABLE plain (id int); CREATE TABLE plain_child () INHERITS (plain); "
                 "INSERT INTO plain VALUES (1); INSERT INTO plain_child VALUES (2), (3)",
                 "CREATE TABLE parted (id int) PARTITION BY RANGE (id); "
                 "CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10); INSERT INTO parted VALUES (1)")
        for table, rows in ("plain", 3), ("parted", 1):
            answer = self.answer("release", "count", *self.query_of(table), "--confidential")
            self.assertEqual(answer["confidential"]["rows_used"], rows)
        self.sql("CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere; "
                 "CREATE FOREIGN TABLE far_child () INHERITS (plain_child) SERVER far; "
                 "CREATE FOREIGN TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (20) SERVER far")
        for table in "plain", "plain_child", "far_child", "parted":
            error = self.refuse(2, "release", "count", *self.query_of(table))
            self.assertIn("parts elsewhere may be views", error)
        self.answer("release", "count", *self.query_of("parted_1"))

    def test_dates_that_are_none_of_a_file(self):
        """Before Christ, beyond the year 9999, or infinite: nothing, never another date."""
        self.sql("CREATE TABLE days AS SELECT day::date AS day, day AS moment, day AT TIME ZONE 'UTC' AS zoned FROM "
                 "(VALUES (timestamp '0044-03-15 12:00:00 BC'), ('0044-03-15 12:00:00'), ('12020-01-01'), "
                 "('infinity'), ('-infinity'), ('2020-07-02')) t(day)")
        for column, cells in (("day", "0044-03-15,2020-07-02"), ("moment", "0044-03-15T12:00:00,2020-07-02"),
                              ("zoned", "0044-03-15T12:00:00,2020-07-02")):
            answer = self.answer("release", "count", *self.query_of("days", f"{column} as cell"), "--by", "cell",
                                 "--categories", cells, "--confidential")
            self.assertEqual([each for name, each in answer["confidential"].items() if name.startswith("true_")],
                             [1, 1], (column, answer["confidential"]))
            self.assertEqual(answer["confidential"]["rows_used"], 2)

    def test_a_database_in_another_encoding(self):
        """Some row might have no translation: refused whatever the rows are."""
        for encoding in "SQL_ASCII", "LATIN1":
            base = f"{self.base}_{encoding.lower()}"
            self.tool("createdb", "-h", self.place, "-U", "modicum", "-E", encoding, "-T", "template0", "--locale=C", base)
            self.sql("CREATE TABLE people AS SELECT 1 AS id", base=base)
            error = self.refuse(4, "release", "count", *self.query_of("people", base=base))
            self.assertIn("UTF8", error)

    def test_passwords_stay_out_of_sight(self):
        self.create("--mu", 1)
        self.charge(ledger_test.ANSWER)
        for command in "list", "status", "verify":
            self.assertNotIn("secret", self.succeed("ledger", command, "--ledger", self.store, "--json"))
        error = self.refuse(4, "ledger", "status", "--ledger",
                            f"postgresql://modicum:secret@/{self.base}?host=/nowhere")
        self.assertNotIn("secret", error)

    def charging(self, path):
        """Charges until nothing fits or the server is gone; tells each entry after it was charged."""
        script = f'while answer=$("$1" ledger charge "$2" --ledger "$3" --json); do echo "$answer"; done'
        return subprocess.Popen(["bash", "-c", script, "bash", ledger_test.PROGRAM, path, self.store],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                start_new_session=True)

    def told(self, processes):
        entries = []
        for each in processes:
            out, _ = each.communicate(timeout=120)
            # The last line may have been cut off.
            for line in out.splitlines():
                try:
                    entries.append(json.loads(line)["entry"])
                except ValueError:
                    pass
        return entries

    def check(self, told, most):
        entries = [each["entry"] for each in self.answer("ledger", "list", "--ledger", self.store)["entries"]]
        self.assertLessEqual(set(told), set(entries))
        self.assertEqual(len(told), len(set(told)))
        self.assertLessEqual(len(entries), most)
        [budget] = self.status()
        self.assertEqual(budget["entries"], len(entries))
        self.assertLessEqual(budget["mu_squared"]["spent"], budget["mu_squared"]["total"])
        self.answer("ledger", "verify", "--ledger", self.store)
        return len(entries)

    def test_processes_that_are_killed(self):
        self.create("--rho", 0.2)  # forty answers
        path = self.file(ledger_test.ANSWER)
        chance = random.Random(3)  # decides whom and when to kill
        running, ended = [self.charging(path) for _ in range(4)], []
        for _ in range(12):
            time.sleep(chance.uniform(0.005, 0.06))
            victim = running.pop(chance.randrange(len(running)))
            os.killpg(victim.pid, signal.SIGKILL)
            ended.append(victim)
            running.append(self.charging(path))
        self.assertEqual(self.check(self.told(ended + running), 40), 40)

    def test_a_server_that_goes_away(self):
        self.create("--rho", 10)
        path = self.file(ledger_test.ANSWER)
        running = [self.charging(path) for _ in range(3)]
        time.sleep(0.3)
        self.tool("pg_ctl", "-D", self.place / "data", "-m", "immediate", "stop")
        told = self.told(running)
        for each in running:
            self.assertNotEqual(each.returncode, None)
        error = self.refuse(4, "ledger", "charge", path, "--ledger", self.store)
        self.assertIn("cannot be reached", error)
        rows, output = self.file("x\n0.5\n", "rows.csv"), self.folder / "sum.csv"
        self.refuse(4, "release", "vector", rows, "--statistic", "sum", "--range", "x=0:1", "--mu", 0.1,
                    "--ledger", self.store, "--output", output)
        self.assertFalse(output.exists())
        self.start()
        self.assertGreater(self.check(told, 2000), 0)
        self.charge(ledger_test.ANSWER)

    def test_a_connection_that_is_cut_within_a_charge(self):
        # The server ends the connections of whoever writes an entry: none is half there.
        self.create("--mu", 1)
        self.tool("psql", "-h", self.place, "-U", "modicum", "-d", self.base, "-c",
                  "CREATE FUNCTION cut() RETURNS trigger AS 'BEGIN PERFORM "
                  "pg_terminate_backend(pg_backend_pid()); RETURN NEW; END' LANGUAGE plpgsql; "
                  "CREATE TRIGGER cut BEFORE INSERT ON modicum_entries FOR EACH ROW EXECUTE FUNCTION cut()")
        rows, output = self.file("x\n0.5\n", "rows.csv"), self.folder / "sum.csv"
        error = self.refuse(4, "release", "vector", rows, "--statistic", "sum", "--range", "x=0:1", "--mu", 0.1,
                            "--ledger", self.store, "--output", output)
        self.assertNotIn("secret", error)
        self.assertFalse(output.exists())
        [budget] = self.status()
        self.assertEqual((budget["entries"], budget["mu_squared"]["spent"]), (0, 0))
        self.assertEqual(self.answer("ledger", "verify", "--ledger", self.store)["records"], 1)

    def test_no_ledger(self):
        self.assertIn("no ledger", self.refuse(4, "ledger", "status", "--ledger", self.store))


if __name__ == "__main__":
    # The tests of the module are run by its own script.
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Server)
    result = unittest.TextTestRunner().run(suite)
    raise SystemExit(not result.wasSuccessful())
