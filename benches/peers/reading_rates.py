"""Rows a second of a log by `formats`, pandas, pyarrow and Vowpal Wabbit.

    cargo build --release -p benches --example reading_rates && cargo build --release -p ocoboost-cli
    python benches/peers/reading_rates.py target/release/examples/reading_rates target/release/ocoboost [--rows 500000]

The log is synthetic: 10 columns of numbers with four decimals, a label of 5 values, one of 1,000, an action of 10, its
propensity and a reward. It is written as CSV, CSV in gzip, JSON lines and Parquet, and by `ocoboost convert` as Vowpal
Wabbit's text. Ours ends with a log: labels coded, actions and propensities checked, SHA-256 of the file taken. pandas
and pyarrow end with a table whose labels are categories (pandas) or dictionaries (pyarrow). Vowpal Wabbit
parses line by line, `Workspace.parse`, and its Python calls count. The fastest of three readings counts. Everything runs in one thread.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "ARROW_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import pandas
import pyarrow
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from contenders import OURS, parser, say, show

LABELS = ["device", "place"]


def log(rows):
    rng = np.random.default_rng(1)
    columns = {f"x{j}": np.round(rng.normal(size=rows), 4) for j in range(10)}
    columns["device"] = np.array([f"device-{k}" for k in range(5)])[rng.integers(0, 5, rows)]
    columns["place"] = np.array([f"place {k}" for k in range(1000)])[rng.integers(0, 1000, rows)]
    columns["action"] = np.array([f"offer-{k}" for k in range(10)])[rng.integers(0, 10, rows)]
    columns["propensity"] = np.full(rows, 0.1)
    columns["reward"] = (rng.random(rows) < 0.1).astype(np.int64)
    return pandas.DataFrame(columns)


def fastest(read):
    found = []
    for _ in range(3):
        begun = time.perf_counter()
        read()
        found.append(time.perf_counter() - begun)
    return min(found)


def dictionaries(table):
    for name in [*LABELS, "action"]:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].dictionary_encode())
    return table


def vw(path):
    from vowpalwabbit import Workspace

    model = Workspace("--cb 10 --quiet")
    with open(path) as lines:
        for line in lines:
            model.finish_example(model.parse(line))


FILES = {"log.csv": "CSV", "log.csv.gz": "CSV, gzip", "log.jsonl": "JSON lines", "log.parquet": "Parquet",
         "log.vw": "Vowpal Wabbit's text"}


def measure(arguments, place):
    pyarrow.set_cpu_count(1)
    kinds, rows = {name: "category" for name in [*LABELS, "action"]}, 50_000 if arguments.quick else arguments.rows
    at = lambda name: str(Path(place, name))
    table = log(rows)
    table.to_csv(at("log.csv"), index=False)
    table.to_csv(at("log.csv.gz"), index=False)
    table.to_json(at("log.jsonl"), orient="records", lines=True)
    table.to_parquet(at("log.parquet"))
    subprocess.run([arguments.program, "convert", at("log.csv"), at("log.vw")], check=True, stdout=subprocess.DEVNULL)
    peers = {
        "log.csv": {"pandas": lambda: pandas.read_csv(at("log.csv"), dtype=kinds),
                    "pyarrow": lambda: dictionaries(pyarrow.csv.read_csv(at("log.csv")))},
        "log.csv.gz": {"pandas": lambda: pandas.read_csv(at("log.csv.gz"), dtype=kinds),
                       "pyarrow": lambda: dictionaries(pyarrow.csv.read_csv(at("log.csv.gz")))},
        "log.jsonl": {"pandas": lambda: pandas.read_json(at("log.jsonl"), lines=True).astype(kinds),
                      "pyarrow": lambda: dictionaries(pyarrow.json.read_json(at("log.jsonl")))},
        "log.parquet": {"pandas": lambda: pandas.read_parquet(at("log.parquet")).astype(kinds),
                        "pyarrow": lambda: dictionaries(
                            pyarrow.parquet.read_table(at("log.parquet"), use_threads=False))},
        "log.vw": {"Vowpal Wabbit": lambda: vw(at("log.vw"))},
    }
    for name, readers in peers.items():
        size = os.path.getsize(at(name)) / 1e6
        row = {"case": f"reading a log of {rows:,} rows, {FILES[name]}, {size:.0f} MB (synthetic)", "threads": 1,
               "unit": "rows/s"}
        answer = subprocess.run([arguments.reader, at(name)], check=True, capture_output=True, text=True).stdout
        yield row | {"contender": OURS, "value": rows / float(answer.split("\t")[2]), "quality": "a checked log"}
        for reader, read in readers.items():
            is_missing = reader == "Vowpal Wabbit" and "vowpalwabbit" in arguments.without
            say(f"  {name}, {reader}")
            yield row | {"contender": reader} | ({"value": None, "note": "vowpalwabbit is missing"} if is_missing else
                                                 {"value": rows / fastest(read), "quality":
                                                  "parsed lines" if reader == "Vowpal Wabbit" else "columns"})


def main():
    found = parser(__doc__, "reader", "program")
    found.add_argument("--rows", type=int, default=500_000)
    arguments = found.parse_args()
    with tempfile.TemporaryDirectory() as place:
        show(measure(arguments, place), arguments)


main()
