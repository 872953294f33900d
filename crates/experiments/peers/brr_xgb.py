"""BRR-xgb of [L23, Section 5]: XGBoost's squared-error regression of rewards on the rows [x ; one-hot(a)] of a log.

    python brr_xgb.py FOLDER

Splits are found by XGBoost's "exact", as in the paper. Its "hist" with 256 bins chooses among the same splits where no
column has more than 256 values, pixels or words say, and is 20 times as fast there: it is used then, and in a table of
more than MOST_EXACT numbers, where it is coarser. Scores start from 0.5, XGBoost's default when the paper was written.

FOLDER holds request.json (|A|, the hyper-parameters of [L23, Table 5], threads) and little-endian arrays: log.f32 (n x m
contexts), actions.u32, rewards.f32, rows.f32 (N x m contexts to predict). Writes scores.f32, N x |A|, and answer.json.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import xgboost


MOST_EXACT = 20_000_000
BINS = 256


def with_action(x, a, actions):
    rows = np.zeros((len(x), x.shape[1] + actions), dtype=np.float32)
    rows[:, : x.shape[1]] = x
    rows[np.arange(len(x)), x.shape[1] + a] = 1.0
    return rows


def has_few_values(x):
    return all(len(np.unique(column)) <= BINS for column in x.T)


def main():
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text())
    m, actions = request["inputs"], request["actions"]
    x = np.fromfile(folder / "log.f32", dtype="<f4").reshape(-1, m)
    a = np.fromfile(folder / "actions.u32", dtype="<u4")
    r = np.fromfile(folder / "rewards.f32", dtype="<f4")
    parameters = {
        "objective": "reg:squarederror",
        "tree_method": "hist" if len(x) * (m + actions) > MOST_EXACT or has_few_values(x) else "exact",
        "max_bin": BINS,
        "base_score": 0.5,
        "max_depth": request["max_depth"],
        "min_child_weight": request["min_child_weight"],
        "lambda": request["reg_lambda"],
        "eta": request["learning_rate"],
        "nthread": request["threads"],
        "seed": 0,
        "verbosity": 0,
    }
    begun = time.perf_counter()
    data = xgboost.DMatrix(with_action(x, a, actions), label=r, nthread=request["threads"])
    model = xgboost.train(parameters, data, num_boost_round=request["rounds"])
    seconds = time.perf_counter() - begun
    # Linux has kibibytes here, and others bytes.
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform == "linux" else 1)
    del data
    rows = np.fromfile(folder / "rows.f32", dtype="<f4").reshape(-1, m)
    scores = np.empty((len(rows), actions), dtype=np.float32)
    for action in range(actions):
        of_action = with_action(rows, np.full(len(rows), action), actions)
        scores[:, action] = model.predict(xgboost.DMatrix(of_action, nthread=request["threads"]))
    scores.astype("<f4").tofile(folder / "scores.f32")
    (folder / "answer.json").write_text(json.dumps({"seconds": seconds, "memory": memory}))


main()
