"""What every comparison has in common: running a contender, and its rows in the one table.

A row is a dict: `case`, `contender`, `threads`, `value` with its `unit` ("s" or "ms": less is better; "rounds/s" or
"rows/s": more is better). Where it is known it has `quality` (text), `cpu_seconds` (of all threads, of what `value` is the time of), `memory_mb` (the peak of the contender's process, or
what it added to it, as the page says) and `note`; `at_least` where the time is a lower bound, `extrapolated` where it is
no measurement. A comparison's program prints a JSON line a row if it is asked with `--json`, and else a table.
`--without a,b` names the packages that are not there, `--quick` asks for the shortest run that still has every
contender. The first row of a case is ours, which the ratios are of.
"""

import argparse
import json
import os
import subprocess
import sys

OURS = "ours"


def parser(description, *programs):
    """The arguments that all comparisons have, and the paths of the programs that this one calls."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for program in programs:
        found.add_argument(program)
    found.add_argument("--json", action="store_true")
    found.add_argument("--quick", action="store_true")
    found.add_argument("--threads", type=int, default=2)
    found.add_argument("--without", type=lambda text: set(filter(None, text.split(","))), default=set())
    return found


def program(command, **environment):
    """The JSON that a program prints last, with its `cpu` seconds and the `memory_mb` of its peak."""
    running = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
    with running.stdout:
        said = running.stdout.read()
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime, "memory_mb": usage.ru_maxrss / 1024,
            **json.loads(said.splitlines()[-1])}


def is_time(unit):
    return unit in ("s", "ms")


def ratio(row, ours, of="value"):
    """How many times as fast as this row ours is, or how many times less CPU it takes; `None` if one side is unknown."""
    if row.get(of) is None or ours.get(of) is None:
        return None
    return row[of] / ours[of] if of != "value" or is_time(row["unit"]) else ours[of] / row[of]


def about(row):
    """What stands before a number of this row."""
    return "> " if row.get("at_least") else "≈ " if row.get("extrapolated") else ""


def significant(value):
    """Three digits, without an exponent."""
    if value is None:
        return "–"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def table(rows):
    """The rows as a table of Markdown."""
    lines = ["| workload | contender | threads | time or rate | CPU s | ours is faster | by CPU | quality | peak MB |",
             "|---|---|--:|--:|--:|--:|--:|---|--:|"]
    ours = {}
    for row in rows:
        first = ours.setdefault(row["case"], row) is row
        times = [ratio(row, ours[row["case"]], of) for of in ("value", "cpu_seconds")]
        faster, less = ["" if first or one is None else f"{about(row)}{significant(one)}×" for one in times]
        value = "–" if row.get("value") is None else f"{about(row)}{significant(row['value'])} {row['unit']}"
        cpu = f"{about(row)}{significant(row['cpu_seconds'])}" if row.get("cpu_seconds") else ""
        note = f"; {row['note']}" if row.get("note") else ""
        memory = significant(row["memory_mb"]) if row.get("memory_mb") else ""
        lines.append(f"| {row['case'] if first else ''} | {row['contender']}{note} | {row['threads']} | {value} | {cpu} | "
                     f"{faster} | {less} | {row.get('quality') or ''} | {memory} |")
    return "\n".join(lines)


def show(rows, arguments):
    """Prints rows as they come, or a table at the end."""
    if arguments.json:
        for row in rows:
            print(json.dumps(row), flush=True)
    else:
        print(table(list(rows)))


def say(text):
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)
