"""Ten common mistakes with everyday statistics: each ends with an error or a warning that says what to do,
and what is said does not depend on the rows beyond what is released."""

import random
import unittest

from _support import CommandLineTest

# A warning that should come stays away in one of 2e7 runs at this confidence.
TARGET = ["--epsilon", 1, "--delta", "1e-6", "--confidence", 0.9999999, "--output", "-"]
WAGE = ["--select", "wage", "--bounds", "wage=0:60"]


def people(count=300, *, seed=5, separator=",", decimal=".", header="region,age,wage", end="", quoted=False):
    """Made-up rows. Noise of a count has a deviation of 8 at most here: 300 is beyond doubt."""
    source = random.Random(seed)
    lines = [header] if header else []
    for _ in range(count):
        fields = [source.choice(["north", "south"]), str(source.randint(18, 70)),
                  f"{source.uniform(8, 40):.2f}".replace(".", decimal)]
        lines.append(separator.join(f'"{field}"' if quoted else field for field in fields) + end)
    return "\n".join(lines) + "\n"


class MistakesTest(CommandLineTest):
    def both(self, text, *arguments):
        """The same run on the table and on one with another row, which says something else."""
        other = text + text.splitlines()[-1].replace("north", "Smith").replace("south", "Smith") + "\n"
        results = []
        for table in text, other:
            path = self.file(table, "people.csv")
            results.append(self.run_program("release", *arguments[:1], path, *arguments[1:], *TARGET, "--json"))
        first, second = results
        self.assertEqual((first.returncode, first.stderr), (second.returncode, second.stderr), arguments)
        for each in results:
            self.assertNotIn("Smith", each.stdout + each.stderr)
        return first

    def refused(self, code, words, text, *arguments):
        done = self.both(text, *arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def warned(self, words, text, *arguments):
        done = self.both(text, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in words:
            self.assertIn(word, done.stdout)

    def test_a_wrong_column(self):
        self.refused(2, ["'wages'", "must be a column of the table", "did you mean wage?"], people(),
                     "mean", "--select", "wages", "--bounds", "wages=0:60")
        self.refused(2, ["there are region, age, wage"], people(), "count", "--by", "xyzzy", "--categories", "a")

    def test_swapped_bounds(self):
        self.refused(2, ["60:", "must have its low end first"], people(), "mean", "--select", "wage", "--bounds",
                     "wage=60:0")

    def test_text_where_numbers_are(self):
        text = ["--select", "region", "--bounds", "region=0:60"]
        self.warned(["compatible with none"], people(), "mean", *text)
        self.warned(["compatible with"], people(), "sum", *text)
        for kind in "mean", "sum", "quantile":
            self.refused(2, ["the first row has no number in column", "region"], people(), kind, *text,
                         "--public-shape")

    def test_a_comma_at_the_end_of_each_row(self):
        self.warned(["compatible with none"], people(end=","), "mean", *WAGE)
        self.refused(2, ["the first row has 4 fields, but there are 3 columns"], people(end=","), "mean", *WAGE,
                     "--public-shape")
        self.refused(2, ["the header ends with a separator"], people(header="region,age,wage,", end=","),
                     "mean", *WAGE)

    def test_an_empty_file(self):
        path = self.file("", "people.csv")
        self.assertIn("is empty", self.refuse(4, "release", "mean", path, *WAGE, *TARGET))
        # without rows: what is told follows from what is released
        path = self.file("region,age,wage\n", "people.csv")
        self.assertIn("compatible with none", self.succeed("release", "mean", path, *WAGE, *TARGET))

    def test_a_category_that_is_not_listed(self):
        self.warned(["In 1 of 2 groups", "compatible with none"], people(), "count", "--by", "region",
                    "--categories", "north,West")
        self.refused(2, ["--categories or --edges must be given for the column region"], people(), "count",
                     "--by", "region")

    def test_no_header(self):
        self.refused(2, ["the first line may be data", "--no-header"], people(header=None), "mean", *WAGE)
        done = self.both(people(header=None), "mean", *WAGE, "--no-header", "--names", "region", "age", "wage")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("warnings", done.stdout)

    def test_semicolons(self):
        text = people(separator=";", header="region;age;wage")
        self.refused(2, ["the first line may be data", "--separator", "semicolons"], text, "mean", *WAGE)
        self.refused(2, ["--separator is a comma by default"], text, "mean", *WAGE, "--header")
        self.assertNotIn("warnings", self.both(text, "mean", *WAGE, "--separator", ";").stdout)

    def test_decimal_commas(self):
        text = people(separator=";", header="region;age;wage", decimal=",")
        self.warned(["compatible with none", "decimal"], text, "mean", *WAGE, "--separator", ";")
        for more in (["--decimal", "comma"], ["--decimal", "comma", "--separator", ";"]):
            done = self.both(text, "mean", *WAGE, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("warnings", done.stdout)

    def test_quoted_numbers_are_numbers(self):
        text = people(quoted=True, header='"region","age","wage"')
        self.assertNotIn("warnings", self.both(text, "mean", *WAGE).stdout)
        text = people(quoted=True, decimal=",")
        self.assertNotIn("warnings", self.both(text, "mean", *WAGE, "--decimal", "comma", "--separator", ",").stdout)

    def test_strict_stops_and_says_that_this_is_not_private(self):
        path = self.file(people(3) + "north,20,\n", "people.csv")
        message = self.refuse(4, "release", "mean", path, *WAGE, "--strict", *TARGET)
        self.assertIn("line 5, column wage: not a finite number", message)
        self.assertIn("not private", self.succeed("release", "mean", path, *WAGE, "--strict", "--explain"))


class ReadingTest(CommandLineTest):
    """What becomes of fields that are no plain numbers, by the truth that the holder of the data sees."""

    ROWS = ("smokes,born,region,size\n" + "yes,1990-02-03,north,1\n" * 3 + "No,1991-07-31,south,2\n" * 2 +
            "TRUE,1991-12-01,,3\n" + ",2000-01-01,NA,4\n" + "no,never,north,NA\n" + "maybe,1990-05-06, north ,6\n")

    def truth(self, *arguments):
        path = self.file(self.ROWS, "rows.csv")
        answer = self.answer("release", arguments[0], path, *arguments[1:], "--confidential", *TARGET)
        self.certificate, self.confidential = answer["certificate"], answer["confidential"]
        return {name[5:]: value for name, value in answer["confidential"].items() if name.startswith("true_")}

    def test_categories_and_missing_values(self):
        by = ["count", "--by", "region", "--categories"]
        self.assertEqual(self.truth(*by, "north,south,NA"), {"north": 5, "south": 2, "NA": 1})
        self.assertEqual(self.truth(*by, "north,south,missing", "--missing", "category"),
                         {"north": 5, "south": 2, "missing": 2})
        self.assertEqual(self.certificate["parameters"]["missing"], "category")
        self.assertEqual((self.confidential["rows_used"], self.confidential["rows_without_a_category"]), (9, 0))
        self.truth(*by, "north,south")
        self.assertEqual((self.confidential["rows_used"], self.confidential["rows_without_a_category"]), (8, 1))
        self.assertEqual(self.truth("count"), {"all": 9})

    def test_booleans(self):
        self.assertEqual(self.truth("count", "--by", "smokes", "--booleans", "smokes", "--categories", "true,false"),
                         {"true": 4, "false": 3})
        self.assertEqual(self.truth("count", "--by", "smokes", "--booleans", "smokes"), {"false": 3, "true": 4})
        share = self.truth("mean", "--select", "smokes", "--bounds", "smokes=0:1", "--booleans", "smokes")
        self.assertAlmostEqual(share["smokes"], 4 / 7, places=6)
        self.assertEqual(self.certificate["parameters"]["booleans"], ["smokes"])

    def test_dates(self):
        self.assertEqual(self.truth("count", "--by", "born", "--dates", "born=year", "--categories", "1990,1991"),
                         {"1990": 4, "1991": 3})
        self.assertEqual(self.truth("count", "--by", "born", "--dates", "born=month", "--categories",
                                    "1990-02,1991-07"), {"1990-02": 3, "1991-07": 2})
        self.assertEqual(self.truth("count", "--by", "born", "--dates", "born", "--edges", "1990,1990.2,2000"),
                         {"1990:1990.2": 3, "1990.2:2000": 5})
        self.assertEqual(self.certificate["parameters"]["dates"], ["born=years"])

    def test_an_explanation_reads_no_row(self):
        path = self.file("smokes,born,region,size\n", "rows.csv")
        arguments = ["release", "mean", path, "--select", "size", "--bounds", "size=0:9", "--by", "smokes", "born",
                     "--booleans", "smokes", "--dates", "born=quarter", "--categories", "smokes=true,false",
                     "born=1990-Q1,1990-Q2", "--missing", "category", "--explain"]
        without = self.succeed(*arguments)
        path.write_text(self.ROWS)
        self.assertEqual(without, self.succeed(*arguments))
        for words in ("true or false (also yes, no", "of a date, year-first, its quarter", "is \"missing\"",
                      "clamped to [0, 9]", "region  not used"):
            self.assertIn(words, without)

    def test_refuses_rules_that_fit_no_column(self):
        path = self.file(self.ROWS, "rows.csv")
        for rule, message in ((["--booleans", "smoke"], "did you mean smokes?"),
                              (["--dates", "born=century"], "must be one of: years, days"),
                              (["--dates", "birth"], "'birth'"),
                              (["--dates", "born=year", "born=month"], "--dates must name"),
                              (["--booleans", "born", "--dates", "born"], "declared already"),
                              (["--decimal", "dot"], "must be one of: point, comma")):
            self.assertIn(message, self.refuse(2, "release", "count", path, *rule, *TARGET), rule)
        self.assertIn("must not mean the same", self.refuse(
            2, "release", "count", path, "--by", "smokes", "--booleans", "smokes", "--categories", "yes,true", *TARGET))


if __name__ == "__main__":
    unittest.main()
