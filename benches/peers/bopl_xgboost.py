"""Rounds of BOPL-S-regr beside the same rounds with trees by XGBoost (hist and exact) and LightGBM, on the same log.

    cargo build --release -p benches --example fastest_bopl
    python benches/peers/bopl_xgboost.py target/release/examples/fastest_bopl [--rounds 5] [CASE ...]

A round is gradient, tree, values of the tree on all pairs, step and new scores. The peers are given the n·|A| rows
[x ; one-hot(a)] as float32, as they need them, and prepare them once; that is not in the seconds of a round, for
nobody. What counts of the peers is the tree with its values on all pairs alone: NumPy's softmax and step are printed
beside it and are not held against them. Each contender is a process of its own; its memory is its peak less what
Python, NumPy, the library and the log take before anything is prepared. They run one after another, and the median
round behind the first counts, the first one beside it.

XGBoost hist is given a QuantileDMatrix, which keeps bins only. Both its methods are timed twice: `hist` and `exact` at
their best, one booster of all rounds that keeps its sums on the training rows, so that no prediction walks a tree, which
works because a tree's values are the difference of two sums (in single precision); `hist-fit` and `exact-fit` as a base
learner that knows nothing of boosting is called, a booster of one tree a round with targets u/w and weights w on a DMatrix
that is made once, and its `predict` on all rows. `--without exact,exact-fit` leaves out the slowest. LightGBM gives up on a feature below a node where no
split on it gained anything, and at the root, where the gradients of an example sum to 0, no feature of x does: so its
gradients are disturbed by a millionth part, without which it finds trees on the actions alone. It allocates a histogram
for every leaf that a tree may have, so it may have twice as many as ours has.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from contenders import OURS, parser, program, say, show


def read(folder, case):
    head = json.loads(Path(folder, f"{case}.json").read_text())
    n, d = head["n"], head["d"]
    x = np.fromfile(Path(folder, f"{case}.x.f32"), dtype="<f4").reshape(n, d)
    a = np.fromfile(Path(folder, f"{case}.a.u32"), dtype="<u4").astype(np.int64)
    p, r = (np.fromfile(Path(folder, f"{case}.{name}.f64"), dtype="<f8") for name in "pr")
    return head, x, a, p, r


def expanded(x, actions):
    """Row i·|A| + a is [x_i ; one-hot(a)]."""
    n, d = x.shape
    rows = np.zeros((n, actions, d + actions), dtype=np.float32)
    rows[:, :, :d] = x[:, None, :]
    rows[:, np.arange(actions), d + np.arange(actions)] = 1.0
    return rows.reshape(n * actions, d + actions)


class XGBoost:
    def __init__(self, method, rows, head, threads):
        import xgboost
        matrix = xgboost.QuantileDMatrix if method == "hist" else xgboost.DMatrix
        self.data = matrix(rows, nthread=threads)
        self.parameters = {"tree_method": method, "max_depth": head["max_depth"], "nthread": threads, "eta": 1.0,
                           "min_child_weight": head["min_child_weight"], "lambda": 0.0, "base_score": 0.0,
                           "verbosity": 0}
        self.booster = xgboost.Booster(self.parameters, [self.data])
        self.trees, self.before = 0, 0.0

    def fit(self, u, w):
        self.booster.boost(self.data, self.trees, grad=-u, hess=w)
        self.trees += 1
        # The sum of all trees on the training rows, which XGBoost keeps; to walk the newest alone takes longer.
        after = self.booster.predict(self.data, output_margin=True)
        f, self.before = after - self.before, after
        return f


class XGBoostFit:
    def __init__(self, method, rows, head, threads):
        import xgboost
        self.train, self.data = xgboost.train, xgboost.DMatrix(rows, nthread=threads)
        self.parameters = {"tree_method": method, "max_depth": head["max_depth"], "nthread": threads, "eta": 1.0,
                           "min_child_weight": head["min_child_weight"], "lambda": 0.0, "base_score": 0.0,
                           "objective": "reg:squarederror", "verbosity": 0}

    def fit(self, u, w):
        self.data.set_info(label=u / w, weight=w)
        return self.train(self.parameters, self.data, num_boost_round=1).predict(self.data, output_margin=True)


class LightGBM:
    def __init__(self, rows, head, threads):
        import lightgbm
        parameters = {"max_depth": head["max_depth"], "num_leaves": 2 * head["leaves"], "min_sum_hessian_in_leaf":
                      head["min_child_weight"], "min_data_in_leaf": 1, "lambda_l2": 0.0, "learning_rate": 1.0,
                      "num_threads": threads, "verbosity": -1, "boost_from_average": False, "objective": "none"}
        data = lightgbm.Dataset(rows, params=parameters, free_raw_data=True)
        self.booster = lightgbm.Booster(parameters, data)
        self.before = 0.0
        self.rng = np.random.default_rng(1)

    def fit(self, u, w):
        u = u * (1.0 + 1e-6 * self.rng.standard_normal(len(u), dtype=np.float32))
        self.booster.update(fobj=lambda _preds, _data: (-u, w))
        # The sum of all trees on the training rows, which LightGBM keeps; the newest is the difference.
        after = self.booster._Booster__inner_predict(data_idx=0).copy()
        f, self.before = after - self.before, after
        return f


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def play(who, folder, case, rounds, threads, leaves):
    head, x, a, p, r = read(folder, case)
    head["leaves"] = leaves
    __import__("lightgbm" if who == "lightgbm" else "xgboost")
    before = peak()
    n, actions = len(a), head["actions"]
    v = (r + head["translation"]) / p
    sigma = np.where(v < 0, 0.5, 1.0)
    # Nobody's reward is 0 after the translation, or u/w were no number.
    w = np.repeat(np.abs(v) * sigma, actions)
    begun = time.perf_counter()
    rows = expanded(x, actions)
    del x
    method, _, fit = who.partition("-")
    learner = (LightGBM(rows, head, threads) if who == "lightgbm" else
               (XGBoostFit if fit else XGBoost)(method, rows, head, threads))
    del rows
    prepared = time.perf_counter() - begun
    scores = np.zeros((n, actions))
    rng = np.arange(n)
    seconds, cpus, around, objectives = [], [], [], []
    for _ in range(rounds):
        begun = time.perf_counter()
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        pi = e / e.sum(axis=1, keepdims=True)
        c = np.where(v < 0, v * pi[rng, a], v)
        u = -pi * c[:, None]
        u[rng, a] += c
        u32, w32 = u.ravel().astype(np.float32), w.astype(np.float32)
        cpu, fitting = time.process_time(), time.perf_counter()
        f = learner.fit(u32, w32)
        seconds.append(time.perf_counter() - fitting)
        cpus.append(time.process_time() - cpu)
        f = f.astype(np.float64).reshape(n, actions)
        # s = w in the paper's scaling of BOPL-S.
        alpha = (u * f).sum() / (w[::actions] * (f * f).sum(axis=1)).sum()
        scores += alpha * f
        around.append(time.perf_counter() - begun - seconds[-1])
        top = scores.max(axis=1)
        ln_pi = scores[rng, a] - top - np.log(np.exp(scores - top[:, None]).sum(axis=1))
        objectives.append(float(np.where(v < 0, -v * np.exp(ln_pi), -v * (ln_pi + 1.0)).mean()))
    print(json.dumps({"seconds": seconds, "cpu": cpus, "around": around, "objectives": objectives, "prepared": prepared,
                      "peak": peak() - before}))


CONTENDERS = {"ours": None, "hist": "XGBoost hist, at its best", "hist-fit": "XGBoost hist, as a base learner",
              "exact": "XGBoost exact, at its best", "exact-fit": "XGBoost exact, as a base learner",
              "lightgbm": "LightGBM"}


def measure(arguments, folder):
    rounds, threads = arguments.rounds, arguments.threads
    cases = subprocess.check_output([arguments.ours, "--data", folder, *arguments.cases], text=True).split()
    for case in cases:
        leaves = None
        for who, label in CONTENDERS.items():
            label, package = label or OURS, "lightgbm" if who == "lightgbm" else "xgboost"
            row = {"case": f"a round of BOPL-S-regr, {case}", "contender": label, "threads": threads, "unit": "s"}
            if who in arguments.without:
                continue
            if who != OURS and package in arguments.without:
                yield row | {"value": None, "note": f"{package} is missing"}
                continue
            one = program([arguments.ours, "--threads", threads, "--peer", rounds, case] if who == OURS else
                          [sys.executable, __file__, arguments.ours, case, "--rounds", rounds, "--threads", threads,
                           "--leaves", leaves, "--play", who, folder])
            leaves = leaves or max(one["leaves"], default=1000)
            later, cpu = (statistics.median(one[key][1:] or one[key]) for key in ("seconds", "cpu"))
            say(f"  {case}, {label}: {later:.3f} s a round, {cpu:.2f} CPU s")
            yield row | {"value": later, "quality": f"objective {one['objectives'][-1]:.5f} after {rounds} rounds",
                         "memory_mb": one["peak"] / 2**20, "prepared": one["prepared"], "first": one["seconds"][0],
                         "around": statistics.median(one.get("around", [0.0])), "cpu_seconds": cpu,
                         "note": f"prepared in {one['prepared']:.2f} s, "
                                 f"first round {one['seconds'][0]:.2f} s"}


def main():
    found = parser(__doc__, "ours")
    found.add_argument("cases", nargs="*")
    found.add_argument("--rounds", type=int, default=5)
    found.add_argument("--leaves", type=int, default=1000, help=argparse.SUPPRESS)
    found.add_argument("--play", nargs=2, metavar=("WHO", "FOLDER"), help=argparse.SUPPRESS)
    arguments = found.parse_intermixed_args()
    if arguments.play:
        play(*arguments.play, arguments.cases[0], arguments.rounds, arguments.threads, arguments.leaves)
        return
    with tempfile.TemporaryDirectory() as folder:
        show(measure(arguments, folder), arguments)


if __name__ == "__main__":
    main()
