"""Online convex optimisation on vectors: projections against formulas, and theorems in every round."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from ocoboost import oco

D = 4
FLOWS = oco.FlowPolytope([(0, 1), (1, 3), (0, 2), (2, 3)], source=0, sink=3)
SETS = [
    oco.Simplex(1.5),
    oco.CappedSimplex([0.5, 0.4, 0.3, 0.2]),
    oco.Box([-1.0, 0.0, 0.5, -2.0], [1.0, 0.5, 2.0, -1.0]),
    oco.UnitBox(),
    oco.L2Ball(0.7),
    oco.L1Ball(1.2),
    FLOWS,
    oco.TraceNormBall(2, 2, 1.3),
    oco.Spectrahedron(2, 0.8),
    oco.L2Ball(2.0).shrunk(0.25, centre=[0.5, 0.0, 0.0, -0.5]),
]
ENTROPIC = [oco.Simplex(1.5), oco.CappedSimplex([0.5, 0.4, 0.3, 0.2]), oco.UnitBox()]


def root(f, low, high):
    """Where a falling function crosses 0."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return 0.5 * (low + high)


def by_threshold(y, caps, mass):
    """min(max(y − τ, 0), c) of the mass."""
    tau = root(lambda tau: np.clip(y - tau, 0, caps).sum() - mass, y.min() - mass, y.max())
    return np.clip(y - tau, 0, caps)


def l1(y, radius):
    size = np.abs(y)
    return y if size.sum() <= radius else np.sign(y) * by_threshold(size, np.inf, radius)


def formula(decision_set, y):
    """The Euclidean projection, in numpy."""
    match decision_set:
        case oco.Simplex():
            return by_threshold(y, np.inf, decision_set.mass)
        case oco.CappedSimplex():
            return by_threshold(y, decision_set.caps, decision_set.mass)
        case oco.Box():
            return np.clip(y, decision_set.lower, decision_set.upper)
        case oco.UnitBox():
            return np.clip(y, 0, 1)
        case oco.L2Ball():
            return y * min(1.0, decision_set.radius / np.linalg.norm(y))
        case oco.L1Ball():
            return l1(y, decision_set.radius)
        case oco.FlowPolytope():
            # A mixture s of the two paths: y_1 + y_2 − y_3 − y_4 says which.
            s = np.clip(0.5 + (y[0] + y[1] - y[2] - y[3]) / 4.0, 0, 1)
            return np.array([s, s, 1 - s, 1 - s])
        case oco.TraceNormBall():
            u, sigma, v = np.linalg.svd(y.reshape(2, 2))
            return (u @ np.diag(l1(sigma, decision_set.radius)) @ v).ravel()
        case oco.Spectrahedron():
            matrix = y.reshape(2, 2)
            values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
            return (vectors @ np.diag(by_threshold(values, np.inf, decision_set.trace)) @ vectors.T).ravel()
        case oco.Shrunk():
            a, xi = decision_set.centre, decision_set.xi
            return a + (1 - xi) * (formula(decision_set.decision_set, a + (y - a) / (1 - xi)) - a)


@pytest.mark.parametrize("decision_set", SETS, ids=repr)
def test_projections_are_those_of_the_formulas(decision_set):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, D)) * rng.choice([0.1, 1.0, 10.0], size=(200, 1))
    projected = oco.project(rows, onto=decision_set)
    assert projected.shape == rows.shape and projected.dtype == np.float64
    for y, x in zip(rows, projected, strict=True):
        assert x == pytest.approx(formula(decision_set, y), abs=1e-10)
        # A row is projected as the vector is, and y − x points out of the set.
        assert (decision_set.project(y) == x).all() and x in decision_set
        assert (y - x) @ (decision_set.lmo(x - y) - x) <= 1e-6
    assert decision_set.contains(projected).all() and not decision_set.contains(rows + 100).any()
    # Whatever the order in memory and the type.
    assert (decision_set.project(np.asfortranarray(rows)) == projected).all()
    assert (decision_set.project(rows[::2][:, :]) == projected[::2]).all()
    single = rows.astype(np.float32)
    assert (decision_set.project(single) == decision_set.project(single.astype(float))).all()
    # No two points are further apart than the diameter, and linear minimisation finds the best of them.
    far = max(np.linalg.norm(a - b) for a in projected[:50] for b in projected[50:100])
    assert far <= decision_set.diameter(D) + 1e-9
    slopes = rng.normal(size=(20, D))
    least = np.einsum("td,td->t", slopes, decision_set.lmo(slopes))
    assert (least[:, np.newaxis] <= slopes @ projected.T + 1e-6).all()
    assert decision_set.interior_point(D) in decision_set
    other = pickle.loads(pickle.dumps(decision_set))
    assert other == decision_set and hash(other) == hash(decision_set) and repr(other) == repr(decision_set)
    assert decision_set != oco.L2Ball(99.0)


@pytest.mark.parametrize("decision_set", ENTROPIC, ids=repr)
def test_entropic_projections(decision_set):
    rows = np.random.default_rng(2).exponential(size=(100, D))
    projected = decision_set.project(rows, geometry="entropy")
    entropy = oco.NegativeEntropy()
    for y, x in zip(rows, projected, strict=True):
        if isinstance(decision_set, oco.UnitBox):
            expected = np.minimum(y, 1)
        else:
            caps = getattr(decision_set, "caps", np.inf)
            rho = root(lambda r: decision_set.mass - np.minimum(caps, r * y).sum(), 0, 1e4)
            expected = np.minimum(caps, rho * y)
        assert x == pytest.approx(expected, abs=1e-9)
        nearest = entropy.divergence(x, y)
        for other in projected[:10]:
            # The generalised Pythagorean inequality.
            assert entropy.divergence(other, y) >= entropy.divergence(other, x) + nearest - 1e-9


