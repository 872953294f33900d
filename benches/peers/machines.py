"""Trees on the rows of two processes: the rounds of `fastest_bopl`, and whether the model depends on how many there were.

    cargo build --release -p benches --example fastest_bopl
    cargo build --release -p benches --features mpi --example mpi_rounds
    python benches/peers/machines.py target/release/examples/fastest_bopl target/release/examples/mpi_rounds \\
        [--rounds 5] [--mpirun "mpirun --oversubscribe --bind-to none"] [CASE ...]

Each contender trains twice on the same log: in one process with two threads, and in two processes of a thread each, on
a half of the rows. XGBoost's workers meet by its own tracker, LightGBM's by sockets (`tree_learner=data`); ours are MPI
ranks. A peer has the n·|A| rows [x ; one-hot(a)]. What counts is the tree with its values on the training rows; the
gradient is NumPy's. The peers' step is 0.3, so that no sum over all rows is needed between trees. Bytes are those that
left through the loopback device in a round, of all processes; ours use shared memory, and are counted where they are
handed to MPI. Two models are equal if the dumps of all their trees are.
"""

import argparse
import hashlib
import json
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bopl_xgboost import expanded, read
from contenders import say

STEP = 0.3


def loopback():
    """The bytes sent through the loopback device so far."""
    line = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:"))
    return int(line.split(":")[1].split()[8])


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class XGBoost:
    def __init__(self, rows, head, threads):
        import xgboost
        self.data = xgboost.QuantileDMatrix(rows, nthread=threads)
        parameters = {"tree_method": "hist", "max_depth": head["max_depth"], "nthread": threads, "eta": 1.0,
                      "min_child_weight": head["min_child_weight"], "lambda": 0.0, "base_score": 0.0, "verbosity": 0}
        self.booster = xgboost.Booster(parameters, [self.data])
        self.trees, self.before = 0, 0.0

    def fit(self, u, w):
        self.booster.boost(self.data, self.trees, grad=-u, hess=w)
        self.trees += 1
        after = self.booster.predict(self.data, output_margin=True)
        f, self.before = after - self.before, after
        return f

    def dump(self):
        return "\n".join(self.booster.get_dump())


class LightGBM:
    def __init__(self, rows, head, threads, machines, port):
        import lightgbm
        parameters = {"max_depth": head["max_depth"], "num_leaves": 2 * head["leaves"], "min_sum_hessian_in_leaf":
                      head["min_child_weight"], "min_data_in_leaf": 1, "lambda_l2": 0.0, "learning_rate": 1.0,
                      "num_threads": threads, "verbosity": -1, "boost_from_average": False, "objective": "none"}
        if machines:
            parameters |= {"tree_learner": "data", "pre_partition": True, "num_machines": machines.count(",") + 1,
                           "machines": machines, "local_listen_port": port, "time_out": 5}
        data = lightgbm.Dataset(rows, params=parameters, free_raw_data=True)
        self.booster = lightgbm.Booster(parameters, data)
        self.before = 0.0

    def fit(self, u, w):
        self.booster.update(fobj=lambda _preds, _data: (-u, w))
        after = self.booster._Booster__inner_predict(data_idx=0).copy()
        f, self.before = after - self.before, after
        return f

    def dump(self):
        return self.booster.model_to_string().split("feature_importances")[0].split("Tree=0", 1)[-1]


def rounds(learner, head, x, a, p, r, noise, count):
    """The seconds of every tree and the bytes sent meanwhile."""
    n, actions = len(a), head["actions"]
    v = (r + head["translation"]) / p
    w = np.repeat(np.abs(v) * np.where(v < 0, 0.5, 1.0), actions).astype(np.float32)
    scores, rng = np.zeros((n, actions)), np.arange(n)
    seconds, sent = [], []
    for k in range(count):
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        pi = e / e.sum(axis=1, keepdims=True)
        c = np.where(v < 0, v * pi[rng, a], v)
        u = -pi * c[:, None]
        u[rng, a] += c
        u = (u.ravel() * noise[k]).astype(np.float32)
        before, begun = loopback(), time.perf_counter()
        f = learner.fit(u, w)
        seconds.append(time.perf_counter() - begun)
        sent.append(loopback() - before)
        scores += STEP * f.astype(np.float64).reshape(n, actions)
    return seconds, sent


