"""Vowpal Wabbit on logs whose actions have features, and a judge that it shares with any other contender.

    python benches/peers/candidates_vw.py recommender FOLDER [--rows 20000] [--held 5000] [--seed 1]
    python benches/peers/candidates_vw.py open-bandit FOLDER OBD/random/men [--text]
    python benches/peers/candidates_vw.py split FOLDER FILE
    python benches/peers/candidates_vw.py compare FOLDER/NAME [--ours "PROGRAM {train} {held} {predictions}"]
    python benches/peers/candidates_vw.py judge FOLDER/NAME PREDICTIONS ...
    python benches/peers/candidates_vw.py table PROGRAM

`recommender` writes a synthetic log as dsjson: 10,000 items and as many kinds of users with 10 features each, 50
candidates a row, a softmax policy that logs, and rewards of 0 and 1 whose probability is a nonlinear affinity of user
and item. NAME-held-rewards.csv has the true mean rewards of all candidates of the part that is held out. `open-bandit`
writes a log of the Open Bandit Dataset as dsjson, or as cb_adf text: items have features, and pairs an affinity. `split`
holds a third of the decisions of any file of dsjson or cb_adf text out.

`compare` learns from NAME-train and predicts NAME-held: one line a choice, the probabilities of its candidates in their
order, separated by commas. `table` compares on all of these logs, Vowpal Wabbit's own test file `dsjson_cb.json`
included, and has the better of a contender's two policies in a row. Seconds are from the start to the end of a
contender in a process of its own. Vowpal Wabbit's are `--cb_explore_adf --cb_type mtr`, the same with `dr`, and
`--squarecb`; the first two play the best candidate. Learning rate, and interactions between the namespaces of the
context and of the actions or between all, are those of the best doubly robust estimate on a tenth of the log that is
not learnt from, and the time of all counts. A log of fewer than 100 events has no choice. PROGRAM is to write the file
of predictions.

The judge gives the value of the probabilities as they are, and of the best candidate alone: its true mean reward where
that is known, and IPS, SNIPS and DR with 95% intervals. The model of DR is a ridge regression on the features, fitted on
the half of the rows that it is not asked about.
"""

import argparse
import csv
import gzip
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from contenders import parser, show

RATES = (0.05, 0.2, 0.5, 2.0)
DEFAULT_RATE = 0.5
# Events that a choice of settings is made from, at least.
SMALL = 100
CONTENDERS = {
    "vw mtr": "--cb_explore_adf --cb_type mtr --epsilon 0",
    "vw dr": "--cb_explore_adf --cb_type dr --epsilon 0",
    "vw squarecb": "--cb_explore_adf --squarecb --cb_type mtr",
}
Z = 1.959964


# Logs.


def event(context, actions, shown, probability, cost):
    """A line of dsjson."""
    return json.dumps({
        "_label_cost": cost, "_label_probability": probability, "_label_Action": shown + 1, "_labelIndex": shown,
        "a": [shown + 1, *(k + 1 for k in range(len(actions)) if k != shown)], "c": {**context, "_multi": actions},
    }, separators=(",", ":"))


def text_of(line):
    """An event of cb_adf text of a line of dsjson."""
    of = json.loads(line)
    cost, p, shown = of["_label_cost"], of["_label_probability"], of["_labelIndex"]

    def features(spaces):
        parts = []
        for name, members in spaces.items():
            own = [f"{key}={value}" if isinstance(value, str) else f"{key}:{value!r}" for key, value in members.items()]
            parts.append(f"|{name} " + " ".join(own))
        return " ".join(parts)

    context = {name: members for name, members in of["c"].items() if name != "_multi"}
    lines = [f"shared {features(context)}"]
    for k, action in enumerate(of["c"]["_multi"]):
        label = f"0:{cost!r}:{p!r} " if k == shown else ""
        lines.append(f"{label}'{action['_tag']} " + features({n: m for n, m in action.items() if n != "_tag"}))
    return "\n".join(lines) + "\n"


