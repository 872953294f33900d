"""Microseconds a decision of a trained policy by ocoboost, XGBoost, LightGBM and Vowpal Wabbit.

    cargo build --release -p benches --example fastest_predictions
    target/release/examples/fastest_predictions --models FOLDER
    python benches/peers/predictions.py target/release/examples/fastest_predictions FOLDER [CASE ...]

A decision is the scores of all actions of a context and the best of them. FOLDER has a policy for 7 actions, learnt from
the log of Covertype, and one for 1,000 actions, learnt from a synthetic log. Everything runs in one thread.

- *ensemble* and *compiled* are `PolicyEnsemble` and `CompiledEnsemble`, called from Rust.
- *XGBoost* has the same trees, as `ocoboost export --as xgboost` writes them, and sees a decision as |A| rows
  [x ; one-hot(a)] in single precision: a dense array for 7 actions, a compressed sparse matrix for 1,000. The rows are
  there before the clock starts. `inplace_predict` reads the array; `predict` reads a DMatrix, which is made anew for every
  call, for XGBoost remembers what it predicted for one; making it is timed apart.
- *LightGBM* has as many trees of as many leaves, fitted to XGBoost's answers on some decisions. It sees the same rows.
- *Vowpal Wabbit* has a linear model with all products of an action and a number (`--cb_adf -q sa`, whose cost does not
  depend on the weights). Its examples are parsed before the clock starts; parsing is timed apart.

The peers are called from Python. *call* is such a call of a model of one tree with one question (Vowpal Wabbit: one action
and no number) for one row: about what the interpreter and the checks of the arguments cost. Single
decisions are different rows each. Times are processor time, so that other programs on the machine do not count; only
single decisions of ours are by the clock.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import lightgbm
import numpy as np
import scipy.sparse
import vowpalwabbit
import xgboost

ACTIONS = {"covertype": 7, "thousand": 1000}
LEAST_SECONDS = 0.4
MOST_CALLS = 2000
# The pairs of a batch that a peer is asked for; larger ones are left out.
MOST_PAIRS = 1_000_000


def pairs(x, actions):
    """[x ; one-hot(a)] of every row and action."""
    n, m = x.shape
    if actions <= 100:
        return np.hstack([np.repeat(x, actions, axis=0), np.tile(np.eye(actions, dtype=np.float32), (n, 1))])
    columns = np.empty((n, actions, m + 1), dtype=np.int32)
    columns[:, :, :m] = np.arange(m)
    columns[:, :, m] = m + np.arange(actions)
    values = np.ones((n, actions, m + 1), dtype=np.float32)
    values[:, :, :m] = x[:, None, :]
    offsets = np.arange(n * actions + 1, dtype=np.int32) * (m + 1)
    return scipy.sparse.csr_matrix((values.ravel(), columns.ravel(), offsets), shape=(n * actions, m + actions))


def single(decide, inputs):
    """Median and 99th percentile of the processor time of these decisions, one by one."""
    for one in inputs[:20]:
        decide(one)
    times = []
    for one in inputs:
        begun = time.process_time()
        decide(one)
        times.append(time.process_time() - begun)
    return statistics.median(times), float(np.percentile(times, 99))


def processor_time(work, prepare=lambda: None):
    """Seconds of the processor, the mean of enough calls; what is prepared for each is not timed."""
    spent, calls = 0.0, 0
    while spent < LEAST_SECONDS and calls < MOST_CALLS:
        prepared = prepare()
        begun = time.process_time()
        work(prepared)
        spent += time.process_time() - begun
        calls += 1
    return spent / calls


def best_of(scores, actions):
    return np.asarray(scores).reshape(-1, actions).argmax(axis=1)


class Ours:
    def __init__(self, program, folder, case):
        self.command = [program, "--rows", folder, case]

    def run(self):
        return json.loads(subprocess.run(self.command, check=True, capture_output=True, text=True).stdout)


class XGBoost:
    def __init__(self, path, actions):
        self.model = xgboost.Booster({"nthread": 1}, model_file=path)
        self.model.set_param({"nthread": 1})
        self.actions = actions
        x = np.zeros((4, 2), dtype=np.float32)
        x[2:] = 1
        matrix = xgboost.DMatrix(x, label=x[:, 0], nthread=1)
        self.trivial = xgboost.train({"max_depth": 1, "nthread": 1, "min_child_weight": 0}, matrix, 1)

    def call(self):
        x = np.zeros((1, 2), dtype=np.float32)
        return single(lambda _: self.trivial.inplace_predict(x), range(2000))

    def decide(self, rows):
        return best_of(self.model.inplace_predict(rows), self.actions)

    def decide_matrix(self, matrix):
        return best_of(self.model.predict(matrix), self.actions)

    def matrix(self, rows):
        return xgboost.DMatrix(rows, nthread=1)


class LightGBM:
    def __init__(self, rows, targets, trees, leaves, actions):
        settings = {"objective": "regression", "num_leaves": leaves, "min_data_in_leaf": 1, "num_threads": 1,
                    "min_sum_hessian_in_leaf": 0.0, "verbose": -1, "learning_rate": 0.1}
        self.model = lightgbm.train(settings, lightgbm.Dataset(rows, targets), trees)
        self.actions = actions
        found = self.model.dump_model()["tree_info"]
        self.size = len(found), sum(tree["num_leaves"] for tree in found)
        x = np.zeros((8, 2))
        x[4:] = 1
        trivial = settings | {"num_leaves": 2, "min_data_in_bin": 1}
        self.trivial = lightgbm.train(trivial, lightgbm.Dataset(x, x[:, 0]), 1)

    def call(self):
        x = np.zeros((1, 2), dtype=np.float32)
        return single(lambda _: self.trivial.predict(x, num_threads=1), range(2000))

    def decide(self, rows):
        return best_of(self.model.predict(rows, num_threads=1), self.actions)


class VowpalWabbit:
    def __init__(self, actions):
        self.model = vowpalwabbit.Workspace("--cb_adf -q sa --noconstant -b 22 --quiet -t")
        self.lines = [f"|a {a}" for a in range(actions)]

    def parse(self, x):
        shared = "shared |s " + " ".join(f"{j}:{v:g}" for j, v in enumerate(x) if v != 0.0)
        return self.model.parse([shared, *self.lines])

    def decide(self, example):
        scores = self.model.predict(example)
        return min(range(len(scores)), key=scores.__getitem__)

    def single(self, x):
        """One by one; parsing apart, and the end of an example untimed."""
        times, parsing = [], []
        for row in x:
            begun = time.process_time()
            example = self.parse(row)
            parsed = time.process_time()
            self.decide(example)
            times.append(time.process_time() - parsed)
            parsing.append(parsed - begun)
            self.model.finish_example(example)
        return (statistics.median(times), float(np.percentile(times, 99))), statistics.median(parsing)

    def batch(self, x):
        spent = 0.0
        for row in x:
            example = self.parse(row)
            begun = time.process_time()
            self.decide(example)
            spent += time.process_time() - begun
            self.model.finish_example(example)
        return spent

    def call(self):
        lines, self.lines = self.lines, ["|a 0"]
        found = self.single(np.zeros((2000, 1)))[0]
        self.lines = lines
        return found


def measure(program, folder, case):
    actions = ACTIONS[case]
    x = np.fromfile(Path(folder, f"{case}.f32"), dtype=np.float32)
    ours = Ours(program, folder, case)
    first = ours.run()
    booster = XGBoost(str(Path(folder, f"{case}.json")), actions)
    x = x.reshape(-1, booster.model.num_features() - actions)
    trees, leaves = first["trees"], first["leaves"]

    checked = min(len(first["choices"]), MOST_PAIRS // actions // 20)
    rows = pairs(x[:checked], actions)
    scores = booster.model.inplace_predict(rows)
    same = np.mean(best_of(scores, actions) == np.array(first["choices"][:checked]))
    light = LightGBM(rows, scores, trees, max(2, round(leaves / trees)), actions)
    vw = VowpalWabbit(actions)
    print(f"{case}: {actions} actions, {x.shape[1]} numbers; {trees} trees, {leaves} leaves, compiled in "
          f"{first['compiling'] * 1e3:.1f} ms; XGBoost chooses the same action in {same:.2%} of {checked} rows; LightGBM: "
          f"{light.size[0]} trees, {light.size[1]} leaves\n")

    count = 2000 if actions < 100 else 300
    ones = [pairs(row[None, :], actions) for row in x[:count]]
    sizes = [size for size in (1, 100, 10_000) if size * actions <= MOST_PAIRS]
    batches = {size: pairs(x[:size], actions) for size in sizes}

    def batch(decide, prepare=None):
        made = lambda size: batches[size] if prepare is None else prepare(batches[size])
        return {size: processor_time(decide, lambda: made(size)) for size in sizes}

    lines = []
    for name in ("ensemble", "compiled"):
        own = first[name]
        lines.append((name, (own["median"], own["p99"]), None, {size: size * seconds for size, seconds in zip((1, 100, 10_000), own["batches"])}))
    lines.append(("XGBoost, inplace_predict", single(booster.decide, ones), booster.call(), batch(booster.decide)))
    matrices = [booster.matrix(one) for one in ones[:300]]
    lines.append(("XGBoost, predict on a DMatrix", single(booster.decide_matrix, matrices), None,
                  batch(booster.decide_matrix, booster.matrix)))
    making = {size: processor_time(lambda _: booster.matrix(batches[size])) for size in sizes}
    lines.append(("  making the DMatrix", single(booster.matrix, ones[:300]), None, making))
    lines.append(("LightGBM, predict", single(light.decide, ones), light.call(), batch(light.decide)))
    of_one, parsing = vw.single(x[:count])
    found = {size: vw.batch(x[:size]) for size in sizes}
    lines.append(("Vowpal Wabbit, predict", of_one, vw.call(), found))
    lines.append(("  parsing", (parsing, float("nan")), None, {}))

    print("| contender | one decision, median µs | 99th percentile µs | an empty call µs | "
          + " | ".join(f"{size:,} at a time, µs a decision" for size in (1, 100, 10_000)) + " |")
    print("|---|" + "--:|" * 6)
    for name, (median, p99), call, found in lines:
        cells = [f"{1e6 * median:.2f}", "" if np.isnan(p99) else f"{1e6 * p99:.2f}", f"{1e6 * call[0]:.1f}" if call else ""]
        cells += [f"{1e6 * found[size] / size:.2f}" if size in found else "" for size in (1, 100, 10_000)]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*", default=list(ACTIONS))
    arguments = parser.parse_args()
    for case in arguments.cases or ACTIONS:
        measure(arguments.program, arguments.folder, case)
    print(f"XGBoost {xgboost.__version__}, LightGBM {lightgbm.__version__}, Vowpal Wabbit {vowpalwabbit.__version__}",
          file=sys.stderr)


main()
