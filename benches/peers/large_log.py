"""A synthetic log of 10^7 rows in Parquet, evaluated and trained on by the program: seconds and memory.

    cargo build --release -p ocoboost-cli
    python benches/peers/large_log.py target/release/ocoboost [--rows 10000000] [--budget 60s]

Ten columns of single-precision numbers and a label of 20 values; one of 8 actions by lot, with propensity 1/8. The
reward of an action is 1 with a probability that depends on two columns and the label, and 0 otherwise.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

PART = 1_000_000


def part(rng, rows):
    x = rng.random((rows, 10), dtype=np.float32)
    label, action = rng.integers(0, 20, rows), rng.integers(0, 8, rows)
    best = (np.floor(x[:, 0] * 4) + 4 * (x[:, 1] > 0.5)).astype(np.int64)
    best = np.where(label < 5, (best + 1) % 8, best)
    reward = rng.random(rows) < np.where(action == best, 0.3, 0.1)
    names = np.array([f"group-{k}" for k in range(20)])
    columns = {f"x{j}": x[:, j] for j in range(10)}
    columns |= {"group": names[label], "action": np.array([f"a{k}" for k in range(8)])[action],
                "propensity": np.full(rows, 0.125), "reward": reward.astype(np.float64)}
    return pyarrow.table(columns)


def timed(command):
    """The seconds and the peak of a child; the largest so far, so the smaller job runs first."""
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1024 if sys.platform == "linux" else 1)
    print(f"{command[1]}: {time.perf_counter() - begun:.0f} s, {peak / 2**30:.1f} GiB, exit {done.returncode}")
    print(done.stdout, done.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--budget", default="60s")
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as place:
        log, model = str(Path(place, "log.parquet")), str(Path(place, "policy.ocob"))
        first = part(rng, min(PART, arguments.rows))
        with pyarrow.parquet.ParquetWriter(log, first.schema) as out:
            out.write_table(first)
            for done in range(PART, arguments.rows, PART):
                out.write_table(part(rng, min(PART, arguments.rows - done)))
        timed([arguments.program, "evaluate", "uniform", log, "--quiet"])
        timed([arguments.program, "train", log, "-o", model, "--budget", arguments.budget, "--quiet"])
        timed([arguments.program, "evaluate", model, log, "--quiet"])


main()