def test_mirror_maps():
    rng = np.random.default_rng(3)
    for regulariser in (oco.Euclidean(), oco.NegativeEntropy(), oco.PNorm(1.3)):
        for _ in range(20):
            x, y = rng.exponential(size=(2, D))
            assert regulariser.inverse_mirror(regulariser.mirror(x)) == pytest.approx(x)
            expected = regulariser.value(x) - regulariser.value(y) - regulariser.mirror(y) @ (x - y)
            assert regulariser.divergence(x, y) == pytest.approx(expected, abs=1e-9)
        assert pickle.loads(pickle.dumps(regulariser)) == regulariser
    assert oco.PNorm(1.3) != oco.PNorm(1.4)


def learners(rounds):
    """Every learner with a sure bound, on every set that it takes."""
    for decision_set in [*SETS, oco.Simplex()]:
        on = {"decision_set": decision_set, "dimension": D}
        yield oco.OnlineGradientDescent(**on, step=0.3)
        yield oco.OnlineGradientDescent(**on, lipschitz=4.0)
        yield oco.OnlineGradientDescent(**on, step=oco.StepSchedule.power(0.5, 0.25))
        yield oco.LazyGradientDescent(**on, step=0.2)
        yield oco.DualAveraging(**on, step=0.2)
        yield oco.OnlineFrankWolfe(**on, rounds=rounds, lipschitz=4.0)
        for mirrored in (oco.MirrorDescent, oco.FollowTheRegularizedLeader, oco.OptimisticMirrorDescent):
            yield mirrored(**on, step=0.4)
    for decision_set in ENTROPIC:
        on = {"decision_set": decision_set, "dimension": D, "geometry": "entropy"}
        for mirrored in (
            oco.MirrorDescent,
            oco.FollowTheRegularizedLeader,
            oco.DualAveraging,
            oco.OptimisticMirrorDescent,
        ):
            yield mirrored(**on, step=0.4)
    yield oco.Hedge(D, step=0.3)
    yield oco.Hedge(D, rounds=rounds, largest_loss=2.0)
    yield oco.AdaGrad(SETS[2])
    yield oco.AdaGrad(oco.Box(-1.0, 3.0, dimension=D), scale=0.1)
    ball = oco.OnlineGradientDescent(oco.L2Ball(), dimension=D, step=1.0)
    yield oco.Doubling(ball, scale=2.0 / 4.0, constant=2.0 * 4.0)
    yield oco.CompositeMirrorDescent(SETS[2], penalty=0.4, step=0.3)


def gradients_of(kind, rounds, learner, rng):
    if kind == "random":
        return rng.uniform(-2, 2, size=(rounds, D))
    if kind == "drifting":
        return np.sin(np.arange(rounds)[:, np.newaxis] / 7.0 + np.arange(D)) + rng.normal(size=D).clip(-0.9, 0.9)
    # An adversary that pushes a copy of the learner back, wherever it goes.
    shadow, found = copy.copy(learner), []
    for t in range(rounds):
        found.append(np.where(shadow.predict() > shadow.predict().mean(), 1.9, -1.9) * (1 if t % 3 else -0.5))
        shadow.update(found[-1])
    return np.array(found)


@pytest.mark.parametrize("kind", ["random", "drifting", "adversary"])
def test_the_bounds_of_every_learner_hold_in_every_round(kind):
    rounds, rng, closest = 120, np.random.default_rng(4), 0.0
    for learner in learners(rounds):
        gradients = gradients_of(kind, rounds, learner, rng)
        record = oco.play(learner, gradients)
        assert record.regret.shape == (rounds,) and not np.isnan(record.bound).any(), learner
        assert record.holds and (record.gap <= 1e-4).all(), learner
        assert learner.decision_set.contains(record.plays, 1e-7).all() and learner.rounds == rounds
        # The regret is that of the sums.
        values = np.einsum("td,td->t", record.plays, gradients)
        if not isinstance(learner, oco.CompositeMirrorDescent):
            assert record.losses == pytest.approx(values)
            least = gradients.sum(axis=0) @ learner.decision_set.lmo(gradients.sum(axis=0))
            assert record.regret[-1] == pytest.approx(values.sum() - least, abs=1e-6)
            assert record.comparator in learner.decision_set
        one = learner.regret_bound(record.comparator, gradients)
        assert one == pytest.approx(record.bound[-1])
        closest = max(closest, float((record.regret / record.bound).max()))
    # The bounds are not out of reach.
    assert closest > 0.3, closest