def recommender(arguments):
    rng = np.random.default_rng(arguments.seed)
    users = np.round(rng.normal(size=(arguments.users, 10)), 3)
    items = np.round(rng.normal(size=(arguments.items, 10)), 3)
    guess = rng.normal(size=(10, 10)) * 0.1
    actions = [{"_tag": f"i{k}", "item": {f"x{j}": v for j, v in enumerate(row.tolist())}} for k, row in enumerate(items)]

    def affinity(u, v):
        z = 1.5 * np.sin(2.0 * u[0] * v[:, 0]) + np.maximum(u[1], 0.0) * v[:, 1] - np.abs(u[2] - v[:, 2])
        z += 2.0 * (u[3] > 0.0) * (v[:, 3] > 0.5) + u[4] * v[:, 4] * (v[:, 5] > 0.0) - 1.0
        return 1.0 / (1.0 + np.exp(-z))

    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", arguments.rows), ("held", arguments.held)):
        with open(folder / f"recommender-{part}.dsjson", "w") as out, \
                open(folder / f"recommender-{part}-rewards.csv", "w") as true:
            for _ in range(count):
                u = users[rng.integers(len(users))]
                own = rng.choice(len(items), size=arguments.candidates, replace=False)
                score = u @ guess @ items[own].T
                pi = np.exp(score - score.max())
                pi /= pi.sum()
                shown = int(rng.choice(len(own), p=pi))
                mean = affinity(u, items[own])
                click = bool(rng.random() < mean[shown])
                context = {"user": {f"u{j}": v for j, v in enumerate(u.tolist())}}
                out.write(event(context, [actions[k] for k in own], shown, float(pi[shown]), -1.0 if click else 0.0) + "\n")
                true.write(",".join(f"{m:.6f}" for m in mean) + "\n")
        if part == "train":
            (folder / "recommender-train-rewards.csv").unlink()


def open_bandit(arguments):
    data, folder = Path(arguments.data), Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(data / "item_context.csv.gz", "rt") as file:
        items = [({"_tag": row["item_id"], "item": {
            "f0": float(row["item_feature_0"]), **{f"f{k}": row[f"item_feature_{k}"] for k in range(1, 4)}}})
            for row in csv.DictReader(file)]
    rng = np.random.default_rng(arguments.seed)
    end = "vw" if arguments.text else "dsjson"
    name = f"obd-{data.parent.name}-{data.name}"
    with gzip.open(data / f"{data.name}.csv.gz", "rt") as file, \
            open(folder / f"{name}-train.{end}", "w") as train, open(folder / f"{name}-held.{end}", "w") as held:
        for row in csv.DictReader(file):
            user = {**{f"f{k}": row[f"user_feature_{k}"] for k in range(4)}, "position": f"p{row['position']}"}
            actions = [{**item, "fit": {"affinity": float(row[f"user-item_affinity_{k}"])}} for k, item in enumerate(items)]
            line = event({"user": user}, actions, int(row["item_id"]), float(row["propensity_score"]),
                         0.0 - float(row["click"]))
            (held if rng.random() < 1 / 3 else train).write((text_of(line) if arguments.text else line) + "\n")
    print(folder / name)


def split(arguments):
    """Each third event with a decision is held out. Events without a label, and those that are not to be learnt, go."""
    file, folder = Path(arguments.file), Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    is_json = file.read_text().lstrip().startswith("{")
    end, name = "dsjson" if is_json else "vw", file.name.partition(".")[0]
    kept = []
    for one in events(file, is_json):
        try:
            parsed(one, is_json)
        except (KeyError, ValueError):
            continue
        kept.append(one)
    for part, wanted in (("train", (0, 1)), ("held", (2,))):
        of_part = [one for k, one in enumerate(kept) if k % 3 in wanted]
        (folder / f"{name}-{part}.{end}").write_text("".join(of_part))
        print(f"{folder / name}-{part}.{end}: {len(of_part)} decisions")


