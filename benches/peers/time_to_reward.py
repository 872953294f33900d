"""Seconds to a reward on the test rows of Covertype: our BOPL-S-regr, the paper's with XGBoost, and second-order peers.

    cargo build --release -p benches --example time_to_reward
    cargo build --release -p experiments --example decision_logs
    python benches/peers/time_to_reward.py target/release/examples/decision_logs target/release/examples/time_to_reward

The log and the test rows are those of trial 0 of docs/results/bopl. The reward is the paper's for BOPL-S-regr, .9531.
Seconds are those of preparing (binning, expanding, matrices) and of the rounds; files are read before, and the test
rows are predicted between the rounds, outside the time. Every contender is a process of its own.

- `second order`: our `Step::SecondOrder`. Its peers are one booster of XGBoost (hist) and one of LightGBM that get the
  gradients and Hessians |c_i|π_a(1 − π_a) of all n·|A| rows [x ; one-hot(a)] as a custom objective, with the same depth,
  least weight, λ and rate. They keep their sums on the training rows, so that no prediction walks a tree.
- `paper's settings`: BOPL-S-regr as in [L23, Table 5], over our trees, and over boosters of one tree of XGBoost that are
  fitted to the targets u/w with weights w and asked for their values on all pairs: `hist` and `exact`.

A run of the paper's method that would take longer than `--most` seconds ends after a few rounds. Its time is then its
first round, and its median later one for all other rounds that ours needed with the same settings; the row says so. A
run of the second order ends after `--most` seconds; its row has that time as a lower bound, and says how far it came. LightGBM gives up on a feature below a node
where no split on it gained anything, and at the root, where the gradients of a row sum to 0, no feature of x does: its
gradients are disturbed by a millionth part. It has the 4,096 leaves of a tree with the most gain: it keeps a
histogram for every leaf and looks through all leaves for every split, which the 100,000 leaves of ours make slow.
"""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contenders import OURS, parser, program, say, show

NAME, REWARD, TRANSLATION = "covertype", 0.9531, -0.4
CASE = "to reward .9531 on Covertype"
SECOND_ORDER = {"max_depth": 60, "min_child_weight": 1.0, "lambda": 1.0, "eta": 0.3}
PAPER = {"max_depth": 25, "min_child_weight": 200.0, "lambda": 0.0, "eta": 1.0}
# The least 1 − π in a Hessian, as in ours.
LEAST = 1e-6
# (settings, contender): the package it needs.
PEERS = {("second order", "XGBoost hist"): "xgboost", ("second order", "LightGBM"): "lightgbm",
         ("paper's settings", "XGBoost hist"): "xgboost", ("paper's settings", "XGBoost exact"): "xgboost"}
# Rounds of a run that would take too long.
FEW = {"XGBoost hist": 6, "XGBoost exact": 3}
LEAVES = 4096


class SecondOrderXGBoost:
    def __init__(self, rows, threads):
        import xgboost
        self.data = xgboost.QuantileDMatrix(rows, nthread=threads)
        self.booster = xgboost.Booster({**SECOND_ORDER, "tree_method": "hist", "nthread": threads, "base_score": 0.0,
                                        "verbosity": 0}, [self.data])
        self.rounds = 0

    def see_test(self, rows, threads):
        import xgboost
        self.test = xgboost.DMatrix(rows, nthread=threads)

    def scores(self):
        return self.booster.predict(self.data, output_margin=True)

    def update(self, gradient, hessian):
        self.booster.boost(self.data, self.rounds, grad=gradient, hess=hessian)
        self.rounds += 1

    def newest_on_test(self):
        return self.booster.predict(self.test, output_margin=True, iteration_range=(self.rounds - 1, self.rounds))


class SecondOrderLightGBM:
    def __init__(self, rows, threads):
        import lightgbm
        import numpy as np
        parameters = {"max_depth": SECOND_ORDER["max_depth"], "num_leaves": LEAVES, "min_data_in_leaf": 1,
                      "min_sum_hessian_in_leaf": SECOND_ORDER["min_child_weight"], "lambda_l2": SECOND_ORDER["lambda"],
                      "learning_rate": SECOND_ORDER["eta"], "num_threads": threads, "verbosity": -1,
                      "boost_from_average": False, "objective": "none"}
        self.booster = lightgbm.Booster(parameters, lightgbm.Dataset(rows, params=parameters, free_raw_data=True))
        self.rounds, self.rng, self.number = 0, np.random.default_rng(1), np.float32

    def see_test(self, rows, _threads):
        self.test = rows

    def scores(self):
        # The sum of all trees on the training rows, which LightGBM keeps.
        return self.booster._Booster__inner_predict(data_idx=0).astype(self.number)

    def update(self, gradient, hessian):
        gradient *= 1.0 + 1e-6 * self.rng.standard_normal(len(gradient), dtype=self.number)
        self.booster.update(fobj=lambda _preds, _data: (gradient, hessian))
        self.rounds += 1

    def newest_on_test(self):
        return self.booster.predict(self.test, raw_score=True, start_iteration=self.rounds - 1, num_iteration=1)