def test_bounds_are_those_of_the_theorems():
    rng = np.random.default_rng(18)
    gradients, u, eta = rng.uniform(-2, 2, size=(30, 3)), np.array([0.2, 0.3, 0.5]), 0.4
    squares, largest = (gradients**2).sum(), (np.abs(gradients).max(axis=1) ** 2).sum()
    first, simplex, uniform = np.eye(3)[0], oco.Simplex(), np.full(3, 1 / 3)
    away = ((u - first) ** 2).sum()
    relative = (u * np.log(u / uniform)).sum()
    steps = 0.7 / np.sqrt(np.arange(1, 31))
    entropic = {"geometry": "entropy", "dimension": 3, "step": eta}
    q_norm = 1.5 / 0.5
    p_norms = (np.abs(gradients) ** q_norm).sum(axis=1) ** (2 / q_norm)
    hints = np.vstack([np.zeros(3), gradients[:-1]])
    box = oco.Box([0.0, -1.0, 0.0], [1.0, 1.0, 2.0])
    doubling = oco.Doubling(oco.OnlineGradientDescent(simplex, dimension=3, step=1.0), scale=1.0, constant=5.0)
    expected = [
        (oco.OnlineGradientDescent(simplex, start=first, step=eta), away / (2 * eta) + eta / 2 * squares),
        (
            oco.OnlineGradientDescent(simplex, start=first, step=oco.StepSchedule.power(0.7, 0.5)),
            2 / (2 * steps[-1]) + (steps * (gradients**2).sum(axis=1)).sum() / 2,
        ),
        (
            oco.OnlineGradientDescent(simplex, dimension=3, step=oco.StepSchedule.strongly_convex(2.0)),
            ((gradients**2).sum(axis=1) / (2 * 2.0 * np.arange(1, 31))).sum(),
        ),
        (oco.LazyGradientDescent(simplex, origin=first, step=eta), away / (2 * eta) + eta * squares),
        (oco.MirrorDescent(simplex, **entropic), relative / eta + eta / 2 * largest),
        # 2-strongly convex in ‖·‖₁ on the mass ½.
        (oco.MirrorDescent(oco.Simplex(0.5), **entropic), relative_of(u, 0.5) / eta + eta / 4 * largest),
        (oco.FollowTheRegularizedLeader(simplex, **entropic), relative / eta + eta / 2 * largest),
        (oco.DualAveraging(simplex, **entropic), relative / eta + eta / 2 * largest),
        (
            oco.OptimisticMirrorDescent(simplex, **entropic),
            relative / eta + eta / 2 * (np.abs(gradients - hints).max(axis=1) ** 2).sum(),
        ),
        (oco.Hedge(3, step=eta), np.log(3) / eta + eta / 2 * largest),
        (
            oco.MirrorDescent(oco.WholeSpace(), geometry=oco.PNorm(1.5), dimension=3, step=eta),
            (u**1.5).sum() ** (2 / 1.5) / 2 / eta + eta / (2 * 0.5) * p_norms.sum(),
        ),
        (
            oco.AdaGrad(box, scale=0.8),
            (np.array([1.0, 4.0, 4.0]) / 1.6 + 0.8) @ np.sqrt((gradients**2).sum(axis=0)),
        ),
        (
            oco.CompositeMirrorDescent(box, penalty=0.3, start=first, step=eta),
            away / (2 * eta) + eta / 2 * squares + 0.3,
        ),
        (doubling, np.sqrt(2) / (np.sqrt(2) - 1) * 5.0 * np.sqrt(30)),
    ]
    for learner, bound in expected:
        own = u * 0.5 if learner.decision_set == oco.Simplex(0.5) else u
        assert learner.regret_bound(own, gradients) == pytest.approx(bound), learner
    frank_wolfe = oco.OnlineFrankWolfe(simplex, start=first, rounds=50, lipschitz=4.0)
    step, diameter = np.sqrt(2) / (2 * 4.0 * 50**0.75), np.sqrt(2)
    sigmas = np.minimum(1, 2 / np.sqrt(np.arange(1, 31)))
    bound = away / step + step / 2 * squares + 4.0 * diameter * np.sqrt(2 * sigmas).sum()
    assert frank_wolfe.step == pytest.approx(step) and frank_wolfe.regret_bound(u, gradients) == pytest.approx(bound)
    # Beyond its horizon, or with larger gradients, nothing is promised.
    assert np.isnan(frank_wolfe.regret_bound(u, np.tile(gradients, (2, 1))))
    assert np.isnan(frank_wolfe.regret_bound(u, 3 * gradients))
    assert np.isnan(oco.FollowTheLeader(simplex, dimension=3).regret_bound(u, gradients))


def relative_of(u, mass):
    """B(mass·u, uniform) on a simplex of the mass."""
    return mass * (u * np.log(3 * u)).sum()


def test_bounds_on_the_whole_space():
    rng = np.random.default_rng(5)
    gradients = rng.uniform(-1, 1, size=(200, D)) + 0.3
    u = -gradients.sum(axis=0) / np.linalg.norm(gradients.sum(axis=0))
    for learner in (
        oco.MirrorDescent(oco.WholeSpace(), geometry=oco.PNorm(1.2), dimension=D, step=0.1),
        oco.FollowTheRegularizedLeader(oco.WholeSpace(), geometry=oco.PNorm(1.5), dimension=D, step=0.1),
        oco.OnlineGradientDescent(oco.WholeSpace(), dimension=D, step=0.1),
        oco.CompositeMirrorDescent(oco.WholeSpace(), penalty=0.3, dimension=D, step=0.1),
    ):
        record = oco.play(copy.copy(learner), gradients, against=u)
        assert record.holds and np.isfinite(record.bound).all() and record.regret.max() > 0
        with pytest.raises(ValueError):
            oco.play(learner, gradients)
        assert learner.rounds == 0


def test_the_best_point_with_an_l1_term():
    rng, box = np.random.default_rng(19), oco.Box([-1.0, 0.5], [1.0, 2.0])
    gradients = rng.normal(size=(40, 2)) * [0.5, 3.0]
    record = oco.play(oco.CompositeMirrorDescent(box, penalty=0.2, step=0.1), gradients)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 81), np.linspace(0.5, 2, 61)), axis=-1).reshape(-1, 2)
    for t in (1, 7, 40):
        costs = grid @ gradients[:t].sum(axis=0) + 0.2 * t * np.abs(grid).sum(axis=1)
        assert record.comparators[t - 1] == pytest.approx(grid[costs.argmin()])
        assert record.regret[t - 1] == pytest.approx(record.losses[:t].sum() - costs.min())
    own = np.einsum("td,td->t", record.plays, gradients) + 0.2 * np.abs(record.plays).sum(axis=1)
    assert record.losses == pytest.approx(own)


def test_optimism_pays_where_the_hints_are_right():
    gradients = np.random.default_rng(6).uniform(-1, 1, size=(200, D))
    optimist = oco.OptimisticMirrorDescent(oco.L2Ball(), dimension=D, step=0.5)
    right = oco.play(copy.copy(optimist), gradients, hints=gradients)
    assert right.holds and right.bound[-1] == pytest.approx(right.bound[0]) and right.regret[-1] < 1.01
    other = oco.play(copy.copy(optimist), gradients, hints=-gradients)
    assert other.holds and other.regret[-1] > right.regret[-1]
    plays, own = [], copy.copy(optimist)
    for g in gradients:
        own.expect(g)
        plays.append(own.predict())
        own.update(g)
    assert (np.array(plays) == right.plays).all()
    with pytest.raises(TypeError, match="hints"):
        oco.play(oco.Hedge(D, step=1.0), gradients, hints=gradients)


