"""Every speed claim beside its peers: `cargo xtask bench --peers`.

It makes an environment in target/bench-peers/venv with the pinned packages of requirements.txt, builds our release
programs, and plays the workloads one after another. In each the contenders take turns. A package that cannot be
installed is missing in the table, and no error. Finished workloads are kept in target/bench-peers/results, and are
not played again for the same sources and parameters; so a stopped run goes on where it was. The runs of the longest
workload are kept one by one, in target/bench-peers/runs. The end is one table, and a
picture of how many times as fast as each peer ours is. `--threads` is for the workloads on Covertype; all others have
one thread.
"""

import argparse
import datetime
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from contenders import table
from picture import draw

ROOT = Path(__file__).resolve().parents[2]
PEERS = Path(__file__).resolve().parent
TARGET = Path(ROOT, os.environ.get("CARGO_TARGET_DIR", "target"))
HOME = TARGET / "bench-peers"
EXAMPLES = TARGET / "release" / "examples"
PROGRAM = TARGET / "release" / "ocoboost"
MINIBOOSTS = PEERS / "miniboosts" / "target" / "release" / "boosting-miniboosts"
LETTER = HOME / "letter.ocob"


@dataclass(frozen=True)
class Workload:
    name: str
    # The heading in the picture.
    title: str
    script: str
    # The programs that the script is given, and its other arguments; with --quick the others.
    programs: tuple
    arguments: tuple = ()
    quick: tuple = ()
    # Whether it keeps its finished runs one by one, in a folder that it is given.
    keeps: bool = False
    # The packages without which none of it can be played; the scripts leave out other missing ones.
    needs: tuple = ("numpy",)
    # What cargo builds for it: arguments of `cargo build --release`.
    builds: tuple = ()
    # Whether it needs our package for Python in the environment of the peers, built in release.
    wheel: bool = False
    # Commands before the first run.
    before: tuple = ()
    # Minutes on two idle cores, for the first guess of what is left.
    minutes: float = 1.0
    # The bars of the picture: of a case and a contender, its label, or None.
    bar: object = field(default=lambda case, who: None)


def after(case, word):
    return case.partition(word)[2].replace(" (synthetic)", ", synthetic")


def online(case):
    return after(case, "N = 20: ").removesuffix(", synthetic").replace(", beside its Online BBM", " (its BBM)")


BENCHES = ("-p", "benches", "--example")

