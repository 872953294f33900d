"""Pictures: what they show is what is known."""

import sys

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from conftest import Log

from ocoboost import plot_learning_curve, plot_margins, plot_policy
from ocoboost.boost import AdaBoostClassifier, MadaBoostClassifier, SmoothBoostClassifier, SparseBoostClassifier
from ocoboost.offpolicy import PolicyBooster, RewardBooster, compare, evaluate
from ocoboost.online import OnlineBoostingClassifier

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

ALL = [AdaBoostClassifier, MadaBoostClassifier, SmoothBoostClassifier, SparseBoostClassifier]
X, Y = load_breast_cancer(return_X_y=True)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def assert_legible(ax):
    """Whatever is written is inside the picture, and no two lines of it lie on each other."""
    figure = ax.get_figure()
    figure.canvas.draw()
    legend = ax.get_legend()
    texts = [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else [])]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        # A tick beyond the limits is not drawn.
        texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    texts = [text for text in texts if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert len(boxes) > 6 and ax.get_xlabel()
    (x0, y0), (x1, y1) = figure.bbox.padded(1).get_points()
    for place, box in enumerate(boxes):
        assert x0 <= box.x0 < box.x1 <= x1 and y0 <= box.y0 < box.y1 <= y1, texts[place]
        for other, before in enumerate(boxes[:place]):
            assert not box.padded(-1).overlaps(before.padded(-1)), (texts[place], texts[other])


def markers(ax):
    return [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]


def labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_a_policy_is_shown_with_its_verdict(log, fast):
    policy = PolicyBooster(**fast).fit(*log.columns)
    ax = plot_policy(policy)
    estimates = policy.judgement_.estimates
    assert labels(ax) == ["the log", "IPS", "clipped IPS", "SNIPS", "DM", "DR", "SWITCH-DR"]
    expected = [estimates[name]["value"] for name in ("logged", "ips", "clipped_ips", "snips", "dm", "dr", "switch_dr")]
    assert markers(ax) == expected
    drawn = [tuple(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2 and line.get_ydata()[0] in range(7)]
    assert (estimates["dr"]["lower"], estimates["dr"]["upper"]) in drawn
    # The one that is quoted is filled, and it alone beside the log.
    filled = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() != "white"]
    assert filled == [estimates["logged"]["value"], policy.judgement_.value]
    title = ax.get_title(loc="left")
    assert title.startswith("Better than what ran: by ") and "95%" in title
    claimed = float(title.split(" by ")[1].removeprefix("about ").split()[0])
    assert 0 < claimed <= policy.judgement_.at_least < 1.2 * claimed
    assert_legible(ax)


def test_every_verdict_has_its_words(log):
    same = evaluate("logged", *log.columns)
    assert same.verdict == "not_shown" and plot_policy(same).get_title(loc="left") == "That it is better than what ran is not shown"
    few = evaluate("uniform", *(column[:10] for column in log.columns))
    ax = plot_policy(few)
    assert few.verdict == "cannot_answer" and ax.get_title(loc="left") == "The log cannot answer for this policy"
    assert_legible(ax)


def test_policies_are_shown_beside_each_other(log, fast):
    better = PolicyBooster(**fast).fit(*log.columns)
    other = RewardBooster(**fast).fit(log.context, log.action, 1 - log.reward, log.pscore)
    found = compare({"better": better, "<b>other</b>": other}, *Log(seed=5).columns)
    ax = plot_policy(found)
    assert labels(ax) == ["the log", "better", "<b>other</b>"] and ax.get_title(loc="left") == found.sentence
    values = markers(ax)
    assert values[1] > values[0] > values[2]
    assert_legible(ax)
    page = found._repr_html_()
    assert "&lt;b&gt;other" in page and "<b>" not in page and "better less logged" in page
    assert page.count("<tr>") == 1 + 3 + 1 + 3


@pytest.mark.parametrize("booster", ALL)
def test_the_rounds_are_shown_under_their_bound(booster):
    fitted = booster(n_estimators=25, max_depth=2).fit(X, Y)
    ax = plot_learning_curve(fitted)
    errors, bounds = ax.lines
    assert (errors.get_ydata() == fitted.training_errors_).all() and errors.get_xdata()[0] == 1
    assert (bounds.get_ydata() == fitted.training_error_bounds_).all()
    assert (errors.get_ydata() <= bounds.get_ydata() + 1e-12).all()
    assert_legible(ax)


def test_every_class_has_its_curves():
    digits, classes = load_digits(return_X_y=True)
    fitted = AdaBoostClassifier(n_estimators=6, max_depth=2).fit(digits, classes)
    ax = plot_learning_curve(fitted)
    assert len(ax.lines) == 20 and len(ax.get_legend().get_texts()) == 2
    assert_legible(ax)
    ax = plot_margins(fitted, label="training rows")
    assert len(ax.lines) == 11 and len(ax.get_legend().get_texts()) == 1
    by_rows = plot_margins(fitted, digits, classes)
    assert len(by_rows.lines) == 2
    assert_legible(ax)


def test_the_search_of_a_policy_is_shown(log, fast):
    policy = PolicyBooster(**{**fast, "n_candidates": 3}).fit(*log.columns)
    record = policy.record_
    chosen = record["tried"][record["chosen"]]
    # The best round need not be the last.
    chosen["best_round"], chosen["value"] = 3, {"value": 0.75}
    ax = plot_learning_curve(policy)
    others, own, best, logged = ax.lines[:-3], *ax.lines[-3:]
    assert len(others) == len(record["tried"]) - 1 >= 1
    assert [list(pair) for pair in own.get_xydata()] == [list(map(float, pair)) for pair in chosen["curve"]]
    assert [best.get_xdata()[0], best.get_ydata()[0]] == [3, 0.75]
    assert logged.get_ydata()[0] == policy.judgement_.estimates["logged"]["value"]
    assert_legible(ax)


def test_a_stream_is_shown_by_its_progressive_error():
    wrong = np.random.default_rng(0).uniform(size=4000) < np.linspace(0.5, 0.1, 4000)
    ax = plot_learning_curve(OnlineBoostingClassifier(), wrong)
    lately, so_far = ax.lines
    assert so_far.get_xdata()[-1] == 4000 and so_far.get_ydata()[-1] == pytest.approx(wrong.mean(), abs=1e-12)
    assert lately.get_ydata()[-1] == pytest.approx(wrong[-200:].mean(), abs=1e-12)
    assert lately.get_ydata()[0] == so_far.get_ydata()[0] == pytest.approx(wrong[:200].mean(), abs=1e-12)
    assert ax.get_ylabel() == "share of wrong predictions"
    assert plot_learning_curve(OnlineBoostingClassifier(), [0.5, 2.5]).get_ylabel() == "mean loss"
    assert_legible(ax)
    for bad in ([], np.zeros((2, 2)), [float("nan")], ["red"]):
        with pytest.raises(ValueError, match="mistakes"):
            plot_learning_curve(OnlineBoostingClassifier(), bad)
    with pytest.raises(TypeError, match="hand in mistakes"):
        plot_learning_curve(OnlineBoostingClassifier())


@pytest.mark.parametrize("booster", ALL)
def test_margins_are_those_of_the_rows(booster):
    fitted = booster(n_estimators=25, max_depth=2).fit(X, Y)
    ax = plot_margins(fitted)
    curve, zero = ax.lines
    xs, shares = curve.get_xdata(), curve.get_ydata()
    assert zero.get_xdata()[0] == 0
    assert xs[1:-1] == pytest.approx(np.sort(fitted.margins(X, Y)), abs=1e-12)
    # The share at a margin is that of the rows with at most it.
    below = np.searchsorted(xs, 0.0, side="right") - 1
    assert shares[below] == pytest.approx((fitted.margins(X, Y) <= 0).mean())
    assert shares[-1] == 1 and (np.diff(shares) >= 0).all()
    assert_legible(ax)


def test_a_second_curve_has_another_colour():
    _, ax = pyplot.subplots()
    half = np.arange(len(Y)) % 2 == 0
    for booster in ALL[:2]:
        fitted = booster(n_estimators=10).fit(X[half], Y[half])
        assert plot_margins(fitted, X[~half], Y[~half], label=booster.__name__, ax=ax) is ax
    first, _, second = ax.lines
    assert first.get_color() != second.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [booster.__name__ for booster in ALL[:2]]
    assert len(first.get_xdata()) == (~half).sum() + 2


def test_what_has_no_picture_is_refused(monkeypatch):
    for draw in (plot_learning_curve, plot_margins):
        with pytest.raises(TypeError, match="not fitted"):
            draw(AdaBoostClassifier())
    with pytest.raises(TypeError, match="no judgement"):
        plot_policy(PolicyBooster())
    fitted = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="go together"):
        plot_margins(fitted, X)
    with pytest.raises(ValueError, match="does not know"):
        plot_margins(fitted, X, Y + 7)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_margins(fitted)


def test_what_has_no_record_of_its_rounds_says_so(log, fast, tmp_path):
    booster = AdaBoostClassifier(n_estimators=10, max_depth=2).fit(X, Y)
    booster.save(tmp_path / "booster.ocob")
    loaded = AdaBoostClassifier.load(tmp_path / "booster.ocob")
    with pytest.raises(ValueError, match="this AdaBoostClassifier was loaded, and a file has no errors of the rounds"):
        plot_learning_curve(loaded)
    with pytest.raises(ValueError, match="was loaded, and a file has no margins of the training: hand in X and y"):
        plot_margins(loaded)
    # With rows it has margins as before.
    own, again = (plot_margins(one, X, labels).lines[0] for one, labels in ((booster, Y), (loaded, Y.astype(str))))
    assert np.allclose(own.get_xdata(), again.get_xdata())
    features = np.array([[0.0], [1.0]])
    over = PolicyBooster(**{**fast, "n_estimators": 5}).fit(*log.columns, action_context=features)
    with pytest.raises(ValueError, match="a policy over candidates keeps no values of its rounds"):
        plot_learning_curve(over)
    assert pyplot.get_fignums() and plot_policy(over).get_title(loc="left")
