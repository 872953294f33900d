"""Tests of the table, the picture and the command, without a peer: `python3 -m unittest` in this folder."""

import contextlib
import io
import json
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import contenders
import run
import time_to_reward
from picture import draw

OURS = {"case": "a round", "contender": "ours", "threads": 1, "value": 2.0, "unit": "ms"}
PEER = {**OURS, "contender": "theirs", "value": 500.0}


class Table(unittest.TestCase):
    def test_a_ratio_is_how_many_times_as_fast_ours_is(self):
        self.assertEqual(contenders.ratio(PEER, OURS), 250.0)
        rates = [{**row, "unit": "rounds/s"} for row in (PEER, OURS)]
        self.assertEqual(contenders.ratio(*rates), 2.0 / 500.0)
        self.assertIsNone(contenders.ratio({**PEER, "value": None}, OURS))

    def test_a_missing_peer_has_a_row(self):
        lines = contenders.table([OURS, PEER, {**PEER, "value": None, "note": "theirs is missing"}]).splitlines()
        self.assertEqual(lines[2], "| a round | ours | 1 | 2.00 ms |  |  |  |  |  |")
        self.assertEqual(lines[3], "|  | theirs | 1 | 500 ms |  | 250× |  |  |  |")
        self.assertEqual(lines[4], "|  | theirs; theirs is missing | 1 | – |  |  |  |  |  |")

    def test_cpu_seconds_have_a_ratio_of_their_own(self):
        ours, peer = {**OURS, "cpu_seconds": 4.0}, {**PEER, "cpu_seconds": 40.0, "extrapolated": True}
        self.assertTrue(contenders.table([ours, peer]).endswith("| ≈ 500 ms | ≈ 40.0 | ≈ 250× | ≈ 10.0× |  |  |"))
        self.assertIn("≈ 10.0×", draw([("h", [("theirs", peer, ours)])], by_cpu=True))
        self.assertIn("≈ 250×", draw([("h", [("theirs", peer, ours)])]))

    def test_the_memory_and_the_json_of_a_program_are_found(self):
        found = contenders.program([run.sys.executable, "-c", "print('a line'); print('{\"seconds\": 3}')"])
        self.assertEqual(found["seconds"], 3)
        self.assertGreater(found["memory_mb"], 1)
        with self.assertRaises(contenders.subprocess.CalledProcessError):
            contenders.program([run.sys.executable, "-c", "raise SystemExit(3)"])


class TimeToReward(unittest.TestCase):
    RUN = {"prepared": 1.0, "prepared_cpu": 2.0, "peak": 2**20, "seconds": [5.0, 2.0, 4.0, 3.0], "cpu": [10.0, 4.0, 8.0, 6.0]}

    def test_a_run_that_is_there_takes_its_preparation_and_rounds(self):
        row = time_to_reward.row("theirs", 2, {**self.RUN, "rewards": [0.5, 0.6, 0.7, 0.9531]})
        self.assertEqual((row["value"], row["rounds"], row["cpu_seconds"]), (15.0, 4, 30.0))
        self.assertEqual([point["seconds"] for point in row["curve"]], [6.0, 8.0, 12.0, 15.0])
        self.assertNotIn("extrapolated", row)

    def test_a_run_that_ended_early_is_extrapolated_by_the_rounds_of_ours(self):
        run, ours = {**self.RUN, "rewards": [0.5, 0.6, 0.7, 0.8]}, [0.5, 0.6, 0.7, 0.81, 0.9, 0.954]
        row = time_to_reward.row("theirs", 2, run, {"rewards": ours})
        # The first round, and the median later one five times.
        self.assertEqual((row["value"], row["cpu_seconds"]), (1.0 + 5.0 + 5 * 3.0, 2.0 + 10.0 + 5 * 6.0))
        self.assertTrue(row["extrapolated"] and "extrapolated to 6 rounds" in row["note"])
        self.assertEqual(row["quality"], "0.8000 after 4 rounds, ours had 0.8100")

    def test_a_kept_run_is_not_played_again(self):
        run_of = lambda rewards: {**self.RUN, "rewards": rewards}
        played = []

        def program(command):
            played.append(command)
            return run_of([0.5, 0.6, 0.7, 0.9531])

        with tempfile.TemporaryDirectory() as keep, mock.patch.object(time_to_reward, "program", program), \
                mock.patch.object(time_to_reward.subprocess, "run"), contextlib.redirect_stderr(io.StringIO()):
            arguments = SimpleNamespace(threads=2, quick=True, turns=2, keep=keep, without={"lightgbm"}, most=1.0, logs="", ours="")
            rows = list(time_to_reward.measure(arguments, ""))
            # Ours twice with second-order steps and once with the paper's settings, and three peers.
            self.assertEqual(len(played), 6)
            self.assertEqual(rows, list(time_to_reward.measure(arguments, "")))
            self.assertEqual(len(played), 6)
            self.assertEqual([row["contender"] for row in rows if row["value"] is None], ["LightGBM, second order"])
            self.assertEqual(rows[0]["contender"], "ours, second order")

    def test_a_run_that_nothing_extrapolates_has_a_lower_bound(self):
        run = {**self.RUN, "rewards": [0.5, 0.6, 0.7, 0.8]}
        for same in (None, {"rewards": [0.5] * 9}, {"rewards": [0.5, 0.6, 0.96]}):
            row = time_to_reward.row("theirs", 2, run, same)
            self.assertEqual((row["value"], row["at_least"]), (15.0, True))
            self.assertIn("not reached", row["quality"])
            self.assertIn("| > 15.0 s | > 30.0 | > 7,500× |", contenders.table([{**OURS, "value": 0.002, "unit": "s",
                                                                        "case": row["case"]}, row]))


