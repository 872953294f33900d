"""The package for Python beside the packages that people have: a classifier, a policy from a log, a stream.

    cargo xtask bench --peers --only python

Every run is a process of its own; the time is that of the fit, from arrays in memory to a model, and the memory the peak
of the process less what it held before the fit. The fastest of three runs counts; a run of more than a minute is the only
one of its contender, and so are all of policies. Settings are the packages' defaults where nothing else is said.

- *Classifier*: AdaBoost over trees of depth 3, 100 rounds, on Covertype, class 2 against the others: every eleventh row
  trains, and the rows behind them test. scikit-learn's AdaBoostClassifier has DecisionTreeClassifier(max_depth=3).
- *Policy*: the log of decisions of Covertype that `decision_logs` makes of the data set; its first rows train. Rewards
  are regressed on [x ; one-hot(a)] by 100 trees of XGBoost and of LightGBM, and by PerpetualBooster with its budget of
  0.5, and the action of the largest prediction is played. PolicyBooster and RewardBooster have a budget of 60 s, which
  they may use up, and choose their settings in it, and judge the policy. The quality is the reward on the test rows.
- *Stream*: Adult in the order of its file, predicted row by row and then learnt from, as dicts; missing values are left
  out of the rows of Vowpal Wabbit and River. The time includes making a package's own examples of a dict, if it has any.
"""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contenders import OURS, parser, program, say, show

ROOT = Path(__file__).resolve().parents[2]
CLASSIFIERS = {OURS: "numpy", "scikit-learn": "scikit-learn"}
POLICIES = {OURS: "numpy", "ours, RewardBooster": "numpy", "XGBoost": "xgboost", "LightGBM": "lightgbm", "PerpetualBooster": "perpetual"}
STREAMS = {OURS: "numpy", "ours, AdaBoost.OL": "numpy", "Vowpal Wabbit, boosting": "vowpalwabbit",
           "Vowpal Wabbit": "vowpalwabbit", "River, AdaBoost of naive Bayes": "river", "River, logistic": "river"}
NAMES = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
         "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country")
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


def data(name):
    """The official file, where the data sets of the workspace are looked for."""
    folders = [os.environ.get("OCO_DATA"), ROOT / "data", ROOT / "../shared/data"]
    found = [Path(folder, name) for folder in folders if folder and Path(folder, name).exists()]
    if not found:
        sys.exit(f"{name} is not there: cargo xtask data fetch")
    return found[0]


def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def timed(work):
    """What it gives, and the seconds, CPU seconds and memory of it."""
    with open("/proc/self/clear_refs", "w") as peaks:
        peaks.write("5")
    before, cpu, begun = held(), time.process_time(), time.perf_counter()
    found = work()
    return found, {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu, "added_mb": (peak() - before) / 1024}


def classifier(who, folder, threads):
    import numpy as np

    x, y, test, truth = (np.load(Path(folder, f"{name}.npy")) for name in ("x", "y", "test", "truth"))
    if who == OURS:
        from ocoboost.boost import AdaBoostClassifier
        booster = AdaBoostClassifier(n_estimators=100, max_depth=3, n_jobs=threads)
    else:
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.tree import DecisionTreeClassifier
        booster = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=100, random_state=0)
    fitted, cost = timed(lambda: booster.fit(x, y))
    return {**cost, "quality": f"{100 * (1 - fitted.score(test, truth)):.2f}% wrong on {len(truth):,} test rows"}


def make_table(folder, rows):
    import numpy as np

    with gzip.open(data("covtype.data.gz"), "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", dtype=np.float64)
    # The rows are sorted in part: every eleventh, and the one behind it.
    train, test = table[::11][:rows], table[1::11][:rows]
    for name, part in (("x", train[:, :-1]), ("y", train[:, -1] == 2), ("test", test[:, :-1]), ("truth", test[:, -1] == 2)):
        np.save(Path(folder, f"{name}.npy"), part)


def policy(who, folder, threads, rows, budget):
    import numpy as np

    sizes = json.loads(Path(folder, "covertype.json").read_text())
    at = lambda end, kind: np.fromfile(Path(folder, f"covertype.{end}"), dtype=kind)
    x, test = at("x.f32", "<f4").reshape(-1, sizes["d"])[:rows].astype(np.float64), at("test.x.f32", "<f4").reshape(-1, sizes["d"])
    action, reward, pscore = at("a.u32", "<u4")[:rows], at("r.f64", "<f8")[:rows], at("p.f64", "<f8")[:rows]
    earns = at("test.r.f64", "<f8").reshape(len(test), sizes["actions"])
    if who.startswith(OURS):
        from ocoboost.offpolicy import PolicyBooster, RewardBooster
        booster = (PolicyBooster if who == OURS else RewardBooster)(time_budget=budget, classes=range(sizes["actions"]), n_jobs=threads)
        fitted, cost = timed(lambda: booster.fit(x, action, reward, pscore))
        chosen = fitted.predict(test)
    else:
        with_action = lambda rows, action: np.hstack([rows, np.eye(sizes["actions"])[action]])
        booster = regressor(who, threads)
        fitted, cost = timed(lambda: booster.fit(with_action(x, action), reward))
        scores = [(fitted or booster).predict(with_action(test, np.full(len(test), a))) for a in range(sizes["actions"])]
        chosen = np.argmax(scores, axis=0)
    return {**cost, "quality": f"reward {earns[np.arange(len(test)), chosen].mean():.4f} on {len(test):,} test rows"}


