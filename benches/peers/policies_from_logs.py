"""`ocoboost train` beside Vowpal Wabbit and XGBoost on the same logs: reward on test rows, seconds, memory.

    cargo build --release -p ocoboost-cli && cargo run --release -p experiments --example decision_logs -- FOLDER
    python benches/peers/policies_from_logs.py FOLDER target/release/ocoboost [--budget 60s] [--threads 1] [TASK ...]

Every contender is given TASK-log.csv and chooses an action for each row of TASK-test.csv; its reward is the mean of
those actions in TASK-test-rewards.csv. Contenders run one after another, each in a process of its own; seconds are from
its start to its end, reading, choice and prediction included, beside the seconds of processor time; memory is the peak
of the process.

ocoboost is given nothing but the log and a budget. XGBoost regresses rewards on [x ; one-hot(a)], with its defaults but
500 rounds, a step of 0.1 and an early end on a tenth of the log after 20 rounds without a gain. Vowpal Wabbit learns
`--cb_type ips`, `dr` and `mtr`, the last through `--cb_explore_adf` with the action as a feature that is crossed with
the context, over ten passes with a cache; contexts are scaled to [0, 1] by the log. Its learning rate is the one of
0.02, 0.1, 0.5 and 2 with the best self-normalised estimate on a tenth of the log that it did not learn from. The time of all
four counts.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

RATES = (0.02, 0.1, 0.5, 2.0)
VW = ("vw ips", "vw dr", "vw mtr")


def read(folder, task):
    import pandas

    log = pandas.read_csv(folder / f"{task}-log.csv")
    contexts = log.drop(columns=["action", "propensity", "reward"]).to_numpy(np.float32)
    actions = log["action"].str.slice(1).to_numpy(np.int64)
    test = pandas.read_csv(folder / f"{task}-test.csv").to_numpy(np.float32)
    with open(folder / f"{task}-test-rewards.csv") as file:
        count = len(next(csv.reader(file)))
    return contexts, actions, log["propensity"].to_numpy(), log["reward"].to_numpy(), test, count


def xgboost_actions(folder, task, threads):
    import xgboost

    x, a, _, r, test, count = read(folder, task)
    rng = np.random.default_rng(1)

    def rows(x, a):
        hot = np.zeros((len(x), count), dtype=np.float32)
        hot[np.arange(len(x)), a] = 1.0
        return np.hstack([x, hot])

    held = rng.random(len(x)) < 0.1
    learn = xgboost.DMatrix(rows(x[~held], a[~held]), label=r[~held], nthread=threads)
    stop = xgboost.DMatrix(rows(x[held], a[held]), label=r[held], nthread=threads)
    parameters = {"objective": "reg:squarederror", "eta": 0.1, "nthread": threads, "seed": 1}
    model = xgboost.train(parameters, learn, 500, evals=[(stop, "stop")], early_stopping_rounds=20, verbose_eval=False)
    scores = [model.predict(xgboost.DMatrix(rows(test, np.full(len(test), action)), nthread=threads),
                            iteration_range=(0, model.best_iteration + 1)) for action in range(count)]
    return np.argmax(scores, axis=0)


def vw_actions(folder, task, kind):
    from vowpalwabbit import Workspace

    x, a, p, r, test, count = read(folder, task)
    low, high = x.min(axis=0), x.max(axis=0)
    scale = np.where(high > low, high - low, 1.0)

    def features(x):
        return [" ".join(f"{j}:{v:.6g}" for j, v in zip(np.flatnonzero(row), row[row != 0.0])) for row in (x - low) / scale]

    held = np.random.default_rng(1).random(len(x)) < 0.1

    def line(row, action, propensity, reward):
        if kind != "mtr":
            return f"{action + 1}:{-reward}:{propensity} |x {row}\n"
        labels = [f"0:{-reward}:{propensity} |a {k}" if k == action else f"|a {k}" for k in range(count)]
        return f"shared |x {row}\n" + "\n".join(labels) + "\n\n"

    def chosen(model, rows):
        if kind != "mtr":
            return np.array([int(model.predict(f"|x {row}")) - 1 for row in rows])
        of_actions = [f"|a {k}" for k in range(count)]
        return np.array([int(np.argmax(model.predict([f"shared |x {row}", *of_actions]))) for row in rows])

    with tempfile.TemporaryDirectory() as place:
        data = Path(place, "log")
        with open(data, "w") as out:
            for one in zip(features(x[~held]), a[~held], p[~held], r[~held]):
                out.write(line(*one))
        stop = features(x[held])
        shape = "--cb_explore_adf --cb_type mtr -q xa" if kind == "mtr" else f"--cb {count} --cb_type {kind}"
        best = (-np.inf, None)
        for rate in RATES:
            cache = Path(place, f"cache-{rate}")
            model = Workspace(f"{shape} -d {data} --passes 10 --cache_file {cache} -k -b 22 -l {rate} --quiet")
            cache.unlink(missing_ok=True)
            weights = (chosen(model, stop) == a[held]) / p[held]
            value = (weights * r[held]).sum() / max(weights.sum(), 1e-9)
            best = max(best, (value, model), key=lambda pair: pair[0])
        return chosen(best[1], features(test))


def ocoboost_actions(folder, task, program, budget, threads):
    with tempfile.TemporaryDirectory() as place:
        model = Path(place, "policy.ocob")
        common = ["--quiet", "--threads", str(threads)]
        train = [program, "train", folder / f"{task}-log.csv", "-o", model, "--budget", budget, *common]
        begun = time.perf_counter()
        done = subprocess.run(train, capture_output=True, text=True)
        print(f"{task}: train took {time.perf_counter() - begun:.1f} s: {done.stdout.strip()}", file=sys.stderr)
        if done.returncode not in (0, 3):
            raise SystemExit(done.stderr)
        predict = [program, "predict", model, folder / f"{task}-test.csv", *common]
        done = subprocess.run(predict, capture_output=True, text=True, check=True)
        return np.array([int(line.split(",")[0][1:]) for line in done.stdout.splitlines()[1:]])


def contender(arguments):
    """In a process of its own: the actions, then the seconds and the peak."""
    folder, task, name = Path(arguments.folder), arguments.tasks[0], arguments.contender
    begun = time.perf_counter()
    if name == "ocoboost":
        actions = ocoboost_actions(folder, task, arguments.program, arguments.budget, arguments.threads)
    elif name == "xgboost":
        actions = xgboost_actions(folder, task, arguments.threads)
    else:
        actions = vw_actions(folder, task, name.split()[1])
    seconds = time.perf_counter() - begun
    of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # The parent of ocoboost holds no log.
    peak = (of[1] if name == "ocoboost" else of[0]).ru_maxrss * (1024 if sys.platform == "linux" else 1)
    cpu = sum(one.ru_utime + one.ru_stime for one in of)
    rewards = np.loadtxt(folder / f"{task}-test-rewards.csv", delimiter=",", skiprows=1)
    chosen = rewards[np.arange(len(rewards)), actions]
    error = chosen.std(ddof=1) / np.sqrt(len(chosen))
    print(json.dumps({"reward": chosen.mean(), "error": error, "seconds": seconds, "cpu": cpu, "peak": peak}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("program")
    parser.add_argument("tasks", nargs="*", default=["letter", "scene", "tmc", "covertype"])
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--only", help="contenders, separated by commas")
    arguments = parser.parse_args()
    if arguments.contender:
        return contender(arguments)
    names = arguments.only.split(",") if arguments.only else ["ocoboost", "xgboost", *VW]
    print("| log | contender | test reward | seconds | CPU s | MB |\n|---|---|--:|--:|--:|--:|", flush=True)
    for task in arguments.tasks:
        for name in names:
            asked = [sys.executable, __file__, arguments.folder, arguments.program, task, "--contender", name,
                     "--budget", arguments.budget, "--threads", str(arguments.threads)]
            found = subprocess.run(asked, stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": str(arguments.threads)})
            if found.returncode:
                print(f"| {task} | {name} | failed | | | |", flush=True)
                continue
            of = json.loads(found.stdout.splitlines()[-1])
            print(f"| {task} | {name} | {of['reward']:.4f} ± {1.96 * of['error']:.4f} | {of['seconds']:.0f} "
                  f"| {of['cpu']:.0f} | {of['peak'] / 1e6:.0f} |", flush=True)


main()