def part_of(name, part):
    for end in ("dsjson", "vw"):
        path = Path(f"{name}-{part}.{end}")
        if path.exists():
            return path
    sys.exit(f"there is no {name}-{part}.dsjson or .vw")


def events(path, is_json):
    """The events of a file, as they stand."""
    text = path.read_text()
    if is_json:
        return [line + "\n" for line in text.splitlines() if line]
    return [block.strip("\n") + "\n\n" for block in text.split("\n\n") if block.strip()]


def spaces_of_text(line):
    """The namespaces of a line of text, features by name."""
    found = {}
    for part in line.split("|")[1:]:
        name, *tokens = part.split()
        own = found.setdefault(name, {})
        for token in tokens:
            key, _, value = token.partition(":")
            own[key] = float(value) if value else 1.0
    return found


def spaces_of_json(members):
    """The namespaces of the members of an object, features by name.

    A list of numbers has features named by their places, a list of objects the features of all of them. An object within a
    namespace is a namespace of its own. A text is a feature of value 1, a truth value one if it holds.
    """
    found = {}

    def take(space, key, value):
        if key.startswith("_") or value is None or value is False:
            return
        if isinstance(value, dict):
            for inner, one in value.items():
                take(key, inner, one)
        elif isinstance(value, list):
            for place, one in enumerate(value):
                if isinstance(one, dict):
                    take(space, key, one)
                else:
                    take(key, str(place), one)
        elif isinstance(value, str):
            found.setdefault(space, {})[f"{key}={value}"] = 1.0
        else:
            found.setdefault(space, {})[key] = float(value)

    for name, own in members.items():
        take("", name, own)
    return found


def parsed(text, is_json):
    """(place shown, propensity, reward, context, actions) of an event."""
    if is_json:
        of = json.loads(text)
        actions = [spaces_of_json(action) for action in of["c"]["_multi"]]
        return of["_labelIndex"], of["_label_probability"], -of["_label_cost"], spaces_of_json(of["c"]), actions
    lines = text.strip("\n").split("\n")
    context = spaces_of_text(lines.pop(0)) if lines[0].startswith("shared") else {}
    labels = [(k, line.split()[0].split(":")) for k, line in enumerate(lines) if ":" in line.split("|")[0]]
    (shown, (_, cost, p)), = labels
    return shown, float(p), -float(cost), context, [spaces_of_text(line) for line in lines]


# Vowpal Wabbit.


def vw(options, data, is_json):
    from vowpalwabbit import Workspace

    model = Workspace(f"{options} {'--dsjson' if is_json else ''} -d {data} --quiet")
    model.finish()


def probabilities(path):
    """What Vowpal Wabbit wrote: `place:probability` of every candidate, the best one first."""
    found = []
    for line in path.read_text().splitlines():
        if line.strip():
            own = dict(part.split(":") for part in line.split(","))
            row = np.array([float(own[str(k)]) for k in range(len(own))])
            found.append(row / row.sum())
    return found