def regressor(who, threads):
    if who == "XGBoost":
        from xgboost import XGBRegressor
        return XGBRegressor(n_jobs=threads)
    if who == "LightGBM":
        from lightgbm import LGBMRegressor
        return LGBMRegressor(n_jobs=threads, verbosity=-1)
    from perpetual import PerpetualBooster
    return PerpetualBooster(objective="SquaredLoss", budget=0.5, num_threads=threads)


def adult(rows):
    found = []
    with gzip.open(data("adult.data.gz"), "rt") as lines:
        for cells in csv.reader(lines, skipinitialspace=True):
            if len(cells) == 15 and len(found) < rows:
                row = {name: None if cell == "?" else float(cell) if name in NUMBERS else cell for name, cell in zip(NAMES, cells)}
                found.append((row, cells[-1] == ">50K"))
    return found


def stream(who, rows):
    examples = adult(rows)
    predict_and_learn = {"o": of_ours, "V": of_vowpal_wabbit, "R": of_river}[who[0]](who)
    without = not who.startswith(OURS)
    if without:
        examples = [({name: cell for name, cell in row.items() if cell is not None}, y) for row, y in examples]

    def play():
        return sum(bool(predict_and_learn(x, y)) != y for x, y in examples)

    wrong, cost = timed(play)
    return {**cost, "rows": len(examples), "quality": f"{100 * wrong / len(examples):.2f}% wrong"}


def of_ours(who):
    from ocoboost.online import OnlineBoostingClassifier
    model = OnlineBoostingClassifier() if who == OURS else OnlineBoostingClassifier(booster="ada_boost_ol")
    return learning(model)


def learning(model):
    predict, learn = model.predict_one, model.learn_one

    def round(x, y):
        predicted = predict(x)
        learn(x, y)
        return predicted
    return round


def of_vowpal_wabbit(who):
    from vowpalwabbit import Workspace
    boosting = "--boosting 20 --gamma 0.1 --alg BBM" if "boosting" in who else ""
    vw = Workspace(f"{boosting} --binary --loss_function logistic --quiet")
    clean = str.maketrans(" :|", "___")

    def round(x, y):
        cells = " ".join(f"{name}:{cell}" if isinstance(cell, float) else f"{name}={cell.translate(clean)}" for name, cell in x.items())
        example = vw.parse(f"{1 if y else -1} | {cells}")
        vw.learn(example)
        predicted = example.get_simplelabel_prediction() > 0
        vw.finish_example(example)
        return predicted
    return round


def of_river(who):
    from river import compose, ensemble, linear_model, naive_bayes, preprocessing
    numbers = compose.SelectType(float)
    texts = compose.SelectType(str) | preprocessing.OneHotEncoder()
    if "logistic" in who:
        return learning((numbers | preprocessing.StandardScaler()) + texts | linear_model.LogisticRegression())
    return learning((numbers + texts) | ensemble.AdaBoostClassifier(model=naive_bayes.GaussianNB(), n_models=20, seed=0))


def measure(arguments):
    threads, quick = arguments.threads, arguments.quick
    rows, decisions, budget, turns = (5_000, 5_000, 5.0, 1) if quick else (50_000, 50_000, 60.0, 3)
    examples = 2_000 if quick else 32_561
    here = [sys.executable, __file__, "-", "--threads", threads, "--play"]
    with tempfile.TemporaryDirectory() as folder:
        make_table(folder, rows)
        subprocess.run([arguments.logs, folder, "--binary", "covertype"], check=True)
        parts = [
            ("classifier", CLASSIFIERS, f"AdaBoost over trees of depth 3, 100 rounds, Covertype, {rows:,} × 54", turns, [folder]),
            ("policy", POLICIES, f"a policy from a log, Covertype, {decisions:,} × 54, 7 actions", 1, [folder, decisions, budget]),
            ("stream", STREAMS, f"a stream of dicts, Adult, {examples:,} rows", turns, [examples])]
        for part, contenders, case, turns, rest in parts:
            best = {}
            for turn in range(turns):
                for who, package in contenders.items():
                    if package in arguments.without or best.get(who, {"seconds": 0.0})["seconds"] > 60.0:
                        continue
                    run = program([*here, part, who, *rest])
                    say(f"  {who}: {run['seconds']:.2f} s, {run['quality']}")
                    if who not in best or run["seconds"] < best[who]["seconds"]:
                        best[who] = run
            for who, package in contenders.items():
                row = {"case": case, "contender": who, "threads": 1 if part == "stream" or who == "scikit-learn" else threads}
                if who not in best:
                    yield {**row, "value": None, "unit": "s", "note": f"{package} is missing"}
                    continue
                run = best[who]
                value = {"value": run["rows"] / run["seconds"], "unit": "rows/s"} if part == "stream" else {"value": run["seconds"], "unit": "s"}
                note = {"note": f"within a budget of {budget:.0f} s"} if part == "policy" and who.startswith(OURS) else {}
                yield {**row, **value, **note, "quality": run["quality"], "memory_mb": run["added_mb"], "cpu_seconds": run["cpu"]}


def main():
    found = parser(__doc__, "logs")
    found.add_argument("--play", nargs="+", help="PART WHO …: one run of a contender")
    arguments = found.parse_args()
    if not arguments.play:
        show(measure(arguments), arguments)
        return
    part, who, *rest = arguments.play
    if part == "classifier":
        run = classifier(who, rest[0], arguments.threads)
    elif part == "policy":
        run = policy(who, rest[0], arguments.threads, int(rest[1]), float(rest[2]))
    else:
        run = stream(who, int(rest[0]))
    print(json.dumps(run))


if __name__ == "__main__":
    main()