class BaseLearner:
    """A booster of one tree a round, which knows nothing of the others."""

    def __init__(self, method, rows, threads):
        import xgboost
        self.train, self.data = xgboost.train, xgboost.DMatrix(rows, nthread=threads)
        self.parameters = {**PAPER, "tree_method": method, "nthread": threads, "base_score": 0.0,
                           "objective": "reg:squarederror", "verbosity": 0}

    def see_test(self, rows, threads):
        import xgboost
        self.test = xgboost.DMatrix(rows, nthread=threads)

    def fit(self, u, w):
        self.data.set_info(label=u / w, weight=w)
        self.tree = self.train(self.parameters, self.data, num_boost_round=1)
        return self.tree.predict(self.data, output_margin=True)

    def newest_on_test(self):
        return self.tree.predict(self.test, output_margin=True)


def softmax(scores):
    """In place, over the columns of few actions: NumPy's reductions of short rows are slow."""
    import numpy as np
    top = scores[:, 0].copy()
    for column in scores.T[1:]:
        np.maximum(top, column, out=top)
    scores -= top[:, None]
    np.exp(scores, out=scores)
    total = scores[:, 0].copy()
    for column in scores.T[1:]:
        total += column
    scores /= total[:, None]
    return scores


def play(settings, who, folder, rounds, threads, most):
    import numpy as np
    from bopl_xgboost import expanded, peak
    __import__("lightgbm" if who == "LightGBM" else "xgboost")
    at = lambda end, kind: np.fromfile(Path(folder, f"{NAME}.{end}"), dtype=kind)
    sizes = json.loads(Path(folder, f"{NAME}.json").read_text())
    n, d, actions = sizes["n"], sizes["d"], sizes["actions"]
    x, test = at("x.f32", "<f4").reshape(n, d), at("test.x.f32", "<f4").reshape(-1, d)
    a, earns = at("a.u32", "<u4").astype(np.int64), at("test.r.f64", "<f8").reshape(-1, actions)
    v = ((at("r.f64", "<f8") + TRANSLATION) / at("p.f64", "<f8")).astype(np.float32)
    before = peak()
    cpu, begun = time.process_time(), time.perf_counter()
    rows = expanded(x, actions)
    learner = (SecondOrderLightGBM(rows, threads) if who == "LightGBM" else
               SecondOrderXGBoost(rows, threads) if settings == "second order" else
               BaseLearner(who.split()[1], rows, threads))
    del rows, x
    index = np.arange(n)
    # Nobody's reward is 0 after the translation, or u/w were no number.
    fixed = np.repeat(np.abs(v) * np.where(v < 0, np.float32(0.5), np.float32(1.0)), actions)
    f_scores = np.zeros((n, actions), dtype=np.float32)
    prepared, prepared_cpu = time.perf_counter() - begun, time.process_time() - cpu
    learner.see_test(expanded(test, actions), threads)
    del test
    test_scores, seconds, cpus, rewards = np.zeros(earns.shape), [], [], []
    while len(seconds) < rounds:
        cpu, begun = time.process_time(), time.perf_counter()
        is_second = settings == "second order"
        pi = softmax(learner.scores().reshape(n, actions) if is_second else f_scores.copy())
        c = np.where(v < 0, v * pi[index, a], v)
        u = pi * -c[:, None]
        u[index, a] += c
        alpha = 1.0
        if is_second:
            w = (1.0 - pi) * pi
            np.maximum(w, pi * np.float32(LEAST), out=w)
            w *= np.abs(c)[:, None]
            learner.update(-u.ravel(), w.ravel())
        else:
            f = learner.fit(u.ravel(), fixed)
            # s = w in the paper's scaling of BOPL-S.
            alpha = np.dot(u.ravel(), f) / np.dot(fixed, f * f)
            f_scores += (alpha * f).reshape(n, actions)
        seconds.append(time.perf_counter() - begun)
        cpus.append(time.process_time() - cpu)
        # From here on untimed.
        test_scores += alpha * learner.newest_on_test().reshape(earns.shape)
        rewards.append(float(earns[np.arange(len(earns)), test_scores.argmax(axis=1)].mean()))
        if rewards[-1] >= REWARD:
            break
        spent = prepared + sum(seconds)
        if not is_second:
            spent *= rounds / len(seconds)
        say(f"    {who}, {settings}: round {len(seconds)}, {seconds[-1]:.2f} s ({cpus[-1]:.2f} CPU s), {rewards[-1]:.4f}")
        if len(seconds) >= (1 if is_second else FEW[who]) and spent > most:
            break
    print(json.dumps({"prepared": prepared, "prepared_cpu": prepared_cpu, "seconds": seconds, "cpu": cpus,
                      "rewards": rewards, "peak": peak() - before}))