def work(who, folder, case, count, threads, leaves, rank, size, meeting):
    head, x, a, p, r = read(folder, case)
    head["leaves"] = leaves
    n, actions = len(a), head["actions"]
    own = slice(n * rank // size, n * (rank + 1) // size)
    # LightGBM gives up on features whose gradients sum to 0 at the root (see bopl_xgboost.py).
    off = np.random.default_rng(1).standard_normal((count, n * actions), dtype=np.float32)
    noise = 1.0 + (1e-6 if who == "lightgbm" else 0.0) * off[:, own.start * actions:own.stop * actions]
    x, a, p, r = x[own], a[own], p[own], r[own]
    if who == "lightgbm":
        machines, port = (meeting["machines"], meeting["ports"][rank]) if size > 1 else ("", 0)
        learner = LightGBM(expanded(x, actions), head, threads, machines, port)
        found = rounds(learner, head, x, a, p, r, noise, count)
    else:
        import xgboost
        from contextlib import nullcontext
        with xgboost.collective.CommunicatorContext(**meeting) if size > 1 else nullcontext():
            learner = XGBoost(expanded(x, actions), head, threads)
            found = rounds(learner, head, x, a, p, r, noise, count)
    digest = hashlib.sha256(learner.dump().encode()).hexdigest()
    print(json.dumps({"seconds": found[0], "sent": found[1], "model": digest}))


def contend(who, folder, case, arguments, leaves, size):
    """The workers of a peer, each a process of its own."""
    threads, meeting, tracker = 2 // size, {}, None
    if size > 1 and who == "lightgbm":
        ports = free_ports(size)
        meeting = {"machines": ",".join(f"127.0.0.1:{port}" for port in ports), "ports": ports}
    elif size > 1:
        from xgboost.tracker import RabitTracker
        tracker = RabitTracker(host_ip="127.0.0.1", n_workers=size)
        tracker.start()
        meeting = tracker.worker_args()
    command = [sys.executable, __file__, arguments.ours, arguments.ranks, case, "--rounds", str(arguments.rounds)]
    workers = []
    for rank in range(size):
        job = json.dumps([who, folder, case, arguments.rounds, threads, leaves, rank, size, meeting])
        workers.append(subprocess.Popen([*command, "--work", job], stdout=subprocess.PIPE, text=True))
    answers = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode for worker in workers):
        raise SystemExit(f"{who} with {size} workers has failed")
    found = [json.loads(answer.splitlines()[-1]) for answer in answers]
    # Workers wait for each other, so the slowest is the round.
    seconds = [max(times) for times in zip(*(one["seconds"] for one in found))]
    sent = [max(counts) for counts in zip(*(one["sent"] for one in found))]
    return {"seconds": seconds, "sent": sent, "models": [one["model"] for one in found]}


def ours(arguments, case, size):
    """The rounds of our ranks: the program prints a line of JSON."""
    command = [*shlex.split(arguments.mpirun), "-n", str(size), arguments.ranks, str(arguments.rounds), case,
               "--threads", str(2 // size), "--json"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = json.loads(said.splitlines()[-1])
    return {"seconds": found["seconds"], "sent": found["bytes"], "models": [found["model"]], "leaves": found["leaves"]}


def later(values):
    return statistics.median(values[1:] or values)


def main():
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("ours")
    found.add_argument("ranks")
    found.add_argument("cases", nargs="*")
    found.add_argument("--rounds", type=int, default=5)
    found.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    found.add_argument("--work", help=argparse.SUPPRESS)
    arguments = found.parse_intermixed_args()
    if arguments.work:
        work(*json.loads(arguments.work))
        return
    os.environ.setdefault("OMP_PROC_BIND", "false")
    print("| log | contender | one process, 2 threads: s a tree | two processes of a thread | ratio | "
          "MB sent a tree | the same model |")
    print("|---|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as folder:
        cases = subprocess.check_output([arguments.ours, "--data", folder, *arguments.cases], text=True).split()
        for case in cases:
            leaves = 1000
            for who in ("ours", "xgboost", "lightgbm"):
                runs = []
                for size in (1, 2):
                    if who == "ours":
                        runs.append(ours(arguments, case, size))
                        leaves = max(runs[-1]["leaves"])
                    else:
                        runs.append(contend(who, folder, case, arguments, leaves, size))
                    say(f"  {case}, {who}, {size}: {later(runs[-1]['seconds']):.3f} s")
                one, two = (later(run["seconds"]) for run in runs)
                models = {model for run in runs for model in run["models"]}
                print(f"| {case} | {who} | {one:.3f} | {two:.3f} | {two / one:.2f} | {later(runs[1]['sent']) / 1e6:.2f} | "
                      f"{'yes' if len(models) == 1 else 'no'} |", flush=True)


if __name__ == "__main__":
    main()