def train_vw(name, options, passes, predictions):
    train, held = part_of(name, "train"), part_of(name, "held")
    is_json = train.suffix == ".dsjson"
    all_events = events(train, is_json)
    _, _, _, context, actions = parsed(all_events[0], is_json)
    of_actions = sorted({space[0] for action in actions for space in action})
    crossed = [f"-q {a[0]}{b}" for a in sorted(context) for b in of_actions]
    crosses = {"context x action": " ".join(crossed)} if context else {}
    crosses["all pairs"] = "-q ::"
    # A tenth of a small log is too few to choose by: it is learnt whole, with the default learning rate.
    small = len(all_events) < SMALL
    is_kept = np.random.default_rng(1).random(len(all_events)) < (0.0 if small else 0.1)
    stop = None if small else Judge([parsed(one, is_json) for one, kept in zip(all_events, is_kept) if kept])
    best = (-math.inf,)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "learn").write_text("".join(one for one, kept in zip(all_events, is_kept) if not kept))
        (place / "stop").write_text("".join(one for one, kept in zip(all_events, is_kept) if kept))
        for cross, of_cross in list(crosses.items())[:1 if small else None]:
            for rate in (DEFAULT_RATE,) if small else RATES:
                model = place / f"model-{len(cross)}-{rate}"
                repeat = f"--passes {passes} --cache_file {place / 'cache'} -k --holdout_off" if passes > 1 else ""
                vw(f"{options} {of_cross} -l {rate} -b 20 {repeat} -f {model}", place / "learn", is_json)
                (place / "cache").unlink(missing_ok=True)
                value = 0.0
                if stop:
                    vw(f"-t -i {model} -p {place / 'out'}", place / "stop", is_json)
                    value = stop.of(probabilities(place / "out"))["DR"][0]
                best = max(best, (value, cross, rate, model), key=lambda one: one[0])
        value, cross, rate, model = best
        if not small:
            print(f"{cross}, learning rate {rate}: {value:.4f} on a tenth of the log", file=sys.stderr)
        vw(f"-t -i {model} -p {place / 'out'}", held, is_json)
        with open(predictions, "w") as out:
            out.writelines(",".join(f"{p:.9g}" for p in row) + "\n" for row in probabilities(place / "out"))


def contenders(log, ours, only, passes):
    """Name, predictions, seconds and CPU seconds of all that succeed, each in a process of its own."""
    names = [name for name in CONTENDERS if not only or name in only.split(",")]
    commands = {name: [sys.executable, __file__, "train", log, name, "--passes", str(passes)] for name in names}
    for name, command in {**ours, **commands}.items():
        predictions = f"{log}-{name.replace(' ', '-')}.csv"
        of = {"train": part_of(log, "train"), "held": part_of(log, "held"), "predictions": predictions}
        command = [part.format(**of) for part in command] + ([predictions] if name in CONTENDERS else [])
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command)
        seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            print(f"{name} failed", file=sys.stderr)
            continue
        yield name, predictions, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(arguments):
    ours = {"ours": shlex.split(arguments.ours)} if arguments.ours else {}
    found = contenders(arguments.log, ours, arguments.only, arguments.passes)
    judge(arguments.log, [(name, path, f"{seconds:.1f}", f"{cpu:.1f}") for name, path, seconds, cpu in found])