# Every workload, in the order of the table.
WORKLOADS = [
    Workload(
        "reward", "To a test reward of .9531 on Covertype, a policy from a log (ours: second order)",
        "time_to_reward.py", (EXAMPLES / "decision_logs", EXAMPLES / "time_to_reward"),
        builds=(("-p", "experiments", "--example", "decision_logs"), (*BENCHES, "time_to_reward")), minutes=20, keeps=True,
        bar=lambda case, who: None if who.startswith("ours") else who.replace("paper's settings", "the paper's method")),
    Workload(
        "bopl", "A round of BOPL-S-regr on Covertype, trees over 2.9 million pairs", "bopl_xgboost.py",
        (EXAMPLES / "fastest_bopl", "covertype"), ("--rounds", "4"), ("--rounds", "2"),
        builds=((*BENCHES, "fastest_bopl"),), minutes=6, bar=lambda case, who: who),
    Workload(
        "stumps", "A round of AdaBoost over stumps", "adaboost_sklearn.py", (EXAMPLES / "fastest_boosting", MINIBOOSTS),
        builds=((*BENCHES, "fastest_boosting"), ("--manifest-path", PEERS / "miniboosts" / "Cargo.toml")), minutes=3,
        bar=lambda case, who: f"{who}, {after(case, 'stumps, ')}"),
    Workload(
        "online", "Rounds of online boosting, 20 logistic learners, synthetic rows", "boosting_vw.py",
        (EXAMPLES / "fastest_classifiers",), builds=((*BENCHES, "fastest_classifiers"),), minutes=3,
        bar=lambda case, who: f"Vowpal Wabbit, {online(case)}" if "default" in who and "alone" not in case else None),
    Workload(
        "rounds", "Rounds of online gradient boosting, 20 linear learners, synthetic rows", "rounds_numpy.py",
        (EXAMPLES / "fastest_stretches",), builds=((*BENCHES, "fastest_stretches"),), minutes=2,
        bar=lambda case, who: f"{who}, {online(case)}"),
    Workload(
        "reading", "Reading a synthetic log of 500,000 rows", "reading_rates.py",
        (EXAMPLES / "reading_rates", PROGRAM), builds=((*BENCHES, "reading_rates"), ("-p", "ocoboost-cli")), minutes=3,
        needs=("numpy", "pandas", "pyarrow"),
        bar=lambda case, who: f"{who}, {after(case, ' rows, ').rpartition(' MB')[0].rpartition(', ')[0]}"),
    Workload(
        "models", "Loading a model", "model_files.py", (PROGRAM, EXAMPLES / "model_loading", LETTER),
        builds=((*BENCHES, "model_loading"), ("-p", "ocoboost-cli")), minutes=1.5,
        before=((PROGRAM, "train", ROOT / "examples" / "letter-log.csv.gz", "-o", LETTER, "--budget", "20s"),),
        needs=("numpy", "xgboost"), bar=lambda case, who: who),
    Workload(
        "candidates", "A policy from a log whose actions have features", "candidates_vw.py", ("table", PROGRAM),
        builds=(("-p", "ocoboost-cli"),), minutes=3, needs=("numpy", "vowpalwabbit")),
    Workload(
        "calls", "Calls from Python", "python_package.py", (EXAMPLES / "python_calls",),
        builds=((*BENCHES, "python_calls"),), wheel=True, minutes=6, needs=("numpy", "maturin")),
    Workload(
        "python", "From Python: a classifier on Covertype, a stream of Adult", "python_peers.py", (EXAMPLES / "decision_logs",),
        builds=(("-p", "experiments", "--example", "decision_logs"),), wheel=True, minutes=12, needs=("numpy", "maturin"),
        bar=lambda case, who: None if who.startswith("ours") or case.startswith("a policy") else f"{who}, {case.split(',')[0]}"),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def minutes(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def environment():
    """The Python of the peers, and the packages that it lacks."""
    python = HOME / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        say("making the environment of the peers")
        subprocess.run([sys.executable, "-m", "venv", HOME / "venv"], check=True)
    list_of = "from importlib.metadata import distributions as d; print(*(f'{x.name}=={x.version}' for x in d()))"
    missing = set()
    for pinned in (PEERS / "requirements.txt").read_text().split():
        installed = subprocess.check_output([python, "-c", list_of], text=True).lower().replace("_", "-").split()
        if pinned not in installed:
            say(f"installing {pinned}")
            command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned]
            if subprocess.run(command).returncode:
                say(f"{pinned} cannot be installed: missing in the table")
                missing.add(pinned.partition("==")[0])
    return python, missing


def build(workloads):
    """Builds what the workloads need, all examples of a package at once."""
    cargo, commands = os.environ.get("CARGO", "cargo"), {}
    for words in dict.fromkeys(words for workload in workloads for words in workload.builds):
        commands.setdefault(words[:2], []).extend(words[2:])
    failed = []
    for package, rest in commands.items():
        say(f"building {package[1].name if isinstance(package[1], Path) else package[1]}")
        # Miniboosts is a package of its own, with its own folder.
        own = {"CARGO_TARGET_DIR": ""} if package[0] == "--manifest-path" else {}
        variables = {k: v for k, v in os.environ.items() if k not in own} | {"CARGO_INCREMENTAL": "0"}
        command = [cargo, "build", "--quiet", "--release", *package, *rest]
        if subprocess.run(command, cwd=ROOT, env=variables).returncode:
            if not own:
                sys.exit(f"the build of {package[1]} failed")
            say("miniboosts cannot be built: missing in the table")
            failed.append("miniboosts")
    return set(failed)


def install(python):
    """Our package for Python, in the environment of the peers."""
    say("building the package for Python")
    folder = HOME / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    command = [python, "-m", "maturin", "build", "--release", "--quiet", "--out", folder, "--manifest-path",
               ROOT / "crates" / "python" / "Cargo.toml"]
    # maturin puts what it builds where cargo does.
    if subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, "CARGO_INCREMENTAL": "0"}).returncode:
        sys.exit("the build of the package failed")
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"]
    subprocess.run([*command, *folder.glob("*.whl")], check=True)


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    return git("describe", "--always", "--dirty", "--exclude=*") or "unknown"


def fingerprint(workload, parameters):
    """Of the sources that the result depends on, as they are, and of the parameters."""
    paths = ["crates", "benches/src", "benches/examples", "Cargo.toml", "Cargo.lock", "benches/peers/requirements.txt"]
    sources = [git("rev-parse", f"HEAD:{path}") for path in paths] + [git("diff", "HEAD", "--", *paths)]
    sources += [(PEERS / workload.script).read_text(), (PEERS / "contenders.py").read_text()]
    sources += [json.dumps([*map(str, workload.arguments), *map(str, workload.quick), parameters])]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def play(workload, python, missing, arguments, key):
    """The rows of a workload; a script that fails is one missing row."""
    lacking = [package for package in workload.needs if package in missing]
    if lacking:
        return [{"case": workload.title, "contender": package, "threads": arguments.threads, "unit": "s", "value": None,
                 "note": f"{package} is missing"} for package in lacking], True
    for command in workload.before:
        if not Path(command[command.index("-o") + 1]).exists():
            subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    options = workload.quick or workload.arguments if arguments.quick else workload.arguments
    command = [python, PEERS / workload.script, *workload.programs, *options, "--json", "--threads", arguments.threads,
               "--without", ",".join(sorted(missing)), *(["--quick"] if arguments.quick else []),
               *(["--keep", HOME / "runs" / key] if workload.keeps else [])]
    running = subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        rows = [json.loads(line) for line in running.stdout if line.startswith("{")]
        code = running.wait()
    except KeyboardInterrupt:
        running.terminate()
        running.wait()
        raise
    if code:
        say(f"{workload.name} failed with exit code {code}")
    return rows, code == 0