def row(label, threads, run, same=None):
    """The time to the reward. A run that ended before is extrapolated by the rounds of the `same` method in ours."""
    done = len(run["seconds"])
    seconds = [run["prepared"] + spent for spent in itertools.accumulate(run["seconds"])]
    said = f"{run['rewards'][-1]:.4f} after {done} rounds"
    cpu = run["prepared_cpu"] + sum(run["cpu"])
    found = {"case": CASE, "contender": label, "threads": threads, "value": seconds[-1], "unit": "s", "rounds": done,
             "quality": said, "memory_mb": run["peak"] / 2**20, "prepared": run["prepared"], "cpu_seconds": cpu,
             "note": f"{run['prepared']:.2f} s of it to prepare",
             "curve": [{"round": k + 1, "seconds": spent, "test_reward": reward, "cpu_seconds": cpu}
                       for k, (spent, reward, cpu) in enumerate(zip(seconds, run["rewards"], run["cpu"]))]}
    if run["rewards"][-1] >= REWARD:
        return found
    if same is None or same["rewards"][-1] < REWARD or done >= len(same["rewards"]) or done < 2:
        return found | {"at_least": True, "quality": f"{said}: not reached"}
    rounds = len(same["rewards"])
    whole = lambda first, *later: first + (rounds - 1) * statistics.median(later)
    cpu = run["prepared_cpu"] + whole(*run["cpu"])
    return found | {"value": run["prepared"] + whole(*run["seconds"]), "rounds": rounds, "extrapolated": True,
                    "cpu_seconds": cpu, "quality": f"{said}, ours had {same['rewards'][done - 1]:.4f}",
                    "note": f"extrapolated to {rounds} rounds, as ours, of {statistics.median(run['seconds'][1:]):.2f} s"}


def measure(arguments, folder):
    threads = arguments.threads
    subprocess.run([arguments.logs, folder, "--binary", NAME], check=True)
    total = lambda run: run["prepared"] + sum(run["seconds"])
    best = {}

    def keep(settings, who, run):
        say(f"  {who}, {settings}: {total(run):.2f} s, {len(run['rewards'])} rounds to {run['rewards'][-1]:.4f}")
        key = settings, who
        if key not in best or total(run) < total(best[key]):
            best[key] = run
        return run

    def run(turn, settings, who, command):
        """A run, or the same run of an earlier call that was stopped."""
        file = arguments.keep and Path(arguments.keep, f"{settings}, {who}, {turn}.json".replace(" ", "-"))
        if file and file.exists():
            return keep(settings, who, json.loads(file.read_text()))
        found = program(command)
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(found))
        return keep(settings, who, found)

    def ours(turn, settings):
        step, rounds = ("second-order", 100) if settings == "second order" else ("paper", 600)
        return run(turn, settings, OURS, [arguments.ours, folder, NAME, step, rounds, REWARD, threads])

    # Ours before each peer, so that both sides see the same load.
    for turn in range(1 if arguments.quick else arguments.turns):
        for number, ((settings, who), package) in enumerate(PEERS.items()):
            if settings == "second order" or (settings, OURS) not in best:
                mine = ours(f"{turn}.{number}", settings)
            if package in arguments.without or (settings != "second order" and (settings, who) in best):
                continue
            rounds = 60 if settings == "second order" else len(mine["rewards"])
            run(turn, settings, who, [sys.executable, __file__, "-", "-", "--threads", threads, "--play", settings, who,
                                      folder, rounds, arguments.most])
    yield row("ours, second order", threads, best["second order", OURS])
    for (settings, who), package in PEERS.items():
        if (settings, who) == ("paper's settings", "XGBoost hist"):
            yield row("ours, paper's settings", threads, best[settings, OURS])
        label = f"{who}, {settings}"
        if (settings, who) in best:
            yield row(label, threads, best[settings, who], None if settings == "second order" else best[settings, OURS])
        else:
            yield {"case": CASE, "contender": label, "threads": threads, "value": None, "unit": "s",
                   "note": f"{package} is missing"}


def main():
    found = parser(__doc__, "logs", "ours")
    found.add_argument("--most", type=float, default=600.0, help="seconds of a run that is not extrapolated")
    found.add_argument("--turns", type=int, default=2, help="of the second order; the fastest counts")
    found.add_argument("--keep", help="a folder of finished runs, which are not played again")
    found.add_argument("--play", nargs=5, help="SETTINGS WHO FOLDER ROUNDS MOST: one run of a peer")
    arguments = found.parse_args()
    if arguments.play:
        settings, who, folder, rounds, most = arguments.play
        play(settings, who, folder, int(rounds), arguments.threads, float(most))
        return
    with tempfile.TemporaryDirectory() as folder:
        show(measure(arguments, folder), arguments)


if __name__ == "__main__":
    main()
