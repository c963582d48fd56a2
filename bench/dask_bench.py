"""What it costs to gather on a cluster of Dask, beside one process: time, and bytes a pass.

    PYTHONPATH=build/python/python python3 bench/dask_bench.py [ROWS]
"""

import os
import subprocess
import sys
import tempfile
import time

import dask.array
import numpy as np
from distributed import Client

import modicum
from modicum.gathering import Pieces

BUDGET = {"epsilon": 1, "delta": 1e-6}
FEATURES = 10


def timed(work, times=3):
    """The least of some, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def cluster(workers, folder):
    places = os.path.join(folder, f"scheduler-{workers}.json")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    words = [("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
    words += [("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1",
               "--no-dashboard", "--local-directory", folder)] * workers
    processes = [subprocess.Popen([sys.executable, "-m", *each, "--scheduler-file", places], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for each in words]
    client = Client(scheduler_file=places, timeout=60)
    client.wait_for_workers(workers, timeout=60)
    return client, processes


def main(rows):
    generator = np.random.default_rng(1)
    table = generator.uniform(-1, 1, (rows, FEATURES + 1))
    table[:, -1] = (table[:, :-1].sum(axis=1) + generator.normal(size=rows) > 0) * 2.0 - 1.0
    names = [f"x{place}" for place in range(FEATURES)] + ["y"]
    ranges = {name: (-1, 1) for name in names[:-1]}
    questions = {
        "moments (one pass)": ("covariance", {"range_of_all": (-1, 1)}),
        "logistic regression": ("logistic", {"target": "y", "range": ranges, "method": "objective"}),
    }

    def released(kind, source, **options):
        return modicum.release(kind, source, names=names, **options, **BUDGET)
    for what, (kind, options) in questions.items():
        print(f"{what}: one process {timed(lambda: released(kind, table, threads=1, **options)):.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        for workers in 1, 2:
            client, processes = cluster(workers, folder)
            spread = dask.array.from_array(table, chunks=(rows // 4, FEATURES + 1)).persist()
            for what, (kind, options) in questions.items():
                pieces = Pieces.of(spread, names)
                seconds = timed(lambda: released(kind, pieces, client=client, **options))
                print(f"{what}: {workers} workers {seconds:.3f} s; a pass takes {pieces.sent // pieces.passes} bytes "
                      f"to 4 pieces and {pieces.received // pieces.passes} back; {pieces.passes // 3} passes")
            client.close()
            for process in processes:
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
