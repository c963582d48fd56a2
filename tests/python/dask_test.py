"""Tables on a cluster of Dask: a scheduler and three workers, each a process of its own, over TCP."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import modicum
from modicum import _core
from modicum.gathering import Pieces

try:
    import dask.array
    import dask.dataframe
    import pandas
    from distributed import Client
except ImportError:
    Client = None

BUDGET = {"epsilon": 1, "delta": 1e-6}


def sums_of(pieces, *, client=None, question):
    """All whole numbers, added up."""
    texts = [text for _, text in pieces._ask(client, question, pieces.names, {})]
    entries = [json.loads(text.splitlines()[0])["answers"][0]["entries"] for text in texts]
    return [sum(map(int, column)) for column in zip(*entries)]


def first_question(kind, rows, **options):
    """What a release asks of its rows first."""
    asked = []

    def ask(questions):
        tree = json.loads(questions)
        if tree["questions"]:
            asked.append(questions)
            raise InterruptedError
        return [("all", modicum.gathering.gather_part(rows, questions, 0, None, None, {}))]
    try:
        modicum.commands.run(f"release {kind}", _core.elsewhere(ask, 1, False), output="-", **options, **BUDGET)
    except InterruptedError:
        return asked[0]
    raise AssertionError("nothing was asked")


def slowed(part, folder):
    """The first worker that gets here tells who it is, and waits to be killed."""
    path = os.path.join(folder, "victim")
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return part
    time.sleep(60)
    return part


@unittest.skipIf(Client is None, "needs python3-distributed")
class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.folder = tempfile.mkdtemp(prefix="modicum-dask-")
        places = os.path.join(cls.folder, "scheduler.json")
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
                       "PYTHONPATH": os.pathsep.join([p for p in sys.path if p])}
        cls.processes = []
        cls.log = os.path.join(cls.folder, "log")

        def start(*words):
            with open(cls.log, "ab") as log:
                cls.processes.append(subprocess.Popen(
                    [sys.executable, "-m", *words, "--scheduler-file", places], env=environment, cwd=cls.folder,
                    stdout=subprocess.DEVNULL, stderr=log))
        start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for _ in range(3):
            start("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1",
                  "--no-dashboard", "--local-directory", cls.folder)
        cls.client = Client(scheduler_file=places, timeout=60)
        cls.client.wait_for_workers(3, timeout=60)
        generator = np.random.default_rng(3)
        age, hours = generator.uniform(18, 70, 900), generator.uniform(0, 80, 900)
        wage = 0.4 * age + 0.2 * hours + generator.uniform(-9, 9, 900)
        cls.rows = np.column_stack([age, hours, wage])
        cls.frame = pandas.DataFrame(cls.rows, columns=["age", "hours", "wage"])
        cls.frame["region"] = np.where(age > 40, "north", "south")

    @classmethod
    def tearDownClass(cls):
        import shutil
        cls.client.close()
        for process in cls.processes:
            process.terminate()
        for process in cls.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:  # now and then a worker of Dask does not end by itself
                process.kill()
                process.wait(10)
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_statistics_of_a_frame(self):
        people = dask.dataframe.from_pandas(self.frame, npartitions=5)
        found = modicum.release_mean(people, select="wage", bounds=(0, 60), by="region", categories=["north", "south"],
                                     client=self.client, **BUDGET)
        self.assertEqual(found.row_names, ["north", "south"])
        self.assertLess(np.abs(found.values[:, 0] - self.frame.groupby("region")["wage"].mean()).max(), 3)
        self.assertIn("in pieces", " ".join(found.certificate["assumptions"]))
        many = modicum.release_many(people, [{"count": {}}, {"quantile": {"select": "wage", "bounds": (0, 60)}}],
                                    client=self.client, **BUDGET)
        self.assertLess(abs(many.parts["count"].values[0, 0] - 900), 60)

    def test_estimators(self):
        people = dask.dataframe.from_pandas(self.frame, npartitions=3)
        ranges = {"age": (18, 70), "hours": (0, 80)}
        fit = modicum.PrivateLinearRegression(epsilon=5, delta=1e-6, ranges=ranges, target_range=(0, 60)).fit(
            people[["age", "hours"]], people["wage"])
        self.assertEqual(fit.coef_.shape, (2,))
        self.assertEqual(list(fit.feature_names_in_), ["age", "hours"])
        rows = dask.array.from_array(self.rows, chunks=(300, 2))
        scaler = modicum.PrivateStandardScaler(ranges=[(18, 70), (0, 80), (0, 60)], **BUDGET).fit(rows)
        self.assertEqual(scaler.mean_.shape, (3,))
        labels = dask.array.from_array(self.rows[:, 2] > 25, chunks=300)
        classifier = modicum.PrivateLogisticRegression(ranges=[(18, 70), (0, 80)], classes=[False, True],
                                                       **BUDGET).fit(rows[:, :2], labels)
        self.assertEqual(classifier.coef_.shape, (1, 2))
        with self.assertRaisesRegex(ValueError, "classes"):
            modicum.PrivateLogisticRegression(ranges=[(18, 70), (0, 80)], **BUDGET).fit(rows[:, :2], labels)

    def test_bad_cells_are_told_and_nothing_is_released(self):
        bad = self.rows.copy()
        bad[700, 1] = np.nan
        with self.assertRaisesRegex(ValueError, "not finite"):
            modicum.release("covariance", dask.array.from_array(bad, chunks=(300, 3)), row_norm_bound=100,
                            client=self.client, **BUDGET)

    def logged(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def test_no_cell_is_in_messages_or_logs(self):
        before = self.logged()
        frame = pandas.DataFrame({"name": ["Alice", "Bob", "Eve", "Zoe"], "wage": [4711.5, 22, 33, 44]})
        people = dask.dataframe.from_pandas(frame, npartitions=2)
        odd = Pieces.of(people).mapped(lambda part: part["name"].astype(int))  # raises, and quotes the cell
        classifier = modicum.PrivateLogisticRegression(classes=["Bob", "Eve"], ranges={"wage": (0, 60)}, **BUDGET)
        for message, release in (
                ("column 'name' has something else", lambda: modicum.release(
                    "covariance", people, range_of_all=(0, 10), client=self.client, **BUDGET)),
                ("not among `classes`", lambda: classifier.fit(people[["wage"]], people["name"])),
                ("partition 0 cannot be read as a table", lambda: odd._ask(self.client, "{}", None, {}))):
            with self.assertRaises(modicum.Error) as raised:
                release()
            self.assertIn(message, str(raised.exception))
            self.assertNotIn("Alice", str(raised.exception))
            self.assertIsNone(raised.exception.__context__)
        self.assertIn("Start worker", before)  # it is the log
        for words in "Alice", "4711", "Compute Failed":
            self.assertNotIn(words, self.logged()[len(before):])

    def test_errors_of_other_steps_are_not_quoted(self):
        path = os.path.join(self.folder, "people.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("wage\n" + "12\n" * 500 + "unknown-Mallory\n")
        options = dict(select="wage", bounds=(0, 60), **BUDGET)
        guessed = dask.dataframe.read_csv(path, sample=100)
        for client in self.client, None:
            with self.assertRaises(modicum.Error) as raised, dask.config.set(scheduler="synchronous"):
                modicum.release_mean(guessed, client=client, **options)
            self.assertIn("cannot be computed (ValueError)", str(raised.exception))
            self.assertNotIn("Mallory", str(raised.exception))
            self.assertIsNone(raised.exception.__context__)
        # As text every cell can be read, and what is no number is a malformed row.
        people = dask.dataframe.read_csv(path, dtype=str).persist()
        self.assertEqual(modicum.release_mean(people, client=self.client, **options).row_names, ["wage"])

    def test_a_worker_is_killed_and_the_sums_are_the_same(self):
        question = first_question("covariance", self.rows, row_norm_bound=100)
        expected = sums_of(Pieces.of(dask.array.from_array(self.rows, chunks=(900, 3))), question=question,
                           client=self.client)
        parts = Pieces.of(dask.array.from_array(self.rows, chunks=(100, 3)))
        folder = self.folder
        pieces = parts.mapped(lambda part: slowed(part, folder))
        found = []
        reader = threading.Thread(
            target=lambda: found.extend(sums_of(pieces, client=self.client, question=question)))
        reader.start()
        victim = os.path.join(folder, "victim")
        while not (os.path.exists(victim) and os.path.getsize(victim)):
            time.sleep(0.02)
        with open(victim, encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        reader.join(120)
        self.assertEqual(found, expected)
        self.assertEqual(len(expected), 6)


class Files(unittest.TestCase):
    def setUp(self):
        import tempfile
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rows = np.random.default_rng(1).uniform(-1, 1, (300, 3))

    def path(self, place):
        return os.path.join(self.folder, f"{place}.gathered")

    def test_pieces_in_memory(self):
        options = dict(range_of_all=(-1, 1), names=["a", "b", "c"], **BUDGET)
        for place in range(3):
            modicum.gather(self.rows[100 * place:100 * place + 100], "covariance", piece=str(place),
                           output=self.path(place), **options)
        self.assertEqual(os.stat(self.path(0)).st_mode & 0o777, 0o600)
        gathered = modicum.Gathered(self.path("*"), pieces=3)
        options.pop("names")
        self.assertEqual(modicum.release("covariance", gathered, **options).values.shape, (3, 3))
        same = modicum.release("covariance", gathered=[self.path(place) for place in range(3)], **options)
        self.assertEqual(same.row_names, ["a", "b", "c"])
        with self.assertRaisesRegex(ValueError, "has 3 pieces, but pieces says there are 4"):
            modicum.release("covariance", modicum.Gathered(self.path("*"), pieces=4), **options)

    def test_everyday_and_jobs(self):
        columns = {"x": self.rows[:, 0], "y": self.rows[:, 1]}
        modicum.gather(columns, "mean", select="x", bounds=(-1, 1), piece="a", output=self.path("mean"), **BUDGET)
        found = modicum.release_mean(gathered=self.path("mean"), select="x", bounds=(-1, 1), **BUDGET)
        self.assertEqual(found.row_names, ["x"])
        job = {"budget": BUDGET, "releases": [{"sum": {"select": ["y"], "bounds": {"y": (-1, 1)}}}]}
        modicum.gather(columns, job, piece="a", output=self.path("job"))
        whole = modicum.release_many(modicum.Gathered(self.path("job")),
                                     [{"sum": {"select": "y", "bounds": {"y": (-1, 1)}}}], **BUDGET)
        self.assertEqual(list(whole.parts), ["sum of y"])

    def test_rows_in_memory_need_a_name(self):
        with self.assertRaisesRegex(ValueError, "piece is missing"):
            modicum.gather(self.rows, "covariance", output=self.path(0), range_of_all=(-1, 1), **BUDGET)


if __name__ == "__main__":
    unittest.main()
