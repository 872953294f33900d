"""AdaBoost over stumps beside scikit-learn's AdaBoostClassifier and the crate miniboosts, on the same examples.

    cargo build --release -p benches --example fastest_boosting
    cargo build --release --manifest-path benches/peers/miniboosts/Cargo.toml
    python benches/peers/adaboost_sklearn.py target/release/examples/fastest_boosting \
        benches/peers/miniboosts/target/release/boosting-miniboosts

The three take turns, and the fastest run of each counts: seconds of a round are those of a whole run by its rounds.
What is done once is not in them: miniboosts' binning and ours, which is printed;
scikit-learn has nothing to prepare. One thread each; memory is the peak of the process, its reading included.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contenders import OURS, parser, program, say, show

# The name in the table, and the rounds.
CASES = {"made-up-10000-20": ("10,000 × 20 (synthetic)", 100),
         "made-up-100000-50": ("100,000 × 50 (synthetic)", 20), "adult": ("adult, 48,842 × 105", 20)}
TURNS = 3


def sklearn(rounds, file):
    import numpy as np
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier
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


def measure(arguments, folder):
    environment = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in subprocess.check_output([arguments.ours, "--data", folder], text=True).split():
        case, rounds = CASES[name]
        file = Path(folder, f"{name}.f64")
        contenders = {
            OURS: [arguments.ours, "--threads", 1, "--peer", rounds, name],
            "scikit-learn": [sys.executable, __file__, "-", "-", "--play", rounds, file],
            "miniboosts": [arguments.miniboosts, rounds, file],
        }
        best = {}
        for _ in range(1 if arguments.quick else TURNS):
            for who, command in contenders.items():
                if who not in arguments.without:
                    found = program(command, **environment)
                    if who not in best or found["seconds"] < best[who]["seconds"]:
                        best[who] = found
        for who in contenders:
            row = {"case": f"a round of AdaBoost over stumps, {case}", "contender": who, "threads": 1, "unit": "ms"}
            if who not in best:
                yield row | {"value": None, "note": f"{who} is missing"}
                continue
            one = best[who]
            say(f"  {name}, {who}: {1e3 * one['seconds']:.3f} ms a round")
            binning = f"; binned in {1e3 * one['binning']:.0f} ms" if "binning" in one else ""
            yield row | {"value": 1e3 * one["seconds"], "memory_mb": one["memory_mb"],
                         "quality": f"{100 * one['error']:.2f}% wrong after {one['rounds']} rounds{binning}"}


def main():
    found = parser(__doc__, "ours", "miniboosts")
    found.add_argument("--play", nargs=2, metavar=("ROUNDS", "FILE"), help=argparse.SUPPRESS)
    arguments = found.parse_args()
    if arguments.play:
        print(json.dumps(sklearn(int(arguments.play[0]), arguments.play[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        show(measure(arguments, folder), arguments)


if __name__ == "__main__":
    main()
