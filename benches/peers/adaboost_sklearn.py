"""AdaBoost over stumps beside scikit-learn's AdaBoostClassifier and the crate miniboosts, on the same examples.

    cargo build --release -p benches --example fastest_boosting
    cargo build --release --manifest-path benches/peers/miniboosts/Cargo.toml
    python benches/peers/adaboost_sklearn.py target/release/examples/fastest_boosting \
        benches/peers/miniboosts/target/release/boosting-miniboosts

The three take turns, and the fastest run of each counts: seconds of a round are those of a whole run by its rounds.
What is done once is not in them: miniboosts' binning and ours, which is printed;
scikit-learn has nothing to prepare. One thread each, unless the environment says otherwise.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

ROUNDS = {"made-up-10000-20": 100, "made-up-100000-50": 20, "adult": 20}
TURNS = 3


def sklearn(rounds, file):
    numbers = np.fromfile(file, dtype="<f8")
    n, d = int(numbers[0]), int(numbers[1])
    rows, labels = numbers[2:2 + n * d].reshape(n, d), numbers[2 + n * d:]
    # The trees work in float32: given that, they need not convert.
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    booster = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)
    start = time.perf_counter()
    booster.fit(rows, labels)
    seconds = time.perf_counter() - start
    done = len(booster.estimators_)
    return {"seconds": seconds / done, "error": 1.0 - booster.score(rows, labels), "rounds": done}


def main(ours, miniboosts):
    threads = {"RAYON_NUM_THREADS": os.environ.get("RAYON_NUM_THREADS", "1")}
    environment = {**os.environ, **threads}

    def program(*command):
        return json.loads(subprocess.check_output(command, text=True, env=environment))

    with tempfile.TemporaryDirectory() as folder:
        names = subprocess.check_output([ours, "--data", folder], text=True).split()
        print(f"scikit-learn {version('scikit-learn')}, miniboosts 0.5.2, {threads['RAYON_NUM_THREADS']} threads", flush=True)
        for name in names:
            file, rounds = str(Path(folder, f"{name}.f64")), ROUNDS[name]
            contenders = {
                "ours": lambda: program(ours, "--threads", threads["RAYON_NUM_THREADS"], "--peer", str(rounds), name),
                "scikit-learn": lambda: sklearn(rounds, file),
                "miniboosts": lambda: program(miniboosts, str(rounds), file),
            }
            best = {}
            for _ in range(TURNS):
                for who, play in contenders.items():
                    result = play()
                    if who not in best or result["seconds"] < best[who]["seconds"]:
                        best[who] = result
            for who, result in best.items():
                ratio = result["seconds"] / best["ours"]["seconds"]
                print(f"| {name} | {who} | {result['rounds']} | {1e3 * result['seconds']:.3f} | {ratio:.0f} | "
                      f"{100 * result['error']:.2f}% |", flush=True)
            print(f"binning, once: {1e3 * best['ours']['binning']:.0f} ms", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
