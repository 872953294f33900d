"""Writes second_order.json: rounds of BOPL with local curvatures and with doubly robust rewards.

    python3 -m venv .venv && .venv/bin/pip install mpmath==1.4.1
    .venv/bin/python crates/conformance/vectors/second_order.py

Independent of the crates: 50 digits, straight from the definitions, no shared code. Gradients are numerical
derivatives of the objective, and are compared with nothing else here.
"""

import json
import pathlib
import random

from mpmath import mp, mpf

mp.dps = 50
FLOOR = mpf(10) ** -6  # the least of the factor of a weight that u lacks, and of a share of a row's range


def exact(matrix):
    return [[mpf(repr(v)) for v in row] for row in matrix]


def softmax(scores):
    top = max(scores)
    e = [mp.exp(s - top) for s in scores]
    return [v / sum(e) for v in e]


def loss_of_row(variant, scores, a, v, rewards):
    """The row's share of n times the objective."""
    pi = softmax(scores)
    if variant == "doubly_robust":
        return -sum(p * r for p, r in zip(pi, rewards))
    if variant == "bopl_s" and v >= 0:
        return -v * (mp.log(pi[a]) + 1)
    return -v * pi[a]


def derivative(variant, scores, a, v, rewards, k):
    h = mpf(10) ** -12
    moved = [[s + (d if j == k else 0) for j, s in enumerate(scores)] for d in (h, -h, 2 * h, -2 * h)]
    near, back, far, rear = (loss_of_row(variant, m, a, v, rewards) for m in moved)
    return (8 * (near - back) - (far - rear)) / (12 * h)


def growth(x):
    return mpf(1) if x == 0 else 2 * (mp.exp(x) - 1 - x) / x**2


def quadratic(variant, pi, f, a, v, span_of_model, delta, eta):
    """The least of the stated bounds on the second derivative within eta, of one row."""
    mean = sum(p * x for p, x in zip(pi, f))
    variance = sum(p * (x - mean) ** 2 for p, x in zip(pi, f))
    reach = max(f) - min(f)
    kappa = growth(reach * eta)
    most = 1 / (6 * mp.sqrt(3))
    of_log = min(kappa * variance, reach**2 / 4)
    of_probability = reach**2 * min(kappa * min(pi[a], 1 - pi[a]), most)
    if variant == "doubly_robust":
        return span_of_model * min(kappa * variance, most * reach**2) + abs(delta) * of_probability
    return abs(v) * (of_log if variant == "bopl_s" and v >= 0 else of_probability)


def expected(case):
    variant, step = case["variant"], case["step"]
    scores, f = exact(case["F"]), exact(case["f"])
    n, actions = len(scores), len(scores[0])
    p, r = [mpf(repr(x)) for x in case["p"]], [mpf(repr(x)) for x in case["r"]]
    b = mpf(repr(case["translation"]))
    clip = mpf(repr(case["clip"])) if "clip" in case else None
    importance = [1 / x if clip is None else min(1 / x, clip) for x in p]
    ridge = mpf(repr(case["ridge"]))
    q = exact(case["q"]) if "q" in case else [[mpf(0)] * actions] * n
    eta = mpf(repr(case["learning_rate"])) if step == "second_order" else None

    rows = []
    for i in range(n):
        a = case["a"][i]
        v = (r[i] + b) * importance[i]
        delta = (r[i] - q[i][a]) * importance[i]
        rewards = [q[i][k] + b + (delta if k == a else 0) for k in range(actions)]
        rows.append((a, v, delta, rewards))

    def objective(at):
        return sum(loss_of_row(variant, at[i], a, v, rewards) for i, (a, v, _, rewards) in enumerate(rows)) / n

    u, weights, curvature = [], [], mpf(0)
    for i, (a, v, delta, rewards) in enumerate(rows):
        pi = softmax(scores[i])
        u.append([-derivative(variant, scores[i], a, v, rewards, k) for k in range(actions)])
        doubly = variant == "doubly_robust"
        span = max(rewards) - min(rewards) if doubly else abs(v)
        of_log = variant == "bopl_s" and v >= 0
        if step == "second_order":
            if doubly:
                mean = sum(x * y for x, y in zip(pi, rewards))
                scale = max(mean - min(rewards), FLOOR * span)
            else:
                scale = abs(v) * (1 if of_log else pi[a])
            # u of the logged action has the factor 1 - pi, so that pi is what keeps u/w bounded.
            is_logged = lambda k: k == a and not doubly
            factors = [(1 - x, x) if is_logged(k) else (x, 1 - x) for k, x in enumerate(pi)]
            weights.append([scale * own * max(other, FLOOR) for own, other in factors])
            span_of_model = max(q[i]) - min(q[i])
            curvature += quadratic(variant, pi, f[i], a, v, span_of_model, delta, eta)
        else:
            constants = {"paper": (mpf(1) / 2, mpf(1)), "sharp": (1 / (3 * mp.sqrt(3)), mpf(1) / 2)}
            of_probability, of_logarithm = constants[step]
            s = span * (of_logarithm if of_log else of_probability)
            curvature += s * sum(x * x for x in f[i])
    gain = sum(x * y for ui, fi in zip(u, f) for x, y in zip(ui, fi))
    alpha = gain / (curvature + 2 * n * ridge)
    if eta is not None:
        alpha = max(-eta, min(eta, alpha))
    after = [[s + alpha * x for s, x in zip(si, fi)] for si, fi in zip(scores, f)]
    if variant == "doubly_robust":
        optimum = -sum(max(rewards) for _, _, _, rewards in rows) / n
    else:
        optimum = -sum(max(v, 0) for _, v, _, _ in rows) / n
    out = {
        "u": u,
        "objective": objective(scores),
        "objective_after": objective(after),
        "alpha": alpha,
        "decrease": alpha * (gain - alpha * curvature / 2) / n,
        "optimal_train_risk": optimum,
    }
    assert out["objective_after"] <= out["objective"] - out["decrease"] + mpf(10) ** -30
    if weights:
        out["weights"] = weights
    return out