def test_strongly_convex_losses():
    targets = np.random.default_rng(7).uniform(-1, 1, size=(300, D))
    losses = [oco.SquaredLoss(target) for target in targets]
    learner = oco.OnlineGradientDescent(oco.L2Ball(2.0), dimension=D, step=oco.StepSchedule.strongly_convex(2.0))
    record = oco.play(learner, losses)
    assert record.holds and record.bound[-1] < 30
    # The best point of squared losses is their mean.
    assert record.comparators == pytest.approx(np.cumsum(targets, axis=0) / np.arange(1, 301)[:, np.newaxis])
    leader = oco.QuadraticLeader(oco.L2Ball(2.0), dimension=D, step=10.0)
    assert oco.play(leader, losses).regret[-1] < 30 and leader.rounds == 300
    mean = targets.sum(axis=0) * 2 / (600 + 0.1)
    assert leader.predict() == pytest.approx(mean) and leader.penalty(mean) == pytest.approx(mean @ mean / 20)


class Squared:
    """A loss of Python."""

    def __init__(self, target):
        self.target = np.asarray(target)

    def value(self, x):
        return ((x - self.target) ** 2).sum()

    def gradient(self, x):
        return 2 * (x - self.target)


def test_best_points_of_all_losses():
    rng = np.random.default_rng(8)
    rows, labels = rng.normal(size=(30, 2)), np.where(rng.uniform(size=30) < 0.5, -1, 1)
    ball = oco.L2Ball(1.0)
    angles, sizes = np.meshgrid(np.linspace(0, 2 * np.pi, 200), np.linspace(0, 1, 60))
    grid = np.stack([sizes * np.cos(angles), sizes * np.sin(angles)], axis=-1).reshape(-1, 2)
    kinds = {
        "logistic": [oco.LogisticLoss(x, y) for x, y in zip(rows, labels, strict=True)],
        "huber": [oco.HuberLoss(x, y, delta=0.5) for x, y in zip(rows, labels, strict=True)],
        "quadratic": [oco.QuadraticLoss(np.outer(x, x), x * y, 1.0) for x, y in zip(rows, labels, strict=True)],
        "hinge": [oco.HingeLoss(x, y) for x, y in zip(rows, labels, strict=True)],
        "absolute": [oco.AbsoluteLoss(x, y) for x, y in zip(rows, labels, strict=True)],
        "python": [Squared(x) for x in rows],
        "mixed": [*(Squared(x) for x in rows[:10]), *(oco.LinearLoss(x) for x in rows[10:])],
    }
    for name, losses in kinds.items():
        for method in ("accelerated", "pairwise"):
            best = oco.best_in_hindsight(losses, ball, dimension=2, max_steps=300, method=method)
            total = sum(loss.value(best.point) for loss in losses)
            assert best.loss == pytest.approx(total) and best.point in ball, name
            least = min(sum(loss.value(u) for loss in losses) for u in grid[::7])
            # The certificate: nothing on the grid is better by more than the gap.
            assert least >= best.loss - best.gap - 1e-9, (name, method)
            if name not in ("hinge", "absolute") and method == "accelerated":
                assert best.gap <= 1e-6, name
    simplex = [oco.LogPortfolioLoss(r) for r in rng.uniform(0.5, 1.5, size=(40, 3))]
    record = oco.play(oco.MirrorDescent(oco.Simplex(), geometry="entropy", dimension=3, step=0.3), simplex)
    assert record.rounds.tolist() == [1, 2, 4, 8, 16, 32, 40] and record.holds and (record.gap <= 1e-6).all()
    assert simplex[0].lipschitz_on(oco.Simplex()) > 0 and simplex[0].smoothness > 0
    assert kinds["hinge"][0].smoothness is None and kinds["huber"][0].magnitude_on(ball) > 0