def measure(arguments):
    """The rows of the one table."""
    script, root = Path(__file__).with_name("candidates_ours.sh"), Path(__file__).resolve().parents[2]
    places = [Path(place) for place in (os.environ.get("OCO_DATA"), root / "data", root / "../shared/data") if place]
    budgets = (7, 15) if not arguments.quick else (3, 4)
    ours = {f"ours, a budget of {budget} s": ["sh", str(script), arguments.program, f"{budget}s", "{train}", "{held}", "{predictions}"]
            for budget in budgets}
    with tempfile.TemporaryDirectory() as folder:
        def make(*words):
            subprocess.run([sys.executable, __file__, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

        sizes = ("--rows", 2_000, "--held", 500) if arguments.quick else ()
        make("recommender", folder, *sizes)
        logs = {"recommender": f"dsjson, {2_000 if arguments.quick else 20_000:,} choices of 50 candidates of 10,000 items (synthetic)"}
        for behaviour in ("random", "bts"):
            found = [place / "obd" / behaviour / "men" for place in places if (place / "obd" / behaviour / "men").exists()]
            if found:
                make("open-bandit", folder, found[0])
                logs[f"obd-{behaviour}-men"] = f"dsjson, Open Bandit, men, {behaviour}, 34 items"
        files = [place / "vw" / "dsjson_cb.json" for place in places if (place / "vw" / "dsjson_cb.json").exists()]
        if files:
            make("split", folder, files[0])
            logs["dsjson_cb"] = "dsjson, Vowpal Wabbit's test file dsjson_cb.json"
        for name, case in logs.items():
            log = Path(folder, name)
            of_log = judge_of(log)
            for who, path, seconds, cpu in contenders(str(log), ours, "", 1):
                pi = numbers(path)
                values = [(of_log.of(way), how) for way, how in ((pi, ""), (best_candidates(pi), ", its best candidate"))]
                key = "true" if of_log.true else "SNIPS"
                undefined = (-math.inf, math.inf)
                found, how = max(values, key=lambda value: value[0].get(key, undefined)[0])
                value, half = found.get(key, undefined)
                quality = f"{'true reward' if of_log.true else key} {value:.4f} ± {half:.4f}" if math.isfinite(value) else f"{key} undefined"
                print(f"  {case}: {who}: {seconds:.1f} s, {quality}{how}", file=sys.stderr, flush=True)
                yield {"case": f"a policy from a log, {case}", "contender": f"Vowpal Wabbit, {who[3:]}{how}" if who in CONTENDERS else who,
                       "threads": 2 if who not in CONTENDERS else 1, "value": seconds, "unit": "s", "cpu_seconds": cpu,
                       "quality": f"{quality} on {len(pi):,} held out"}


# The judge.


class Judge:
    """The held-out rows, a model of their rewards, and the true ones where they are known."""

    def __init__(self, rows, true=None):
        self.true = true
        self.shown = np.array([row[0] for row in rows])
        self.p = np.array([row[1] for row in rows])
        self.r = np.array([row[2] for row in rows])
        self.counts = [len(row[4]) for row in rows]
        columns = {}

        def place(key):
            return columns.setdefault(key, len(columns))

        def entries(spaces):
            return [(place((space, key)), value) for space, own in spaces.items() for key, value in own.items()]

        sparse = [(entries(row[3]), [entries(action) for action in row[4]]) for row in rows]
        width = len(columns)
        shown = np.zeros((len(rows), width + 1))
        shown[:, width] = 1.0
        for i, (context, actions) in enumerate(sparse):
            for j, value in context + actions[self.shown[i]]:
                shown[i, j] += value
        half = np.arange(len(rows)) % 2
        self.q = [None] * len(rows)
        for fold in (0, 1):
            x, y = shown[half != fold], self.r[half != fold]
            scale = x.std(axis=0)
            # A column of one value says nothing: the last one, of ones, has the intercept.
            x[:, :width][:, scale[:width] == 0.0] = 0.0
            scale[scale == 0.0] = 1.0
            x = x / scale
            beta = np.linalg.solve(x.T @ x + np.eye(width + 1), x.T @ y) / scale
            for i in np.flatnonzero(half == fold):
                context, actions = sparse[i]
                base = beta[width] + sum(beta[j] * value for j, value in context)
                self.q[i] = np.array([base + sum(beta[j] * value for j, value in own) for own in actions])

    def of(self, pi):
        """Name, value and the half width of a 95% interval."""
        n, at = len(pi), range(len(pi))

        def mean(values):
            values = np.asarray(values)
            return values.mean(), Z * values.std(ddof=1) / math.sqrt(n)

        found = {}
        if self.true:
            found["true"] = mean([pi[i] @ self.true[i] for i in at])
        weight = np.array([pi[i][self.shown[i]] for i in at]) / self.p
        found["IPS"] = mean(weight * self.r)
        if weight.sum() > 0.0:
            value = (weight * self.r).sum() / weight.sum()
            found["SNIPS"] = value, Z * (weight * (self.r - value) / weight.mean()).std(ddof=1) / math.sqrt(n)
        direct = np.array([pi[i] @ self.q[i] for i in at])
        predicted = np.array([self.q[i][self.shown[i]] for i in at])
        found["DR"] = mean(direct + weight * (self.r - predicted))
        return found


def numbers(path):
    return [np.array(line.split(","), dtype=float) for line in Path(path).read_text().splitlines()]


def judge_of(name):
    """The judge of the part that is held out."""
    path, true = part_of(name, "held"), Path(f"{name}-held-rewards.csv")
    is_json = path.suffix == ".dsjson"
    rows = [parsed(one, is_json) for one in events(path, is_json)]
    return Judge(rows, numbers(true) if true.exists() else None)


def best_candidates(pi):
    """All of the probability to the largest."""
    return [np.eye(len(row))[int(np.argmax(row))] for row in pi]


def judge(name, written):
    of_log = judge_of(name)
    columns = (["true"] if of_log.true else []) + ["IPS", "SNIPS", "DR"]
    print("| contender | policy | " + " | ".join(columns) + " | seconds | CPU s |")
    print("|---|---|" + "--:|" * (len(columns) + 2))

    def show(contender, policy, pi, *seconds):
        found = of_log.of(pi)
        values = [f"{found[key][0]:.4f} ± {found[key][1]:.4f}" if key in found else "" for key in columns]
        print(f"| {contender} | {policy} | " + " | ".join([*values, *(seconds or ("", ""))]) + " |", flush=True)

    for contender, path, *seconds in written:
        pi = numbers(path)
        if [len(row) for row in pi] != of_log.counts:
            sys.exit(f"{path}: not a probability for each candidate of each choice")
        if any(abs(row.sum() - 1.0) > 1e-4 or row.min() < 0.0 for row in pi):
            sys.exit(f"{path}: a line is no distribution")
        show(contender, "as it plays", pi, *seconds)
        if any(row.max() < 1.0 for row in pi):
            show(contender, "the best candidate", best_candidates(pi), *seconds)
    show("uniform", "as it plays", [np.full(count, 1.0 / count) for count in of_log.counts])
    print(f"\nThe log earned {of_log.r.mean():.4f} a row" + (
        f"; the best candidates would {np.mean([row.max() for row in of_log.true]):.4f}." if of_log.true else "."))


def main():
    all_commands = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = all_commands.add_subparsers(dest="command", required=True)
    one = commands.add_parser("recommender")
    one.add_argument("folder")
    for name, value in (("rows", 20_000), ("held", 5_000), ("items", 10_000), ("users", 10_000), ("candidates", 50), ("seed", 1)):
        one.add_argument(f"--{name}", type=int, default=value)
    one = commands.add_parser("open-bandit")
    one.add_argument("folder")
    one.add_argument("data")
    one.add_argument("--text", action="store_true")
    one.add_argument("--seed", type=int, default=1)
    one = commands.add_parser("split")
    one.add_argument("folder")
    one.add_argument("file")
    one = commands.add_parser("compare")
    one.add_argument("log")
    one.add_argument("--ours")
    one.add_argument("--only", help="contenders, separated by commas")
    one.add_argument("--passes", type=int, default=1)
    one = commands.add_parser("table", parents=[parser("", "program")], add_help=False)
    one = commands.add_parser("judge")
    one.add_argument("log")
    one.add_argument("predictions", nargs="*")
    one = commands.add_parser("train")
    one.add_argument("log")
    one.add_argument("contender", choices=CONTENDERS)
    one.add_argument("predictions")
    one.add_argument("--passes", type=int, default=1)
    arguments = all_commands.parse_args()
    if arguments.command == "recommender":
        recommender(arguments)
    elif arguments.command == "open-bandit":
        open_bandit(arguments)
    elif arguments.command == "split":
        split(arguments)
    elif arguments.command == "compare":
        compare(arguments)
    elif arguments.command == "table":
        show(measure(arguments), arguments)
    elif arguments.command == "judge":
        judge(arguments.log, [(Path(path).stem, path, "", "") for path in arguments.predictions])
    else:
        train_vw(arguments.log, CONTENDERS[arguments.contender], arguments.passes, arguments.predictions)


main()