class Picture(unittest.TestCase):
    def test_every_bar_has_the_length_of_its_ratio(self):
        slower = {**PEER, "value": 0.2}
        guess = {**PEER, "value": 2000.0, "extrapolated": True}
        text = draw([("A & B", [("fast", PEER, OURS), ("slow", slower, OURS), ("guess", guess, OURS)]), ("empty", [])])
        bars = [one.attrib for one in xml.etree.ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}rect")
                if one.attrib.get("class")]
        self.assertEqual([bar["class"] for bar in bars], ["faster", "slower", "guess"])
        # log10: 250 → 2.398, 1/10 → −1, 1000 → 3.
        self.assertAlmostEqual(float(bars[0]["width"]) / float(bars[1]["width"]), 2.398, places=2)
        self.assertAlmostEqual(float(bars[2]["width"]) / float(bars[1]["width"]), 3.0, places=2)
        self.assertIn("A &amp; B", text)
        self.assertNotIn("empty", text)
        self.assertIn("≈ 1,000×", text)


class Command(unittest.TestCase):
    def test_every_workload_is_complete(self):
        self.assertEqual(len({workload.name for workload in run.WORKLOADS}), len(run.WORKLOADS))
        pinned = {line.partition("==")[0] for line in (run.PEERS / "requirements.txt").read_text().split()}
        for workload in run.WORKLOADS:
            self.assertTrue((run.PEERS / workload.script).is_file(), workload.name)
            self.assertTrue(workload.builds and set(workload.needs) <= pinned, workload.name)
            for words in workload.builds:
                if words[2:]:
                    places = [run.ROOT / "benches", run.ROOT / "crates" / words[1]]
                    self.assertTrue(any((place / "examples" / f"{words[-1]}.rs").is_file() for place in places)
                                    or words[2] != "--example", words)

    def test_a_workload_without_its_package_is_a_row(self):
        rows, is_complete = run.play(run.WORKLOADS[0], None, {"numpy"}, SimpleNamespace(threads=2, quick=False), "")
        self.assertTrue(is_complete)
        self.assertEqual(rows[0]["note"], "numpy is missing")

    def test_a_finished_workload_is_kept_for_its_sources_and_parameters(self):
        played = []

        def play(workload, *_):
            played.append(workload.name)
            return [OURS, PEER], workload.name != "models"

        arguments = SimpleNamespace(threads=2, quick=True, fresh=False)
        chosen = [workload for workload in run.WORKLOADS if workload.name in ("stumps", "models")]
        with tempfile.TemporaryDirectory() as home, mock.patch.object(run, "HOME", Path(home)), \
                mock.patch.object(run, "play", play), contextlib.redirect_stderr(io.StringIO()):
            run.results(arguments, chosen, None, set())
            found = run.results(arguments, chosen, None, set())
            # The one that failed is played again, and its failure is a row.
            self.assertEqual(played, ["stumps", "models", "models"])
            self.assertEqual(found["stumps"]["rows"], [OURS, PEER])
            self.assertEqual(found["models"]["rows"][-1]["contender"], "failed")
            self.assertEqual(json.loads(Path(home, "results", "stumps.json").read_text()), found["stumps"])
            run.results(SimpleNamespace(threads=1, quick=True, fresh=False), chosen[:1], None, set())
            run.results(SimpleNamespace(threads=1, quick=True, fresh=True), chosen[:1], None, set())
            self.assertEqual(played[3:], ["stumps", "stumps"])

    def test_an_unknown_workload_is_refused(self):
        with mock.patch.object(run.sys, "argv", ["run.py", "--only", "stumps,tests"]), \
                contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as stopped:
            run.main()
        self.assertEqual(stopped.exception.code, 2)
        self.assertIn("unknown workload tests", said.getvalue())


if __name__ == "__main__":
    unittest.main()
