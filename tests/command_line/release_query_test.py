"""Releases of Parquet files and of queries, which DuckDB reads; MODICUM_DUCKDB names its library."""

import json
import os
import sqlite3
import subprocess
import unittest

import _duckdb
from _support import PROGRAM, CommandLineTest

ROWS = "SELECT i AS id, i % 50 AS age, (i % 7) * 10.5 AS wage, 2020 + i % 5 AS year FROM range(1000) t(i)"
BUDGET = "--epsilon", 1, "--delta", 1e-6, "--output", "-"
MEAN = "--select", "wage", "--bounds", "wage=0:70", *BUDGET


class Queries(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.parquet = _duckdb.parquet(self.folder / "people.parquet", ROWS)
        self.csv = self.folder / "people.csv"
        _duckdb.run(f"COPY ({ROWS}) TO '{self.csv}' (FORMAT csv, HEADER)")

    def truth(self, *arguments):
        """What only the holder of the data may see."""
        return self.answer("release", *arguments, "--confidential")["confidential"]

    def test_parquet_is_read_as_csv_is(self):
        for kind, options in (("mean", MEAN), ("count", ("--by", "year", "--categories", "2020,2021,2024", *BUDGET)),
                              ("covariance", ("--exclude", "id", "--range-of-all", "0:3000", *BUDGET))):
            with self.subTest(kind=kind):
                of_parquet, of_csv = (self.truth(kind, path, *options) for path in (self.parquet, self.csv))
                for key in of_csv:
                    if "error" not in key:  # which has the noise in it
                        self.assertEqual(of_parquet[key], of_csv[key], key)
        self.assertEqual(self.truth("mean", self.parquet, *MEAN, "--threads", 1),
                         self.truth("mean", self.parquet, *MEAN, "--threads", 2))

    def test_a_query_chooses_columns_and_rows(self):
        lines = self.folder / "people.jsonl"
        database = self.folder / "people.db"
        _duckdb.run(f"COPY ({ROWS}) TO '{lines}' (FORMAT json)")
        with sqlite3.connect(database) as store:
            store.execute("CREATE TABLE people (id, age, wage, year)")
            store.executemany("INSERT INTO people VALUES (?, ?, ?, ?)",
                              [(i, i % 50, i % 7 * 10.5, 2020 + i % 5) for i in range(1000)])
        store.close()
        answers = [self.truth("mean", "--query", f"select wage / 2 as wage from {place} where year = 2024 and age < 30",
                              *MEAN)
                   for place in (f"'{self.parquet}'", f"'{self.csv}'", f"'{lines}'",
                                 f"sqlite_scan('{database}', 'people')")]
        wages = [i % 7 * 5.25 for i in range(1000) if 2020 + i % 5 == 2024 and i % 50 < 30]
        self.assertEqual(answers[0]["rows_used"], len(wages))
        for answer in answers[1:]:
            self.assertEqual(answer, answers[0])

    def test_strict_is_refused_for_lines_before_they_are_paid_for(self):
        ledger = ["--ledger", self.folder / "study.db"]
        self.answer("ledger", "create", *ledger, "--budget", "study", "--epsilon", 9, "--delta", 1e-5)
        lines = self.file('{"wage": 3}\n', "few.jsonl")
        mean = ["release", "mean", "--query", f"select wage from '{lines}'", *MEAN, *ledger]
        self.assertIn("lines of JSON", self.refuse(2, *mean, "--strict"))
        self.assertEqual(self.answer("ledger", "list", *ledger)["entries"], [])
        self.answer(*mean)

    def test_the_certificate_tells_the_query(self):
        query = f"select wage from '{self.parquet}' where age > 20"
        answer = self.answer("release", "mean", "--query", query, *MEAN)
        self.assertEqual(answer["certificate"]["parameters"]["query"], query)

    def test_queries_over_several_rows_are_refused(self):
        for clause in "limit 5", "group by wage", "order by wage", "union all select 1":
            with self.subTest(clause=clause):
                error = self.refuse(2, "release", "mean", "--query", f"select wage from '{self.parquet}' {clause}", *MEAN)
                self.assertIn("rows one by one", error)
        self.refuse(2, "release", "mean", "--query", f"select avg(wage) as wage from '{self.parquet}'", *MEAN)
        self.refuse(2, "release", "mean", self.csv, "--query", f"select wage from '{self.parquet}'", *MEAN)
        self.refuse(2, "release", "mean", self.parquet, "--separator", ";", *MEAN)
        self.refuse(2, "release", "mean", *MEAN)  # neither

    def test_files_that_are_not_there(self):
        self.refuse(4, "release", "mean", "--query", "select wage from 'nobody.parquet'", *MEAN)
        self.refuse(4, "release", "mean", "--query", "select wage from 'nobody*.parquet'", *MEAN)

    def test_without_duckdb_it_is_said_how_to_get_it(self):
        environment = {**os.environ, "MODICUM_DUCKDB": "/nowhere/libduckdb.so"}
        for words in (self.parquet,), ("--query", f"select wage from '{self.csv}'"):
            done = subprocess.run([PROGRAM, "release", "mean", *map(str, (*words, *MEAN))], env=environment,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("scripts/get_duckdb.sh", done.stderr)
            self.assertEqual(done.stdout, "")
        # Nothing else needs it.
        done = subprocess.run([PROGRAM, "release", "mean", str(self.csv), *map(str, MEAN)], env=environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_row_ends_a_run_or_shows_in_a_message(self):
        """One more row, whatever it says: the same words and the same exit code."""
        query = ("select cast(wage as double) / (age - 20) as wage, ln(age) as l, year from '{}' "
                 "where sqrt(age) < 9 and cast(year as int) > 2000 and note <> 'x'")
        base = "SELECT i % 50 AS age, '12' AS wage, '2024' AS year, 'a' AS note FROM range(100) t(i)"
        odd = ("SELECT -1, 'secret', 'year', NULL", "SELECT 20, 'inf', '99999999999999999999', ''",
               "SELECT NULL, NULL, NULL, NULL", "SELECT 0, '1e999', '-5', repeat('x', 100000)")
        shown = set()
        for rows in (base, *(f"{base} UNION ALL {each}" for each in odd)):
            path = _duckdb.parquet(self.folder / "table.parquet", rows)
            done = self.run_program("release", "mean", "--query", query.format(path), "--select", "wage", "--bounds",
                                    "wage=0:60", *BUDGET, "--json")
            answer = json.loads(done.stdout)
            answer["certificate"].pop("time")
            answer["certificate"]["parameters"].pop("released_counts")  # private, and so never the same
            shown.add((done.returncode, done.stderr, json.dumps(answer["certificate"], sort_keys=True)))
            self.assertNotIn("secret", done.stdout + done.stderr)
        self.assertEqual(len(shown), 1, shown)

    def test_the_file_of_a_query_is_not_overwritten(self):
        source = self.folder / "rows.csv"
        source.write_bytes(self.csv.read_bytes())
        error = self.refuse(2, "release", "mean", "--query", f"select wage from '{source}'", "--select", "wage",
                            "--bounds", "wage=0:70", "--epsilon", 1, "--delta", 1e-6, "--output", source)
        self.assertIn("data files", error)
        self.assertEqual(source.read_bytes(), self.csv.read_bytes())

    def test_a_job_file_may_have_one(self):
        job = self.file({"budget": {"epsilon": 1, "delta": 1e-6},
                         "query": "select wage from 'people.parquet' where year = 2020",
                         "releases": [{"count": {}}, {"mean": {"select": ["wage"], "bounds": {"wage": [0, 70]}}}]},
                        "jobs.json")
        answer = self.answer("release", job, "--output", "-", "--confidential")
        self.assertEqual(answer["confidential"]["release_1_rows_used"], 200)

    def test_pieces_of_one_query(self):
        """The query is of rows, whatever file they are in: its text is the same for all pieces."""
        job = {"budget": {"epsilon": 1, "delta": 1e-6}, "query": "select wage / 2 as half from rows where year = 2024",
               "releases": [{"count": {}}, {"mean": {"select": ["half"], "bounds": {"half": [0, 35]}}}]}
        job = self.file(job, "jobs.json")
        halves = ("i < 400", "i >= 400")
        pieces = [_duckdb.parquet(self.folder / f"{place}.parquet", f"{ROWS} WHERE {half}")
                  for place, half in enumerate(halves)]
        sums = [self.folder / f"{place}.gathered" for place in range(2)]
        for piece, path in zip(pieces, sums):
            self.succeed("gather", piece, "--for", job, "--output", path)
        answer = self.answer("release", job, "--gathered", *sums, "--pieces", 2, "--output", "-")
        self.assertEqual(answer["certificate"]["parameters"]["release_1_query"],
                         "select wage / 2 as half from rows where year = 2024")
        whole = self.folder / "whole.gathered"
        self.succeed("gather", self.parquet, "--for", job, "--output", whole)
        answers = [json.loads(path.read_text().splitlines()[0])["answers"] for path in (*sums, whole)]
        for one, other, both in zip(*answers):
            self.assertEqual([a + b for a, b in zip(one["entries"], other["entries"])], both["entries"])
        # The same words over other types are another rule, and so are other words.
        text = _duckdb.parquet(self.folder / "text.parquet",
                               f"SELECT * REPLACE (year::VARCHAR AS year) FROM ({ROWS})")
        self.succeed("gather", text, "--for", job, "--output", sums[1], "--replace")
        error = self.refuse(2, "release", job, "--gathered", *sums, "--output", "-")
        self.assertIn("differ in table.query_rule", error)
        self.succeed("gather", pieces[1], "--for", job, "--output", sums[1], "--replace", "--query",
                     "select wage / 2 as half from rows where year >= 2024")
        error = self.refuse(2, "release", job, "--gathered", *sums, "--output", "-")
        self.assertIn("differ in table.query", error)

    def test_a_query_beside_a_table_is_of_its_rows(self):
        words = "mean", self.parquet, "--query", "select wage from rows where year = 2024", *MEAN
        self.assertEqual(self.truth(*words)["rows_used"], 200)
        database = self.folder / "people.db"
        with sqlite3.connect(database) as store:
            store.execute("CREATE TABLE people (wage)")
            store.executemany("INSERT INTO people VALUES (?)", [(i % 7,) for i in range(50)])
        store.close()
        words = "mean", database, "--query", "select wage from sqlite_scan('rows', 'people')", *MEAN
        self.assertEqual(self.truth(*words)["rows_used"], 50)
        self.assertIn("must read from rows", self.refuse(
            2, "release", "mean", self.parquet, "--query", f"select wage from '{self.csv}'", *MEAN))
        self.assertIn("none is given", self.refuse(2, "release", "mean", "--query", "select wage from rows", *MEAN))
        # A job file that has one, and a table beside it: no condition is ever left out.
        job = self.file({"budget": {"epsilon": 1, "delta": 1e-6}, "query": "select wage from 'people.parquet'",
                         "releases": [{"count": {}}]}, "jobs.json")
        self.assertIn("must read from rows", self.refuse(2, "release", job, "--table", self.csv, "--output", "-"))

    def test_what_would_be_done_is_told_without_a_row(self):
        shown = self.succeed("release", "mean", "--query", f"select wage, age from '{self.parquet}'", "--select", "wage",
                             "--bounds", "wage=0:70", "--explain")
        self.assertIn("From the query", shown)


if __name__ == "__main__":
    unittest.main()
