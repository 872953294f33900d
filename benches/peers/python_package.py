"""What a call costs from Python, beside the same call in Rust.

    cargo build --release -p benches --example python_calls
    pip install WHEEL && python benches/peers/python_package.py target/release/examples/python_calls

The package is built in release. `fit` is a training of two candidates and 60 rounds on a made-up log (synthetic) of
100,000 rows and 20 columns, with no limit of time: both sides do the same work to the bit. They take turns, each in a
process of its own, and the fastest of each counts. `predict_one` and `learn_one` are the fastest of 300 passes over
200 made-up rows (synthetic) that are in memory, with 8 numbers, a text and a missing value, or 20 numbers.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from contenders import OURS, parser, program, say, show

INPUTS, ACTIONS, CANDIDATES, ROUNDS = 20, 5, 2, 60
ROWS, PASSES = 200, 300


def make_log(folder, n):
    import numpy as np

    rng = np.random.default_rng(1)
    x, action = rng.random((n, INPUTS)), rng.integers(ACTIONS, size=n)
    reward = ((x[:, 0] * ACTIONS).astype(int) == action) * 0.5 + 0.5 * rng.random(n)
    for name, column in {"x.f64": x, "a.u32": action.astype("<u4"), "r.f64": reward, "p.f64": np.full(n, 1 / ACTIONS)}.items():
        column.tofile(Path(folder, name))


def fit(folder, threads):
    """A training, and the models that the decisions are asked of."""
    import numpy as np
    from ocoboost.offpolicy import PolicyBooster

    at = lambda name, kind: np.fromfile(Path(folder, name), dtype=kind)
    x, action, reward, pscore = at("x.f64", "<f8").reshape(-1, INPUTS), at("a.u32", "<u4"), at("r.f64", "<f8"), at("p.f64", "<f8")
    policy = PolicyBooster(time_budget=None, n_candidates=CANDIDATES, n_estimators=ROUNDS, n_jobs=threads)
    begun = time.perf_counter()
    policy.fit(x, action, reward, pscore)
    seconds = time.perf_counter() - begun
    spent = sum(policy.policy_.seconds)
    policy.save(Path(folder, "policy.ocob"))
    total = float(np.sum(policy.decision_function(x)))
    print(json.dumps({"seconds": seconds, "beside": seconds - spent, "sum_of_scores": total}))


def number(i, j):
    return (37 * i + 101 * j + 7 * i * j) % 1000 / 1000.0


def fastest(rows, decide):
    least = float("inf")
    for _ in range(PASSES):
        begun = time.perf_counter()
        for row in rows:
            decide(row)
        least = min(least, time.perf_counter() - begun)
    return least * 1e9 / len(rows)


def policy(path):
    import numpy as np
    from ocoboost.offpolicy import PolicyBooster

    model = PolicyBooster.load(path)
    numbers = [[number(i, j) for j in range(INPUTS)] for i in range(ROWS)]
    cells = [{f"x{j}": x for j, x in enumerate(row)} for row in numbers]
    found = {"list": fastest(numbers, model.predict_one), "array": fastest(list(np.array(numbers)), model.predict_one),
             "cells": fastest(cells, model.predict_one)}
    print(json.dumps({**found, "decided": "".join(model.predict_one(row) for row in numbers)}))


def stream_rows():
    for i in range(ROWS):
        yield {**{f"x{j}": number(i, j) for j in range(8)}, "colour": ("red", "green", "blue")[i % 3], "none": None}


def learn_stream(path):
    from ocoboost.online import OnlineBoostingClassifier

    model = OnlineBoostingClassifier()
    for i, row in enumerate(stream_rows()):
        model.learn_one(row, "yes" if number(i, 0) > 0.5 else "no")
    model.save(path)
    print(json.dumps({"rounds": ROWS}))


def stream(path):
    from ocoboost.online import OnlineBoostingClassifier

    model, rows = OnlineBoostingClassifier.load(path), list(stream_rows())
    said = "".join(str(model._classes.index(model.predict_one(row))) for row in rows)
    predict = fastest(rows, model.predict_one)
    pairs = [(row, "yes" if number(i, 0) > 0.5 else "no") for i, row in enumerate(rows)]
    learn = fastest(pairs, lambda pair: model.learn_one(*pair))
    # The call of the lambda is none of the package's.
    learn -= fastest(pairs, lambda pair: None)
    print(json.dumps({"predict": predict, "learn": learn, "decided": said}))


def measure(arguments):
    here, threads = [sys.executable, __file__, "-", "--threads", arguments.threads, "--play"], arguments.threads
    n, turns = (20_000, 1) if arguments.quick else (100_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        make_log(folder, n)
        best = {}

        def keep(key, run, of):
            best[key] = {**best.get(key, {}), **{name: min(run[name], best.get(key, run)[name]) for name in of}}
            return run

        for turn in range(turns):
            python = keep("fit python", program([*here, "fit", folder]), ("seconds", "beside"))
            rust = keep("fit rust", program([arguments.calls, "fit", folder, INPUTS, ACTIONS, CANDIDATES, ROUNDS, threads]), ("seconds",))
            say(f"  fit: Rust {rust['seconds']:.3f} s, Python {python['seconds']:.3f} s, of which {1e3 * python['beside']:.1f} ms outside the job")
            if abs(python["sum_of_scores"] - rust["sum_of_scores"]) > 1e-9 * abs(rust["sum_of_scores"]):
                sys.exit("the trainings differ")
        model, learner = Path(folder, "policy.ocob"), Path(folder, "stream.ocob")
        program([*here, "learn_stream", learner])
        for turn in range(1 if arguments.quick else 5):
            for kind, path in (("policy", model), ("stream", learner)):
                rust, python = program([arguments.calls, kind, path]), program([*here, kind, path])
                if rust["decided"] != python["decided"]:
                    sys.exit(f"the decisions of the {kind} differ")
                for side, run in (("rust", rust), ("python", python)):
                    keep(f"{kind} {side}", run, [name for name in run if isinstance(run[name], float) and name not in ("memory_mb", "cpu_seconds")])
    row = lambda case, who, value, unit, note="": {"case": case, "contender": who, "threads": threads if unit == "s" else 1, "value": value,
                                                  "unit": unit, "note": note}
    case = f"fit of a policy from Python, {n:,} × {INPUTS} (synthetic)"
    seconds, rust = best["fit python"]["seconds"], best["fit rust"]["seconds"]
    yield row(case, OURS, seconds, "s", f"{1e3 * best['fit python']['beside']:.1f} ms outside the job, {100 * best['fit python']['beside'] / seconds:.2f}%")
    yield row(case, "the same in Rust", rust, "s")
    calls = [("policy.predict_one of a list of 20", "policy", "list", "numbers"), ("policy.predict_one of an array of 20", "policy", "array", "numbers"),
             ("policy.predict_one of a dict of 20", "policy", "cells", "cells"), ("online predict_one of a dict of 10", "stream", "predict", "predict"),
             ("online learn_one of a dict of 10", "stream", "learn", "learn")]
    for case, kind, own, theirs in calls:
        python, rust = best[f"{kind} python"][own], best[f"{kind} rust"][theirs]
        yield row(case, OURS, 1e9 / python, "calls/s", f"{(python - rust) / 1e3:.2f} µs above Rust")
        yield row(case, "the same in Rust", 1e9 / rust, "calls/s")


def main():
    found = parser(__doc__, "calls")
    found.add_argument("--play", nargs=2, metavar=("CALL", "PATH"))
    arguments = found.parse_args()
    if arguments.play:
        call, path = arguments.play
        fit(path, arguments.threads) if call == "fit" else {"policy": policy, "stream": stream, "learn_stream": learn_stream}[call](path)
        return
    show(measure(arguments), arguments)


if __name__ == "__main__":
    main()
