"""Writes projections.json and divergences.json: inputs with their exact answers, rounded once.

Numbers are `Fraction`s, or 60-digit decimals where roots and logarithms come in, so no rounding to float enters before
the last step; the algorithms sort and scan, unlike those of the crate. Run it as `python3 generate.py [cases per family] [seed]`.
"""

import json
import random
import sys
from decimal import Decimal, localcontext
from fractions import Fraction as F

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 12
RNG = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 2014)


def nearest(x):
    return float(x)  # Fraction.__float__ rounds once, to nearest


def threshold(y, caps, s):
    """The exact tau with sum of clip(y - tau, 0, c) = s; needs sum(c) > s."""
    def level(t):
        return sum((min(max(v - t, 0), c) for v, c in zip(y, caps)), F(0))
    points = sorted(set(y) | {v - c for v, c in zip(y, caps)})
    low, high = 0, len(points) - 1  # level(points[0]) = sum(c) > s, level(points[-1]) = 0 < s
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if level(points[middle]) >= s else (low, middle)
    a, b = points[low], points[high]
    return a + (b - a) * (level(a) - s) / (level(a) - level(b))


def euclidean_capped(y, caps, s):
    y, caps, s = [F(v) for v in y], [F(c) for c in caps], F(s)
    if sum(caps) <= s:
        return caps
    tau = threshold(y, caps, s)
    return [min(max(v - tau, F(0)), c) for v, c in zip(y, caps)]


def entropic_capped(y, caps, s):
    y, caps, s = [F(v) for v in y], [F(c) for c in caps], F(s)
    support = [i for i, v in enumerate(y) if v > 0]
    if sum(caps[i] for i in support) <= s:
        return [c if v > 0 else F(0) for v, c in zip(y, caps)]
    x = [F(0)] * len(y)
    order = sorted(support, key=lambda i: caps[i] / y[i])
    rest, weight = s, sum(y[i] for i in support)
    for k, i in enumerate(order):
        rho = rest / weight
        if caps[i] > rho * y[i]:
            for j in order[k:]:
                x[j] = rho * y[j]
            break
        x[i] = caps[i]
        rest -= caps[i]
        weight -= y[i]
    return x


def l1(y, r):
    z = [abs(F(v)) for v in y]
    if sum(z) <= F(r):
        return [F(v) for v in y]
    x = euclidean_capped(z, [F(r)] * len(z), F(r)) if len(z) > 1 else [F(r)]
    return [-a if v < 0 else a for a, v in zip(x, y)]


def l2(y, r):
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**6, -10**6
        squares = sum((Decimal(v) ** 2 for v in y), Decimal(0))
        if squares <= Decimal(r) ** 2:
            return y
        return [float(Decimal(v) * Decimal(r) / squares.sqrt()) for v in y]


def size():
    return RNG.choice([1, 2, 3, 5, 8, 17, 50])


def entry(style):
    if style == "plain":
        return RNG.uniform(-2, 2)
    if style == "grid":
        return RNG.randrange(-4, 5) / 4
    if style == "wide":
        return RNG.choice([-1, 1]) * RNG.uniform(1, 10) * 10.0 ** RNG.randrange(-300, 300)
    if style == "offset":
        return 1e8 + RNG.uniform(-1, 1)
    if style == "far":
        return 1e16 + 2 * RNG.randrange(0, 3)
    if style == "mixed":
        return RNG.choice([entry("plain"), entry("wide"), entry("grid"), RNG.uniform(0, 1e-12), 1e-300, 1e300])
    return RNG.uniform(0, 1) * 10.0 ** -RNG.randrange(0, 20)  # "geometric"


STYLES = ["plain", "grid", "wide", "offset", "far", "mixed", "geometric"]


def vector(n):
    style = RNG.choice(STYLES)
    return [entry(style) for _ in range(n)]


def mass():
    return RNG.choice([1.0, 1.0, RNG.uniform(0.1, 5), 1e-6, 1e6, 1e-200, 1e200, 1e-308, 1.5e308])


