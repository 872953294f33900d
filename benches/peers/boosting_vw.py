"""The online boosters of classifiers beside Vowpal Wabbit's `--boosting`, 20 logistic learners each.

    cargo build --release -p benches --example fastest_classifiers
    python benches/peers/boosting_vw.py target/release/examples/fastest_classifiers

Both sides take turns, on the rows of benches/src/classification.rs, in one thread. Vowpal Wabbit is given examples that
are parsed; as on our side the fastest stretch of 100 rounds counts, and the progressive error is the fraction of wrong
votes on the first pass. A round is one call of `learn`, which votes first.
"""

import json
import math
import subprocess
import sys
import time

from contenders import OURS, parser, say, show
from rounds_numpy import uniform

EXAMPLES, STRETCH, PARSED, PASSES, TURNS = 20_000, 100, 1000, 6, 3
KINDS = {"dense-20": (20, 0, 0), "sparse-102": (6, 8, 12)}
METHODS = {"alone": "", "Online BBM": "--boosting 20 --gamma 0.1 --alg BBM", "logistic": "--boosting 20 --alg logistic",
           "AdaBoost.OL": "--boosting 20 --alg adaptive"}
STEPS = {"default steps": "", "plain SGD": "--sgd"}


def stream(numbers, attributes, categories):
    """Rows as ([index], [value]), and labels: see `Labelled::new`."""
    stored = numbers + attributes
    c = 2.0 * uniform(12, numbers + attributes * categories) - 1.0
    flips = uniform(13, EXAMPLES) < 0.1
    for u, flip in zip(uniform(11, EXAMPLES * stored).reshape(EXAMPLES, stored), flips):
        indices = [k if k < numbers else k + (k - numbers) * (categories - 1) + math.floor(u[k] * categories)
                   for k in range(stored)]
        values = [2.0 * u[k] - 1.0 if k < numbers else 1.0 for k in range(stored)]
        inner = sum(c[j] * x for j, x in zip(indices, values)) + 2.0 * values[0] * values[1]
        yield indices, values, -1 if (inner < 0.0) != flip else 1


def play(lines, options):
    """The error on all lines, and then the fastest 100 rounds on the first of them."""
    from vowpalwabbit import Workspace
    vw = Workspace(f"{options} --binary --loss_function logistic --noconstant --quiet")
    wrong = 0
    for label, line in lines:
        example = vw.parse(line)
        vw.learn(example)
        wrong += example.get_simplelabel_prediction() * label <= 0
        vw.finish_example(example)
    parsed = [vw.parse(line) for _, line in lines[:PARSED]]
    fastest, learn = math.inf, vw.learn
    for _ in range(PASSES):
        for start in range(0, PARSED, STRETCH):
            stretch = parsed[start:start + STRETCH]
            begin = time.perf_counter()
            for example in stretch:
                learn(example)
            fastest = min(fastest, time.perf_counter() - begin)
    for example in parsed:
        vw.finish_example(example)
    vw.finish()
    return STRETCH / fastest, wrong / len(lines)


def measure(arguments):
    streams = {name: [(y, f"{y} | " + " ".join(f"{j}:{x!r}" for j, x in zip(indices, map(float, values))))
                      for indices, values, y in stream(*kind)] for name, kind in KINDS.items()}
    best = {}
    for _ in range(1 if arguments.quick else TURNS):
        said = subprocess.check_output([arguments.ours, "--peer"], text=True).splitlines()
        runs = [{**json.loads(line), "contender": OURS} for line in said]
        for run in runs:
            if run["positives"] != sum(label > 0 for label, _ in streams[run["case"]]):
                sys.exit("the rows differ")
        for name, lines in {} if "vowpalwabbit" in arguments.without else streams.items():
            for method, boosting in METHODS.items():
                for step, options in STEPS.items():
                    rate, error = play(lines, f"{boosting} {options}")
                    say(f"  {name}, Vowpal Wabbit {method}, {step}: {rate:,.0f} rounds/s")
                    runs.append({"case": name, "method": method, "contender": f"Vowpal Wabbit, {step}",
                                 "rounds_per_second": rate, "error": error})
        for run in runs:
            key = run["case"], run["method"], run["contender"]
            if key not in best or run["rounds_per_second"] > best[key]["rounds_per_second"]:
                best[key] = run
    for case, method, run in [(case, method, run) for (case, method, who), run in best.items() if who == OURS]:
        # Algorithm 1 has no counterpart; it teaches every learner, as their BBM does.
        theirs = "Online BBM" if method == "Algorithm 1" else method
        if theirs not in METHODS:
            continue
        peers = [f"Vowpal Wabbit, {step}" for step in STEPS]
        found = [(peer, best.get((case, theirs, peer))) for peer in peers]
        beside = f", beside its {theirs}" if theirs != method else ""
        for who, run in [(OURS, run), *found]:
            row = {"case": f"online boosting, N = 20: {method}{beside}, {case} (synthetic)", "contender": who,
                   "threads": 1, "unit": "rounds/s"}
            yield row | ({"value": run["rounds_per_second"], "quality": f"{100 * run['error']:.1f}% wrong"} if run else
                         {"value": None, "note": "vowpalwabbit is missing"})


if __name__ == "__main__":
    arguments = parser(__doc__, "ours").parse_args()
    show(measure(arguments), arguments)