def test_losses_and_their_slopes_agree():
    rng = np.random.default_rng(9)
    x, w = rng.normal(size=(2, 3))
    root_ = rng.normal(size=(3, 3))
    for loss in (
        oco.LinearLoss(x),
        oco.SquaredLoss(x),
        oco.QuadraticLoss(root_ @ root_.T, x, 2.0),
        oco.AbsoluteLoss(x, 0.3),
        oco.HingeLoss(x, -1, threshold=5.0),
        oco.LogisticLoss(x, 1),
        oco.HuberLoss(x, 0.3, delta=0.1),
        oco.LogPortfolioLoss(np.abs(x), floor=1e-3),
    ):
        w = np.abs(w)
        slopes = [(loss.value(w + 1e-6 * e) - loss.value(w - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        assert loss.gradient(w) == pytest.approx(slopes, abs=1e-5), loss
        other = pickle.loads(pickle.dumps(loss))
        assert other.value(w) == loss.value(w) and loss.dimension == 3


def test_regret_of_any_plays():
    gradients, plays = np.random.default_rng(10).normal(size=(2, 50, D))
    record = oco.regret(gradients, plays, oco.L1Ball(), at=[10, 50])
    sums = [(gradients[:t] * plays[:t]).sum() + np.abs(gradients[:t].sum(axis=0)).max() for t in (10, 50)]
    assert record.regret == pytest.approx(sums) and np.isnan(record.bound).all() and record.holds
    same = oco.regret([oco.LinearLoss(g) for g in gradients], plays, oco.L1Ball(), at=[10, 50])
    assert same.regret == pytest.approx(sums)
    assert oco.regret(gradients, plays, oco.L1Ball(), at="last").regret == pytest.approx(sums[1:])
    assert oco.regret(gradients, plays, oco.L1Ball(), at="powers_of_two").rounds.tolist() == [1, 2, 4, 8, 16, 32, 50]
    assert oco.regret(gradients[:0], plays[:0], oco.L1Ball()).regret.shape == (0,)
    for bad in ([0], [51], "some", [1.5]):
        with pytest.raises((TypeError, ValueError)):
            oco.regret(gradients, plays, oco.L1Ball(), at=bad)


def everyone():
    ball, box = oco.L2Ball(), oco.Box(-1.0, 1.0, dimension=D)
    yield from learners(50)
    yield oco.FollowTheLeader(box)
    for perturbation in ("uniform", "exponential", "gaussian"):
        yield oco.FollowThePerturbedLeader(box, epsilon=0.2, perturbation=perturbation, seed=3)
    yield oco.FollowThePerturbedLeader(box, epsilon=0.2, draws="once", seed=3)
    yield oco.Doubling(oco.FollowThePerturbedLeader(box, epsilon=1.0, seed=3), scale=1.0)
    yield oco.MirrorDescent(oco.WholeSpace(), geometry=oco.PNorm(1.2), dimension=D, step=0.1)
    yield oco.LazyGradientDescent(ball, step=0.2, origin=[1.0, 0.0, 0.0, 3.0])


def test_copies_go_on_bit_for_bit_and_refusals_change_nothing():
    gradients = np.random.default_rng(11).uniform(-2, 2, size=(40, D))
    bad = [np.full(D, np.nan), np.full(D, np.inf), np.full(D, 1e141), np.zeros(D + 1), np.zeros((D, 1)), 3.0]
    for learner in everyone():
        first = learner.predict()
        for g in gradients[:20]:
            learner.update(g)
        others = [pickle.loads(pickle.dumps(learner)), copy.copy(learner), copy.deepcopy(learner)]
        before = learner._learner.to_bytes()
        for one in bad:
            with pytest.raises(ValueError):
                learner.update(one)
        for one in (np.full(D, "a"), np.full(D, 1j), None, [object()] * D):
            with pytest.raises(TypeError):
                learner.update(one)
        with pytest.raises(ValueError, match="round 3"):
            learner._play(np.vstack([gradients[:3], bad[0]]), None)
        with pytest.raises(ValueError):
            oco.play(learner, np.vstack([gradients[:3], bad[0]]), against=np.zeros(D))
        assert learner._learner.to_bytes() == before and learner.rounds == 20
        table, rest = copy.copy(learner), gradients[20:]
        plays = []
        for g in rest:
            plays.append(learner.predict())
            learner.update(g)
        for other in others:
            for g in rest:
                other.update(g)
            assert other._learner.to_bytes() == learner._learner.to_bytes()
        assert (table._play(rest, None) == np.array(plays)).all()
        assert table._learner.to_bytes() == learner._learner.to_bytes()
        learner.reset()
        assert (learner.predict() == first).all() and learner.rounds == 0, learner


def test_bounds_are_of_fresh_learners():
    gradients = np.random.default_rng(12).normal(size=(20, D))
    learner = oco.OnlineGradientDescent(oco.L2Ball(), dimension=D, step=0.1)
    assert not np.isnan(oco.play(learner, gradients).bound).any()
    again = oco.play(learner, gradients)
    assert np.isnan(again.bound).all() and learner.rounds == 40 and again.holds
    # A list of losses is played as their table is.
    fresh = oco.OnlineGradientDescent(oco.L2Ball(), dimension=D, step=0.1)
    one_by_one = oco.play(copy.copy(fresh), [oco.LinearLoss(g) for g in gradients])
    table = oco.play(fresh, gradients)
    assert (one_by_one.plays == table.plays).all() and one_by_one.bound == pytest.approx(table.bound)


def test_perturbed_leaders_keep_their_expected_bound():
    rounds, rng = 200, np.random.default_rng(13)
    gradients = np.zeros((rounds, 3))
    gradients[np.arange(rounds), rng.integers(3, size=rounds)] = rng.uniform(size=rounds)
    constants = {"diameter": 2.0, "loss_range": 1.0, "gradient_size": 1.0}
    for perturbation in ("uniform", "exponential", "gaussian"):
        tuned = oco.FollowThePerturbedLeader.tuned_epsilon(perturbation, rounds, dimension=3, **constants)
        regrets = []
        for seed in range(30):
            leader = oco.FollowThePerturbedLeader(
                oco.Simplex(), dimension=3, epsilon=tuned, perturbation=perturbation, seed=seed
            )
            bound = leader.expected_regret_bound(rounds, **constants)
            regrets.append(oco.play(leader, gradients).regret[-1])
        deviation = np.std(regrets) / np.sqrt(len(regrets))
        assert np.mean(regrets) <= bound + 4 * deviation and np.std(regrets) > 0
    # Without a perturbation the leader is defeated.
    alternating = np.array([[-0.5], *([[1.0], [-1.0]] * 50)])
    leader = oco.FollowTheLeader(oco.Box([-1.0], [1.0]), start=[0.0])
    assert oco.play(leader, alternating).regret[-1] >= 99


def test_bandit_feedback():
    ball, rounds = oco.L2Ball(), 400
    targets = 0.5 + 0.1 * np.random.default_rng(14).normal(size=(rounds, 2)).clip(-1, 1)
    losses = [oco.SquaredLoss(target) for target in targets]
    # |ℓ| ≤ (1 + 0.85)² and its slope is at most 2·1.85.
    constants = {"magnitude": 3.5, "lipschitz": 3.7}
    settings = {"dimension": 2, "inner_radius": 1.0}
    kinds = [
        lambda seed: oco.BanditGradientDescent(ball, **settings, delta=0.3, step=0.01, seed=seed),
        lambda seed: oco.MultiPointBanditGradientDescent(
            ball, **settings, delta=0.3, step=0.02, estimates=4, two_points=False, seed=seed
        ),
        lambda seed: oco.MultiPointBanditGradientDescent(ball, **settings, delta=1e-3, step=0.05, seed=seed),
    ]
    ends = []
    for make in kinds:
        regrets = []
        for seed in range(20):
            learner = make(seed)
            record = oco.play(learner, losses)
            assert ball.contains(record.plays).all() and record.gradients is None and np.isnan(record.bound).all()
            regrets.append(record.regret[-1])
        deviation = np.std(regrets) / np.sqrt(len(regrets))
        assert np.mean(regrets) <= learner.expected_regret_bound(rounds, **constants) + 4 * deviation
        ends.append(np.mean(regrets))
    # Two points are worth more than one.
    assert ends[2] < 0.3 * ends[0]


def test_bandit_refusals():
    settings = {"dimension": 2, "inner_radius": 1.0, "delta": 0.2, "step": 0.01, "seed": 5}
    learner = oco.BanditGradientDescent(oco.L2Ball(), **settings)
    with pytest.raises(ValueError, match="before a play"):
        learner.update(1.0)
    play = learner.predict()
    assert (learner.predict() == play).all()
    before = learner._learner.to_bytes()
    for bad, error in ((np.nan, ValueError), (np.inf, ValueError), (1e141, ValueError), ("1", TypeError)):
        with pytest.raises(error):
            learner.update(bad)
    assert learner._learner.to_bytes() == before
    twins = [pickle.loads(pickle.dumps(learner)), copy.copy(learner)]
    for twin in (learner, *twins):
        for _ in range(20):
            twin.update(float(twin.predict().sum()))
    assert len({twin._learner.to_bytes() for twin in (learner, *twins)}) == 1
    several = oco.MultiPointBanditGradientDescent(oco.L2Ball(), **settings, estimates=3)
    before = several._learner.to_bytes()

    def third_time_wrong(answers):
        answers = iter(answers)
        return lambda x: next(answers)

    with pytest.raises(ZeroDivisionError):
        several.update(lambda x: 1 / 0)
    with pytest.raises(ValueError):
        several.update(third_time_wrong([1.0, 2.0, np.nan]))
    with pytest.raises(TypeError):
        several.update(lambda x: "much")
    with pytest.raises(TypeError, match="callable"):
        several.update(1.0)
    assert several._learner.to_bytes() == before
    for change in ({"delta": 1.0}, {"delta": 0.0}, {"step": -1.0}, {"inner_radius": np.nan}, {"seed": -1}):
        with pytest.raises(ValueError):
            oco.BanditGradientDescent(oco.L2Ball(), **settings | change)
    with pytest.raises(ValueError):
        oco.MultiPointBanditGradientDescent(oco.L2Ball(), **settings, estimates=0)


def test_projection_free_learners():
    rng, rounds = np.random.default_rng(15), 150
    losses = [oco.SquaredLoss(target) for target in rng.uniform(-0.5, 0.5, size=(rounds, D))]
    for optimiser in (
        oco.OnlineGradientDescent(oco.L2Ball(), dimension=D, step=oco.StepSchedule.power(0.5, 0.5)),
        oco.FollowThePerturbedLeader(oco.L1Ball(), dimension=D, epsilon=0.1),
    ):
        learner = oco.ProjectionFree(optimiser, copies=20)
        account, sums = np.zeros(20), []
        for t in range(1, 40):
            record = oco.play(learner, losses[t - 1 : t])
            u = oco.best_in_hindsight(losses[:t], learner.decision_set).point
            sums.append(record.losses[0])
            realised = sum(sums) - sum(loss.value(u) for loss in losses[:t])
            # The theorem, in every round.
            assert realised <= learner.regret_bound(u, smoothness=2.0) + 1e-9
            account = learner.measured_regrets(u)
            slack = 2 * 2.0 * learner.decision_set.diameter(D) ** 2 * t / 21
            assert learner.regret_bound(u, smoothness=2.0) == pytest.approx(slack + account.max())
        assert account.shape == (20,)
        whole = oco.ProjectionFree(optimiser, copies=20)
        record = oco.play(whole, losses)
        assert record.holds and np.isfinite(record.bound[-1]) and np.isnan(record.bound[:-1]).all()
    for kind in (oco.ProjectionFree, oco.MetaFrankWolfe, oco.Morgfw):
        optimiser = oco.OnlineGradientDescent(oco.L2Ball(), dimension=D, step=oco.StepSchedule.power(0.5, 0.5))
        learner = kind(optimiser, copies=16, noise=oco.GradientNoise.gaussian(0.1, seed=3))
        record = oco.play(learner, losses, at="last")
        assert oco.L2Ball().contains(record.plays).all() and record.average_regret[-1] < 0.2, kind
        twin, before = pickle.loads(pickle.dumps(learner)), learner._learner.to_bytes()
        with pytest.raises(ValueError):
            learner.update(oco.SquaredLoss([1.0]))
        with pytest.raises(AttributeError):
            learner.update(object())
        assert learner._learner.to_bytes() == before
        for loss in [*losses[:5], *(Squared(loss.target) for loss in losses[:5])]:
            learner.update(loss)
            twin.update(loss)
        assert learner._learner.to_bytes() == twin._learner.to_bytes()
        # A loss of Python and the same of the crate are learnt alike.
        own, python = (kind(optimiser, copies=4) for _ in range(2))
        for loss in losses[:5]:
            own.update(loss)
            python.update(Squared(loss.target))
        assert own.predict() == pytest.approx(python.predict(), abs=1e-12)
    with pytest.raises(ValueError):
        oco.ProjectionFree(optimiser, copies=0)
    with pytest.raises(TypeError):
        oco.ProjectionFree(3, copies=2)


def test_games():
    rng = np.random.default_rng(16)
    for shape in ((2, 3), (5, 4), (3, 3)):
        payoffs = rng.integers(-5, 6, size=shape).astype(float)
        game = oco.MatrixGame(payoffs)
        found = game.equilibrium()
        assert (game.payoffs == payoffs).all() and found.gap <= 1e-9
        # Neither side gains by another strategy.
        assert (found.p @ payoffs).max() == pytest.approx(found.value, abs=1e-9)
        assert (payoffs @ found.q).min() == pytest.approx(found.value, abs=1e-9)
        assert game.best_column(found.p)[1] == pytest.approx(found.value, abs=1e-9)
        assert game.best_row(found.q)[1] == pytest.approx(found.value, abs=1e-9)
        play = oco.ZeroSumGame(game, oco.Hedge(shape[0], rounds=4000, largest_loss=5.0))
        twin = copy.copy(play)
        outcome = play.run(4000, gap=0.3)
        assert outcome.converged and outcome.certificate.min_p <= found.value <= outcome.certificate.max_q
        # Proposition 6: the value is at most min_p plus the average regret of A.
        regret = play.regret_against(np.eye(shape[0])[game.best_row(play.q_bar)[0]])
        assert found.value <= outcome.certificate.min_p + regret / play.rounds + 1e-9
        payoffs_ = [twin.round() for _ in range(play.rounds)]
        assert (twin.p_bar == play.p_bar).all() and np.mean(payoffs_) == pytest.approx(play.average_payoff)
        assert pickle.loads(pickle.dumps(play)).certificate() == play.certificate()
    trembling = oco.ZeroSumGame(game, oco.Hedge(3, step=0.1), tremble=0.5, seed=2)
    assert not trembling.run(100, gap=1e-6).converged and trembling.rounds == 100
    for bad in ([[np.nan]], [], [1.0, 2.0]):
        with pytest.raises(ValueError):
            oco.MatrixGame(bad)
    with pytest.raises(ValueError, match="not a distribution"):
        game.certificate([0.5, 0.5, 0.5], [1.0, 0.0, 0.0])
    with pytest.raises(ValueError):
        oco.ZeroSumGame(game, oco.Hedge(2, step=0.1))
    with pytest.raises(ValueError):
        oco.ZeroSumGame(game, oco.Hedge(3, step=0.1), tremble=2.0)


def test_mistake_bounds_hold_in_every_round():
    rng = np.random.default_rng(17)
    rows = rng.uniform(-1, 1, size=(600, 20))
    u = np.zeros(20)
    u[:3] = [0.6, 0.3, 0.1]
    score = rows @ u
    rows, labels = rows[np.abs(score) > 0.05], np.sign(score[np.abs(score) > 0.05])
    largest, radius = np.abs(rows).max(), np.linalg.norm(rows, axis=1).max()
    perceptron, winnow = oco.Perceptron(20), oco.Winnow(20, margin=0.05, largest_feature=largest)
    balanced = oco.BalancedWinnow(20, margin=0.05, largest_feature=largest)
    bounds = {
        perceptron: oco.Perceptron.mistake_bound(radius=radius, margin=0.05 / np.linalg.norm(u)),
        winnow: winnow.mistake_bound(margin=0.05, largest_feature=largest),
        balanced: balanced.mistake_bound(margin=0.05, largest_feature=largest),
    }
    assert bounds[winnow] == pytest.approx(2 * largest**2 * np.log(20) / 0.05**2)
    for learner, bound in bounds.items():
        wrong = 0
        for x, y in zip(rows, labels, strict=True):
            is_wrong = learner.predict(x) != y
            assert learner.update(x, y) == is_wrong
            wrong += is_wrong
            assert learner.mistakes == wrong <= bound
        assert 0 < wrong < 0.5 * len(rows) and (np.sign(rows @ learner.weights) == labels).mean() > 0.8
        other, before = pickle.loads(pickle.dumps(learner)), learner._learner.to_bytes()
        for x, y, error in (
            (rows[0], 0.5, ValueError),
            (rows[0][:2], 1, ValueError),
            (np.full(20, np.nan), 1, ValueError),
            (rows[0], "1", TypeError),
        ):
            with pytest.raises(error):
                learner.update(x, y)
        assert learner._learner.to_bytes() == before == other._learner.to_bytes()
    # A step for which there is no bound.
    assert oco.Winnow(20, step=1e3).mistake_bound(margin=0.05, largest_feature=1.0) == np.inf


def test_infeasible_sets_and_wrong_settings_are_refused():
    for make in (
        lambda: oco.Simplex(0.0),
        lambda: oco.Simplex(np.nan),
        lambda: oco.CappedSimplex([0.2, 0.3]),
        lambda: oco.CappedSimplex([-0.2, 3.0]),
        lambda: oco.CappedSimplex([]),
        lambda: oco.Box([1.0], [0.0]),
        lambda: oco.Box([1.0, 2.0], [3.0]),
        lambda: oco.Box([np.inf], [np.inf]),
        lambda: oco.L2Ball(-1.0),
        lambda: oco.L1Ball(np.inf),
        lambda: oco.FlowPolytope([(0, 1), (1, 0)], source=0, sink=1),
        lambda: oco.FlowPolytope([(0, 1)], source=1, sink=0),
        lambda: oco.FlowPolytope([], source=0, sink=1),
        lambda: oco.TraceNormBall(0, 2),
        lambda: oco.Spectrahedron(2, -1.0),
        lambda: oco.L2Ball().shrunk(1.0, centre=[0.0]),
        lambda: oco.L2Ball().shrunk(0.5, centre=[2.0]),
        lambda: oco.L2Ball().shrunk(0.5),
        lambda: oco.PNorm(1.0),
        lambda: oco.Simplex().diameter(),
        lambda: oco.Simplex().project([]),
        lambda: oco.Simplex().project(np.zeros((2, 2, 2))),
        lambda: oco.Simplex().project(np.zeros((3, 0))),
        lambda: oco.Simplex().project([np.nan, 1.0]),
        lambda: oco.Simplex().project([-1.0, 1.0], geometry="entropy"),
        lambda: oco.L2Ball().project([1.0], geometry="entropy"),
        lambda: oco.L2Ball().project([1.0], geometry=oco.PNorm(1.5)),
        lambda: oco.Simplex().contains([1.0], tolerance=-1.0),
        lambda: oco.WholeSpace().lmo([1.0]),
        lambda: oco.WholeSpace().lmo([[1.0]]),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), dimension=2),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), step=1.0),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), dimension=2, step=1.0, lipschitz=1.0),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), dimension=2, step=-1.0),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), start=[2.0, 0.0], step=1.0),
        lambda: oco.OnlineGradientDescent(oco.Box([0.0], [1.0]), dimension=2, step=1.0),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), dimension=0, step=1.0),
        lambda: oco.MirrorDescent(oco.L2Ball(), geometry="entropy", dimension=2, step=1.0),
        lambda: oco.MirrorDescent(oco.L2Ball(), geometry=oco.PNorm(1.5), dimension=2, step=1.0),
        lambda: oco.DualAveraging(oco.WholeSpace(), geometry="entropy", dimension=2, step=1.0),
        lambda: oco.FollowTheLeader(oco.WholeSpace(), dimension=2),
        lambda: oco.FollowThePerturbedLeader(oco.WholeSpace(), dimension=2, epsilon=1.0),
        lambda: oco.FollowThePerturbedLeader(oco.Simplex(), dimension=2, epsilon=0.0),
        lambda: oco.FollowThePerturbedLeader(oco.Simplex(), dimension=2, epsilon=1.0, perturbation="cauchy"),
        lambda: oco.OnlineFrankWolfe(oco.WholeSpace(), dimension=2, step=1.0),
        lambda: oco.OnlineFrankWolfe(oco.Simplex(), dimension=2, rounds=10),
        lambda: oco.Doubling(oco.FollowTheLeader(oco.Simplex(), dimension=2), scale=1.0),
        lambda: oco.Hedge(0, step=1.0),
        lambda: oco.Hedge(2),
        lambda: oco.StepSchedule.power(1.0, -1.0),
        lambda: oco.StepSchedule.constant(1.0)(0),
        lambda: oco.QuadraticLoss([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0]),
        lambda: oco.HingeLoss([1.0], 0.5),
        lambda: oco.LogPortfolioLoss([1.0, 0.0]),
        lambda: oco.SquaredLoss([np.nan]),
        lambda: oco.SquaredLoss([1.0]).value([1.0, 2.0]),
        lambda: oco.best_in_hindsight([], oco.Simplex(), dimension=2),
        lambda: oco.best_in_hindsight([oco.LinearLoss([1.0])], oco.WholeSpace()),
        lambda: oco.best_in_hindsight([oco.LinearLoss([1.0]), oco.LinearLoss([1.0, 2.0])], oco.L2Ball()),
        lambda: oco.best_in_hindsight([oco.LinearLoss([1.0])], oco.L2Ball(), method="luck"),
    ):
        with pytest.raises(ValueError):
            make()
    for make in (
        lambda: oco.Simplex("1"),
        lambda: oco.Simplex(True),
        lambda: oco.project([1.0], onto="simplex"),
        lambda: oco.Simplex().project(["a", "b"]),
        lambda: oco.Simplex().project([1.0], geometry="hyperbolic"),
        lambda: oco.AdaGrad(oco.L2Ball()),
        lambda: oco.CompositeMirrorDescent(oco.L2Ball(), penalty=1.0, dimension=2, step=1.0),
        lambda: oco.OnlineGradientDescent("ball", dimension=2, step=1.0),
        lambda: oco.OnlineGradientDescent(oco.L2Ball(), dimension=2.5, step=1.0),
        lambda: oco.Doubling("learner", scale=1.0),
    ):
        with pytest.raises(TypeError):
            make()


