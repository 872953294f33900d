"""The peak of memory of a fit from Python, beside the contexts that the caller holds.

    pip install WHEEL && python benches/peers/python_memory.py [--rows N --columns M --boosters … --containers …]

Every fit is a process of its own, on made-up uniform contexts (synthetic) of float64 in C's order, and of the other
containers. A package of them that is not installed is missing in the table. A line says what the fit added to the peak
of the process, in multiples of the contexts' own n·m·8 bytes: 1 is a second copy of them.
"""

import argparse
import importlib.util
import json
import subprocess
import sys

BOOSTERS = ("policy", "reward", "classifier")
CONTAINERS = ("numpy", "Fortran", "single", "pandas", "polars", "pyarrow", "CSR")
PACKAGES = {"CSR": "scipy"}


def contained(x, container):
    import numpy as np

    names = [f"x{j}" for j in range(x.shape[1])]
    match container:
        case "numpy":
            return x
        case "Fortran":
            return np.asfortranarray(x)
        case "single":
            return x.astype(np.float32)
        case "pandas":
            import pandas
            return pandas.DataFrame(x, columns=names)
        case "polars":
            import polars
            return polars.DataFrame(x, schema=names)
        case "pyarrow":
            import pyarrow
            return pyarrow.table({name: x[:, j] for j, name in enumerate(names)})
        case "CSR":
            import scipy.sparse
            return scipy.sparse.csr_array(x)


def fit(booster, x, first):
    import numpy as np
    from ocoboost.boost import AdaBoostClassifier
    from ocoboost.offpolicy import PolicyBooster, RewardBooster

    if booster == "classifier":
        AdaBoostClassifier(n_estimators=10).fit(x, (first > 0.5).astype(int))
        return
    action = np.arange(len(first)) % 2
    reward = (action == (first > 0.5)).astype(float)
    kind = PolicyBooster if booster == "policy" else RewardBooster
    kind(time_budget=None, n_candidates=2, n_estimators=20).fit(x, action, reward, np.full(len(first), 0.5))


def play(booster, container, rows, columns):
    import numpy as np

    rng = np.random.default_rng(0)
    small = rng.random((500, 4))
    fit(booster, contained(small, container), small[:, 0])
    made = rng.random((rows, columns))
    x, first = contained(made, container), made[:, 0].copy()
    del made
    # What the making took is free again, and comes before the fit's own.
    before = resident()
    reset()
    fit(booster, x, first)
    print(json.dumps({"added": peak_since_reset() - before}))


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def reset():
    """The peak starts again from here."""
    with open("/proc/self/clear_refs", "w") as peaks:
        peaks.write("5")


def peak_since_reset():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--boosters", nargs="+", default=BOOSTERS, choices=BOOSTERS)
    parser.add_argument("--containers", nargs="+", default=CONTAINERS, choices=CONTAINERS)
    parser.add_argument("--play", nargs=2, metavar=("BOOSTER", "CONTAINER"))
    arguments = parser.parse_args()
    if arguments.play:
        play(*arguments.play, arguments.rows, arguments.columns)
        return
    size = arguments.rows * arguments.columns * 8
    print(f"contexts of {arguments.rows:,} × {arguments.columns}, {size / 1e6:.0f} MB as doubles (synthetic)\n")
    print("| fit | container | added to the peak, MB | in contexts |\n|---|---|--:|--:|")
    for booster in arguments.boosters:
        for container in arguments.containers:
            if booster == "classifier" and container in ("pandas", "polars", "pyarrow"):
                continue
            package = PACKAGES.get(container, container)
            if container not in ("Fortran", "single") and importlib.util.find_spec(package) is None:
                print(f"| {booster} | {container} | {package} is missing | |", flush=True)
                continue
            command = [sys.executable, __file__, "--rows", str(arguments.rows), "--columns", str(arguments.columns)]
            command += ["--play", booster, container]
            added = json.loads(subprocess.check_output(command, text=True))["added"]
            print(f"| {booster} | {container} | {added / 1e6:.1f} | {added / size:.2f} |", flush=True)


if __name__ == "__main__":
    main()