def caps_for(n, s):
    style = RNG.choice(["equal", "random", "zeros", "wide", "tight", "loose"])
    if style == "equal":
        return [min(s, 1.5 * s / n)] * n
    if style == "tight":
        return [s / n] * n
    if style == "loose":
        return [RNG.choice([s, max(s, 1e300), 1.7e308]) for _ in range(n)]
    shares = [RNG.uniform(0, 1) for _ in range(n)]
    if style == "zeros":
        shares = [RNG.choice([0, 1, v]) for v in shares]
    if style == "wide":
        shares = [v * 10.0 ** -RNG.randrange(0, 30) for v in shares]
    shares[RNG.randrange(n)] = 1
    return [v * s for v in shares]


def case(kernel, given, y, x):
    return {"kernel": kernel, "set": given, "y": y, "x": [nearest(v) for v in x]}


def cases():
    for _ in range(CASES):
        n, s = size(), mass()
        y = vector(n)
        yield case("euclidean", {"type": "simplex", "s": s}, y, euclidean_capped(y, [s] * n, s))
    for _ in range(2 * CASES):
        n, s = size(), mass()
        y, caps = vector(n), caps_for(n, s)
        yield case("euclidean", {"type": "capped_simplex", "caps": caps, "s": s}, y, euclidean_capped(y, caps, s))
    for _ in range(CASES):
        n, r = size(), mass()
        y = vector(n)
        yield case("euclidean", {"type": "l1_ball", "r": r}, y, l1(y, r))
    for _ in range(CASES):
        n, r = size(), mass()
        y = vector(n)
        yield case("euclidean", {"type": "l2_ball", "r": r}, y, l2(y, r))
    for _ in range(CASES):
        n, s = size(), mass()
        y = [abs(v) for v in vector(n)]
        y[RNG.randrange(n)] = 1.0
        x = [F(s) * F(v) / sum(map(F, y)) for v in y]
        yield case("entropic", {"type": "simplex", "s": s}, y, x)
    made = 0
    while made < 2 * CASES:
        n, s = size(), mass()
        y, caps = [abs(v) for v in vector(n)], caps_for(n, s)
        if RNG.random() < 0.3:
            y[RNG.randrange(n)] = 0.0
        if sum(F(c) for v, c in zip(y, caps) if v > 0) < F(s) * (1 - F(1, 10**12)):
            continue
        made += 1
        yield case("entropic", {"type": "capped_simplex", "caps": caps, "s": s}, y, entropic_capped(y, caps, s))


def divergence(p, x, y):
    """B_R(x, y) with R the squared p-norm, or the negative entropy for p = 0; 60 digits."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**7, -10**7
        x, y = [Decimal(v) for v in x], [Decimal(v) for v in y]
        if p == 0:
            return float(sum(((a * (a / b).ln() if a else 0) - a + b for a, b in zip(x, y)), Decimal(0)))
        p = Decimal(p)

        def norm(v):
            return sum((abs(a) ** p for a in v if a), Decimal(0)) ** (1 / p) if any(v) else Decimal(0)

        slope = [abs(b) ** (p - 1) * norm(y) ** (2 - p) * (1 if b > 0 else -1) if b else Decimal(0) for b in y]
        inner = sum((g * (a - b) for g, a, b in zip(slope, x, y)), Decimal(0))
        return float((norm(x) ** 2 - norm(y) ** 2) / 2 - inner)


def divergence_cases():
    for k in range(4 * CASES):
        n, p = RNG.choice([1, 2, 5]), 0 if k % 2 else RNG.choice([2.0, 1.5, 1.05, RNG.uniform(1.01, 2)])
        scale = RNG.choice([1.0, 1.0, 1e-100, 1e100])
        y = [RNG.uniform(-1, 1) * 10.0 ** -RNG.choice([0, 0, 1, 5]) * scale for _ in range(n)]
        close = RNG.choice([1e-12, 1e-6, 1e-3, 0.1, 0.5, None])
        x = [v * (1 + close * RNG.uniform(-1, 1)) if close else RNG.uniform(-1, 1) * scale for v in y]
        if p == 0:
            x, y = [abs(v) for v in x], [abs(v) for v in y]
        yield {"p": p, "x": x, "y": y, "divergence": divergence(p, x, y)}


with open("divergences.json", "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in divergence_cases()) + "\n]\n")
with open("projections.json", "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in cases()) + "\n]\n")
