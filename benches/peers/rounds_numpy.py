"""The benchmarked rounds of online gradient boosting in NumPy, vectorised over the weak learners.

    python rounds_numpy.py target/release/examples/fastest_stretches    times the rounds of both sides, in turn
    python rounds_numpy.py --check    reads the lines of benches/examples/average_loss.rs, and fails where an average
                                      loss differs by more than 1e-9

The rows, labels, directions and noise are those of benches/src/lib.rs. Everything that a round does not have to do is
done before: directions and noise are drawn, step sizes tabulated, squared norms of the rows known, results go to
arrays made once. As in benches/examples/fastest_stretches.rs, the fastest 100 rounds count.
"""

import json
import os
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from contenders import OURS, parser, say, show

LEARNERS, ROWS, NOISE = 20, 1000, 0.1
RADIUS, DELTA, STEP, EXPONENT = 2.0, 0.5, 0.05, 0.25
CASES = {"dense-10": (10, 10), "dense-100": (100, 100), "sparse-400": (400, 40)}
REPEATS, TIMED_PASSES, STRETCH, TURNS = 5, 10, 100, 3


def uniform(seed, count):
    """SplitMix64, draws 1 to count, as numbers in [0, 1)."""
    z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)) / 2.0**53


class Stream:
    def __init__(self, dimension, stored):
        size = (3.0 / stored) ** 0.5
        self.dimension = dimension
        self.values = (size * (2.0 * uniform(1, ROWS * stored) - 1.0)).reshape(ROWS, stored)
        noise = 0.2 * (2.0 * uniform(2, ROWS) - 1.0)
        self.labels = np.clip(0.5 * self.values.sum(axis=1) + noise, -1.0, 1.0)
        block = dimension // stored
        within = (uniform(3, ROWS * stored) * block).astype(np.intp).reshape(ROWS, stored)
        self.indices = np.arange(stored) * block + within
        self.norms_squared = np.einsum("ij,ij->i", self.values, self.values)
        self.directions = np.where(uniform(4, ROWS * LEARNERS) < 0.5, -1.0, 1.0).reshape(ROWS, LEARNERS)
        self.noise = (NOISE * (2.0 * uniform(5, ROWS * LEARNERS) - 1.0)).reshape(ROWS, LEARNERS)

    def written_out(self):
        """The rows with all their zeros."""
        dense = np.zeros((ROWS, self.dimension))
        np.put_along_axis(dense, self.indices, self.values, axis=1)
        return dense


def frank_wolfe_weights():
    """L with y = L a: row i holds the weights of a_1, ..., a_i in y^i, i = 0..N."""
    rows = np.zeros((LEARNERS + 1, LEARNERS))
    for i in range(1, LEARNERS + 1):
        eta = 2.0 / (i + 1)
        rows[i] = (1.0 - eta) * rows[i - 1]
        rows[i, i - 1] += eta
    return rows


class Weights:
    """What the two layouts share: W = scale * directions, row norms, and the projection by scaling."""

    def __init__(self):
        self.scale = np.ones(LEARNERS)
        self.limit = np.full(LEARNERS, RADIUS**2)
        self.norm_squared = np.zeros(LEARNERS)
        self.step, self.change = np.empty(LEARNERS), np.empty(LEARNERS)

    def project(self, bare, x_squared):
        """Norms after directions - step x', with `bare` = directions x, and the scales that follow from them."""
        np.multiply(self.step, x_squared, out=self.change)
        self.change -= bare
        self.change -= bare
        self.change *= self.step
        self.norm_squared += self.change
        over = self.norm_squared > self.limit
        if over.any():
            self.scale[over] = RADIUS / np.sqrt(self.norm_squared[over])
            self.limit[over] = (RADIUS / self.scale[over]) ** 2


class DenseWeights(Weights):
    """A matrix-vector product and a rank-one update."""

    def __init__(self, stream):
        super().__init__()
        self.directions = np.zeros((LEARNERS, stream.dimension))
        self.update = np.empty_like(self.directions)
        self.rows = list(stream.written_out())

    def dot(self, t, out):
        np.dot(self.directions, self.rows[t], out=out)

    def descend(self, t):
        np.multiply(self.step[:, None], self.rows[t], out=self.update)
        np.subtract(self.directions, self.update, out=self.directions)