def test_what_a_loss_of_python_raises_is_passed_on():
    class Wrong(Squared):
        def gradient(self, x):
            raise LookupError("no gradient")

    class Nan(Squared):
        def gradient(self, x):
            return np.full_like(x, np.nan)

    class Short(Squared):
        def gradient(self, x):
            return x[:1]

    class Once(Squared):
        """As Ctrl-C is: raised in one call, and not in the next."""

        asked = 0

        def gradient(self, x):
            self.asked += 1
            if self.asked == 2:
                raise KeyboardInterrupt
            assert self.asked < 2
            return super().gradient(x)

    with pytest.raises(KeyboardInterrupt):
        oco.best_in_hindsight([Once([0.5, 0.0])], oco.L2Ball(), dimension=2)
    learner = oco.OnlineGradientDescent(oco.L2Ball(), dimension=2, step=0.1)
    for kind, error in ((Wrong, LookupError), (Nan, ValueError), (Short, ValueError)):
        losses = [Squared([0.5, 0.0]), kind([0.5, 0.0])]
        with pytest.raises(error):
            oco.best_in_hindsight(losses, oco.L2Ball(), dimension=2)
        with pytest.raises(error):
            oco.play(learner, losses)
        with pytest.raises(error):
            oco.ProjectionFree(learner, copies=2).update(losses[1])
        assert learner.rounds == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "work", ["game.run(10**12, gap=1e-15)", "oco.best_in_hindsight(losses, ball, max_steps=10**9)"]
)
def test_ctrl_c_ends_long_work(work):
    program = textwrap.dedent(f"""
        import numpy as np
        from ocoboost import oco
        game = oco.ZeroSumGame(oco.MatrixGame([[3.0, 0.0], [0.0, 1.0]]), oco.Hedge(2, step=0.1))
        ball, rng = oco.L2Ball(100.0), np.random.default_rng(0)
        losses = [oco.AbsoluteLoss(x, 0.3) for x in rng.normal(size=(500, 5))]
        try:
            print("begun", flush=True)
            {work}
        except KeyboardInterrupt:
            print("interrupted")
    """)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out.splitlines()[-1:] == ["interrupted"]