def plain(x):
    return [plain(v) for v in x] if isinstance(x, list) else float(x)


def draw(seed, n, actions, variant, step, *, ridge=0.0, clip=None, spread=1.5, learning_rate=0.3, b=0.0):
    rng = random.Random(seed)
    number = lambda scale: round(rng.gauss(0, scale), 3)
    table = lambda scale: [[number(scale) for _ in range(actions)] for _ in range(n)]
    case = {
        "variant": variant,
        "step": step,
        "a": [rng.randrange(actions) for _ in range(n)],
        "p": [round(rng.uniform(0.02, 1.0), 3) for _ in range(n)],
        "r": [round(rng.uniform(-0.3, 1.0), 3) for _ in range(n)],
        "F": table(spread),
        "f": table(1.0),
        "translation": b,
        "ridge": ridge,
    }
    if step == "second_order":
        case["learning_rate"] = learning_rate
    if variant == "doubly_robust":
        case["q"] = [[round(rng.uniform(-0.2, 1.0), 3) for _ in range(actions)] for _ in range(n)]
    if clip is not None:
        case["clip"] = clip
    return case


def cases():
    found = []

    def add(name, case, error=None):
        want = {"error": error} if error else {k: plain(v) for k, v in expected(case).items()}
        found.append({
            "kernel": "step_round",
            "name": name,
            "input": case,
            "expected": want,
            "tolerance": {"abs": 1e-9, "rel": 1e-9},
        })

    seed = 0
    for variant in ("bopl", "bopl_s", "doubly_robust"):
        for step in ("paper", "sharp", "second_order"):
            for n, actions in ((5, 2), (6, 4)):
                seed += 1
                add(f"{variant} {step}, {actions} actions", draw(seed, n, actions, variant, step))
        add(f"{variant}, long steps", draw(seed + 50, 6, 3, variant, "second_order", learning_rate=1.0))
        add(f"{variant}, short steps", draw(seed + 51, 6, 3, variant, "second_order", learning_rate=0.01))
        add(f"{variant}, clipped", draw(seed + 52, 6, 3, variant, "second_order", clip=3.0))
        add(f"{variant}, ridge and translation",
            draw(seed + 53, 6, 3, variant, "second_order", ridge=0.05, b=-0.4))
        add(f"{variant}, nearly decided", draw(seed + 54, 5, 3, variant, "second_order", spread=9.0))
        add(f"{variant}, at F = 0", draw(seed + 55, 5, 3, variant, "second_order", spread=0.0))
    for k, variant in enumerate(("bopl", "bopl_s", "doubly_robust")):
        add(f"{variant}, almost certain", almost_certain(variant, 810 + k))
    add("an exact model", exact_model())
    add("a constant model", constant_model())
    for name, change, error in (
        ("reject a prediction that is not a number", {"q": [["NaN", 0.5], [0.1, 0.2]]}, "not-finite"),
        ("reject predictions of other rows", {"q": [[0.4, 0.5]]}, "length-mismatch"),
        ("reject learning rate 0", {"learning_rate": 0.0}, "bad-parameter"),
        ("reject a learning rate above 1", {"learning_rate": 1.5}, "bad-parameter"),
        ("reject clip 0", {"clip": 0.0}, "bad-parameter"),
        ("reject propensity 0", {"p": [0.5, 0.0]}, "bad-propensity"),
    ):
        add(name, draw(900, 2, 2, "doubly_robust", "second_order") | change, error)
    return found


def almost_certain(variant, seed):
    """Rows whose policy is certain of an action up to 1e-17 and less, and an f that would turn them round.

    Two rows are undecided and have a slope. Row 2 is certain of the logged action, row 3 of another one.
    """
    case = draw(seed, 4, 3, variant, "second_order", learning_rate=1.0)
    case["r"] = [0.9, 0.8, 0.7, 0.6]
    case["p"] = [0.05, 0.1, 0.9, 0.8]
    for i, gap in ((2, 41.5), (3, 46.25)):
        other = (case["a"][i] + 1) % 3
        top = case["a"][i] if i == 2 else other
        case["F"][i] = [0.0 if k == top else -gap - k for k in range(3)]
        case["f"][i] = [-30.0 if k == top else 22.0 + k for k in range(3)]
    for i in (0, 1):
        case["f"][i] = [40.0 if k == case["a"][i] else -2.5 * k for k in range(3)]
    return case


def exact_model():
    """Without noise the corrections vanish: the objective is that of the model."""
    case = draw(801, 5, 3, "doubly_robust", "second_order")
    case["r"] = [case["q"][i][a] for i, a in enumerate(case["a"])]
    return case


def constant_model():
    """Of a model without a preference only the corrections have a gradient."""
    case = draw(802, 5, 3, "doubly_robust", "second_order")
    case["q"] = [[0.3] * 3 for _ in range(5)]
    return case


out = pathlib.Path(__file__).with_name("second_order.json")
out.write_text(json.dumps({"family": "bopl", "version": 1, "cases": cases()}, indent=None) + "\n")