class IndexedWeights(Weights):
    """The same on the stored features only; a feature's weights lie together."""

    def __init__(self, stream):
        super().__init__()
        stored = stream.values.shape[1]
        self.directions = np.zeros((stream.dimension, LEARNERS))
        self.picked, self.update = np.empty((stored, LEARNERS)), np.empty((stored, LEARNERS))
        self.values, self.indices = list(stream.values), list(stream.indices)
        self.columns = list(stream.values[:, :, None])

    def dot(self, t, out):
        # "clip" lets take write into `out` without a copy.
        np.take(self.directions, self.indices[t], axis=0, out=self.picked, mode="clip")
        np.dot(self.values[t], self.picked, out=out)

    def descend(self, t):
        np.multiply(self.columns[t], self.step, out=self.update)
        np.subtract(self.picked, self.update, out=self.picked)
        self.directions[self.indices[t]] = self.picked


def run(weights, stream, bandit, passes):
    """Plays the stream over and over; returns the average loss, and the seconds of the fastest STRETCH rounds."""
    partial_weights = frank_wolfe_weights()
    labels, norms_squared = stream.labels.tolist(), stream.norms_squared.tolist()
    steps = (STEP * np.arange(1, passes * ROWS + 1) ** -EXPONENT).tolist()
    offsets, noise = list(DELTA * stream.directions), list(stream.noise)
    slopes = list(stream.directions / DELTA)  # (d/δ)v, d = 1
    bare, a, y, g = np.empty(LEARNERS), np.empty(LEARNERS), np.empty(LEARNERS + 1), np.empty(LEARNERS)
    before = y[:-1]
    total, played_rounds = 0.0, 0
    start, fastest = time.perf_counter(), float("inf")
    for _ in range(passes):
        for t in range(ROWS):
            label = labels[t]
            weights.dot(t, bare)
            np.multiply(bare, weights.scale, out=a)
            np.dot(partial_weights, a, out=y)
            if bandit:
                np.add(before, offsets[t], out=g)
                g -= label
                g *= g
                g += noise[t]
                g *= slopes[t]
            else:
                np.subtract(before, label, out=g)
                g *= 2.0
            played = min(max(float(y[LEARNERS]), -1.0), 1.0)
            total += (played - label) ** 2
            np.divide(g, weights.scale, out=weights.step)
            weights.step *= steps[played_rounds]
            weights.descend(t)
            weights.project(bare, norms_squared[t])
            played_rounds += 1
            if played_rounds % STRETCH == 0:
                now = time.perf_counter()
                start, fastest = now, min(fastest, now - start)
    return total / played_rounds, fastest


def layouts(stream):
    """The ways to store the weights that make sense for a stream."""
    sparse = stream.values.shape[1] < stream.dimension
    return [DenseWeights, IndexedWeights] if sparse else [DenseWeights]


def check(lines):
    for line in lines:
        rust = json.loads(line)
        stream = Stream(*CASES[rust["case"]])
        for layout in layouts(stream):
            ours, _ = run(layout(stream), stream, rust["feedback"] == "bandit", rust["passes"])
            difference = abs(ours - rust["average_loss"])
            print(f"{rust['case']:<10}  {rust['feedback']:<16}  {layout.__name__:<14}  {ours:.12f}  {difference:.1e}")
            if not difference <= 1e-9:
                sys.exit("the average losses differ")


def measure(arguments):
    """Ours and NumPy in turn; a stream has the faster of its two layouts."""
    best, cases = {}, ("full information", "bandit")
    for _ in range(1 if arguments.quick else TURNS):
        for line in subprocess.check_output([arguments.ours], text=True).splitlines()[2:]:
            name, feedback, rate = [cell.strip() for cell in line.split("|")[1:4]]
            best[name, feedback, OURS] = max(best.get((name, feedback, OURS), 0.0), float(rate))
        for name, shape in CASES.items():
            stream = Stream(*shape)
            for layout in layouts(stream):
                for feedback in cases:
                    runs = [run(layout(stream), stream, feedback == "bandit", TIMED_PASSES) for _ in range(REPEATS)]
                    rate, key = STRETCH / min(seconds for _, seconds in runs), (name, feedback, "NumPy")
                    say(f"  {name}, {feedback}, NumPy, {layout.__name__}: {rate:,.0f} rounds/s")
                    best[key] = max(best.get(key, 0.0), rate)
    for name in CASES:
        for feedback in cases:
            for who in (OURS, "NumPy"):
                row = {"case": f"online gradient boosting, N = 20: {name}, {feedback} (synthetic)", "contender": who,
                       "threads": 1, "unit": "rounds/s"}
                yield row | {"value": best[name, feedback, who]}


def main():
    if sys.argv[1:] == ["--check"]:
        check(sys.stdin)
        return
    arguments = parser(__doc__, "ours").parse_args()
    show(measure(arguments), arguments)


if __name__ == "__main__":
    main()