def machine():
    """In plain words."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
    return {"processors": os.cpu_count(), "model": model, "load": round(os.getloadavg()[0], 1)}


def results(arguments, chosen, python, missing):
    folder = HOME / "results"
    if arguments.fresh:
        for kept in (folder, HOME / "runs"):
            shutil.rmtree(kept, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    parameters = {"threads": arguments.threads, "quick": arguments.quick, "missing": sorted(missing)}
    found, left, speed = {}, sum(workload.minutes for workload in chosen), [0.0, 0.0]
    for number, workload in enumerate(chosen, 1):
        key, file = fingerprint(workload, parameters), folder / f"{workload.name}.json"
        kept = json.loads(file.read_text()) if file.exists() else {}
        if kept.get("fingerprint") == key:
            say(f"[{number}/{len(chosen)}] {workload.name}: kept from {kept['date']}")
        else:
            # Guesses are of an idle machine: the pace so far corrects them.
            pace = speed[0] / speed[1] if speed[1] else 60.0
            say(f"[{number}/{len(chosen)}] {workload.name}: about {minutes(workload.minutes * pace)}, "
                f"{minutes(left * pace)} for all that is left")
            state, begun = machine(), time.monotonic()
            rows, is_complete = play(workload, python, missing, arguments, key)
            seconds = time.monotonic() - begun
            speed = [speed[0] + seconds, speed[1] + workload.minutes]
            kept = {"workload": workload.name, "fingerprint": key, "commit": commit(), "parameters": parameters,
                    "date": datetime.date.today().isoformat(), "seconds": round(seconds, 1), "machine": state,
                    "rows": rows if is_complete else [*rows, {"case": workload.title, "contender": "failed", "unit": "s",
                                                              "threads": arguments.threads, "value": None}]}
            if is_complete:
                beside = file.with_suffix(".new")
                beside.write_text(json.dumps(kept, indent=1))
                beside.replace(file)
        left -= workload.minutes
        found[workload.name] = kept
    return found


def bars(workload, rows):
    """The bars of a workload: the first row of a case is ours."""
    ours = {}
    for row in rows:
        if ours.setdefault(row["case"], row) is row:
            continue
        label = workload.bar(row["case"], row["contender"])
        if label:
            yield label, row, ours[row["case"]]


def main():
    parser = argparse.ArgumentParser(prog="cargo xtask bench --peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes all results, curves included")
    parser.add_argument("--svg", type=Path, metavar="FILE", default=HOME / "benchmarks.svg",
                        help="the picture (default: target/bench-peers/benchmarks.svg)")
    parser.add_argument("--cpu", action="store_true",
                        help="the picture by CPU seconds where they are known, for a machine under load")
    parser.add_argument("--only", default="", metavar="NAME,...",
                        help=f"some of {', '.join(workload.name for workload in WORKLOADS)}")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--quick", action="store_true", help="one turn each, few rounds: a rehearsal")
    parser.add_argument("--fresh", action="store_true", help="discards what is kept")
    arguments = parser.parse_args()
    names = list(filter(None, arguments.only.split(",")))
    unknown = [name for name in names if name not in [workload.name for workload in WORKLOADS]]
    if unknown or arguments.threads < 1:
        parser.error(f"unknown workload {unknown[0]}" if unknown else "at least one thread")
    chosen = [workload for workload in WORKLOADS if not names or workload.name in names]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        python, missing = environment()
        missing |= build(chosen)
        if any(workload.wheel for workload in chosen) and "maturin" not in missing:
            install(python)
        found = results(arguments, chosen, python, missing)
    except KeyboardInterrupt:
        say("\nstopped; the same command goes on after the last finished workload")
        sys.exit(130)
    rows = [row for kept in found.values() for row in kept["rows"]]
    print(table(rows))
    groups = [(workload.title, list(bars(workload, found[workload.name]["rows"]))) for workload in chosen]
    arguments.svg.parent.mkdir(parents=True, exist_ok=True)
    arguments.svg.write_text(draw(groups, arguments.cpu))
    say(f"the picture: {arguments.svg}")
    if arguments.json:
        pinned = (PEERS / "requirements.txt").read_text().split()
        arguments.json.write_text(json.dumps({"commit": commit(), "date": datetime.date.today().isoformat(),
                                              "peers": pinned, "missing": sorted(missing),
                                              "workloads": list(found.values())}, indent=1))
        say(f"the results: {arguments.json}")
    sys.exit(any(row["contender"] == "failed" for row in rows))


if __name__ == "__main__":
    main()
