"""Policies over actions with features."""

import copy
import gzip
import pathlib
import pickle
import struct

import numpy as np
import pytest

from conftest import Log

from ocoboost.offpolicy import PolicyBooster, RewardBooster, compare, evaluate, from_bandit_feedback
from ocoboost.online import OnlineBoostingClassifier

FAST = {"time_budget": None, "n_candidates": 2, "n_estimators": 30}


class Shop:
    """Items with a price; who is old buys cheap ones, who is young dear ones (synthetic)."""

    def __init__(self, n=1200, seed=0, items=6, features=2):
        rng = np.random.default_rng(seed)
        self.context = rng.uniform(size=(n, 2))
        self.items = np.random.default_rng(7).uniform(size=(items, features))
        self.action = rng.integers(items, size=n)
        self.pscore = np.full(n, 1 / items)
        self.reward = self.pays(self.context, self.items)[np.arange(n), self.action]

    @staticmethod
    def pays(context, items):
        """Whether a row buys an item, (n, items)."""
        return ((context[:, :1] > 0.5) == (items[:, 0] < 0.5)).astype(float)

    @property
    def columns(self):
        return self.context, self.action, self.reward, self.pscore


class Menu:
    """Two to five candidates a row, each with a price of its own (synthetic)."""

    def __init__(self, n=1200, seed=0):
        rng = np.random.default_rng(seed)
        self.context = rng.uniform(size=(n, 2))
        self.features = rng.uniform(size=(n, 5, 2))
        self.available = np.arange(5) < rng.integers(2, 6, size=(n, 1))
        self.available = rng.permuted(self.available, axis=1)
        counts = self.available.sum(axis=1)
        place = (rng.uniform(size=n) * counts).astype(int)
        self.action = np.argsort(~self.available, axis=1, kind="stable")[np.arange(n), place]
        self.place = place
        self.pscore = 1 / counts
        self.pays = ((self.context[:, :1] > 0.5) == (self.features[:, :, 0] < 0.5)).astype(float)
        self.reward = self.pays[np.arange(n), self.action]
        self.item = rng.integers(30, size=(n, 5))

    @property
    def columns(self):
        return self.context, self.action, self.reward, self.pscore

    @property
    def arrays(self):
        return [row[own] for row, own in zip(self.features, self.available)]

    @property
    def compressed(self):
        return np.concatenate([[0], np.cumsum(self.available.sum(axis=1))]), self.features[self.available]


@pytest.fixture(scope="module")
def shop():
    return Shop()


@pytest.fixture(scope="module")
def menu():
    return Menu()


@pytest.fixture(scope="module")
def of_items(shop):
    return PolicyBooster(**FAST).fit(*shop.columns, action_context=shop.items)


@pytest.fixture(scope="module")
def of_menu(menu):
    return PolicyBooster(**FAST).fit(*menu.columns, available=menu.available, action_context=menu.features)


def test_actions_with_features_are_learnt_and_judged(shop, of_items):
    policy, other = of_items, Shop(seed=3)
    chosen = policy.predict(other.context)
    assert Shop.pays(other.context, shop.items)[np.arange(len(chosen)), chosen].mean() > 0.95
    assert policy.classes_.tolist() == list(range(6)) and policy.n_features_in_ == 2
    assert policy.judgement_.is_better and policy.record_["trees"] == policy.n_estimators_
    scores = policy.decision_function(other.context)
    assert scores.shape == (1200, 6) and (scores.argmax(axis=1) == chosen).all()
    pi = policy.predict_proba(other.context)
    assert np.allclose(pi.sum(axis=1), 1) and set(np.round(np.unique(pi), 9)) == {round(0.1 / 6, 9), round(0.9 + 0.1 / 6, 9)}
    assert policy.predict_proba(other.context, obp=True).shape == (1200, 6, 1)
    soft = policy.predict_proba(other.context, exploration="softmax", parameter=2.0)
    expected = np.exp(2 * (scores - scores.max(axis=1, keepdims=True)))
    assert np.allclose(soft, expected / expected.sum(axis=1, keepdims=True))
    for exploration, expected in (("epsilon_greedy", pi), ("softmax", policy.predict_proba(other.context, exploration="softmax"))):
        action, pscore = policy.sample(other.context, exploration=exploration, random_state=3)
        again, _ = policy.sample(other.context, exploration=exploration, random_state=3)
        assert (action == again).all() and (pscore == expected[np.arange(1200), action]).all()
    found = evaluate(policy, *other.columns, reward_range=(0, 1))
    assert found.is_better and found.certificate.bounds[0].lower == found.at_least
    assert policy.score(*other.columns) == found.value
    assert evaluate(policy, *shop.columns).verdict == "cannot_answer"


def test_actions_that_the_log_does_not_have_are_scored(shop, of_items):
    new = np.array([[0.1, 0.5], [0.9, 0.5], [0.2, 0.1]])
    context = np.array([[0.9, 0.5], [0.1, 0.5]])
    assert of_items.decision_function(context, action_context=new).shape == (2, 3)
    chosen = of_items.predict(context, action_context=new)
    assert chosen[0] in (0, 2) and chosen[1] == 1
    assert of_items.predict(context, [[False, True, True]] * 2, action_context=new).tolist() == [2, 1]
    # Other candidates in every row, with the features of items.
    cube = np.broadcast_to(shop.items, (1200, 6, 2))
    expected = of_items.decision_function(shop.context)
    assert (of_items.decision_function(shop.context, action_context=cube) == expected).all()
    assert (np.stack(of_items.decision_function(shop.context, action_context=list(cube))) == expected).all()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(new, columns=["x", "y"], index=["tea", "wine", "milk"])
    with pytest.raises(ValueError, match='"a0"'):
        of_items.predict(context, action_context=frame)


def test_results_do_not_depend_on_the_layout(menu, of_menu):
    expected = of_menu.decision_function(menu.context, menu.available, action_context=menu.features)
    assert (np.isneginf(expected) == ~menu.available).all()
    flat = expected[menu.available]
    as_list = PolicyBooster(**FAST).fit(menu.context, menu.place, *menu.columns[2:], action_context=menu.arrays)
    found = as_list.decision_function(menu.context, action_context=menu.arrays)
    assert [row.shape for row in found] == [(count,) for count in menu.available.sum(axis=1)]
    assert (np.concatenate(found) == flat).all()
    compressed = PolicyBooster(**FAST).fit(menu.context, menu.place, *menu.columns[2:], action_context=menu.compressed)
    assert (compressed.decision_function(menu.context, action_context=menu.compressed) == flat).all()
    assert as_list.judgement_.details == of_menu.judgement_.details == compressed.judgement_.details
    # The place among those that are there, and the place in the array.
    places = as_list.predict(menu.context, action_context=menu.compressed)
    chosen = of_menu.predict(menu.context, menu.available, action_context=menu.features)
    rows = np.arange(len(chosen))
    assert menu.available[rows, chosen].all() and (menu.available.cumsum(axis=1)[rows, chosen] - 1 == places).all()
    assert menu.pays[rows, chosen].sum() > 0.95 * (menu.pays * menu.available).max(axis=1).sum()
    pi = of_menu.predict_proba(menu.context, menu.available, action_context=menu.features)
    assert pi.shape == (1200, 5) and (pi[~menu.available] == 0).all()
    assert (np.concatenate(as_list.predict_proba(menu.context, action_context=menu.arrays)) == pi[menu.available]).all()
    action, pscore = of_menu.sample(menu.context, menu.available, action_context=menu.features, random_state=1)
    assert (pi[rows, action] == pscore).all()


def test_results_do_not_depend_on_the_memory_or_the_threads(menu):
    def scores(context, features, **settings):
        policy = PolicyBooster(**FAST, **settings)
        policy.fit(context, *menu.columns[1:], available=menu.available, action_context=features)
        return policy.decision_function(context, menu.available, action_context=features)

    single = menu.features.astype(np.float32)
    expected = scores(menu.context, single.astype(np.float64))
    assert (scores(menu.context, single) == expected).all()
    assert (scores(np.asfortranarray(menu.context), np.asfortranarray(single)) == expected).all()
    assert (scores(menu.context, single.tolist()) == expected).all()
    for n_jobs in (1, 2):
        assert (scores(menu.context, single, n_jobs=n_jobs) == expected).all()


def test_columns_of_frames_are_named_and_categories_are_features(shop):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    names = np.array(["ale", "bun", "cod", "dip", "egg", "fig"])
    items = pandas.DataFrame({"price": shop.items[:, 0], "kind": ["wet", "dry", "dry", "wet", "dry", "dry"]}, index=names)
    context = pandas.DataFrame(shop.context, columns=["x", "y"]).assign(city=np.where(shop.context[:, 1] < 0.3, "Ulm", "Bonn"))
    frame = context.assign(shown=names[shop.action], paid=shop.reward, p=shop.pscore)
    policy = PolicyBooster(**FAST).fit(frame, "shown", "paid", "p", action_context=items)
    assert policy.classes_.tolist() == names.tolist() and policy.feature_names_in_.tolist() == ["x", "y", "city"]
    expected = policy.decision_function(context)
    assert policy.predict(context[:20]).tolist() == [names[k] for k in expected[:20].argmax(axis=1)]
    beside = PolicyBooster(classes=names, **FAST)
    beside.fit(polars.from_pandas(context), frame["shown"], shop.reward, shop.pscore, action_context=polars.from_pandas(items))
    assert (beside.decision_function(polars.from_pandas(context)) == expected).all()
    assert policy.policy_.coordinate_names == ["x", "y", "city=Bonn", "city=Ulm", "price", "kind=dry", "kind=wet"]
    # Of the kinds of the cheapest and the dearest, with columns in another order.
    new = items.iloc[[items["price"].argmin(), items["price"].argmax()]][["kind", "price"]].set_axis(["tea", "rum"])
    assert policy.predict(context[:2].assign(x=[0.9, 0.1], y=0.5), action_context=new).tolist() == ["tea", "rum"]
    with pytest.raises(ValueError, match="'wine' is not one of the rows"):
        PolicyBooster(**FAST).fit(context, ["wine"] * 1200, shop.reward, shop.pscore, action_context=items)


def test_items_may_have_identities(shop, menu):
    # Nothing but its name tells that an item sells.
    features, names = np.zeros((6, 1)), ["a", "b", "c", "d", "e", "f"]
    reward = (shop.action == 2).astype(float)
    given = {"action_context": features, "item": names}
    policy = PolicyBooster(**FAST).fit(shop.context, shop.action, reward, shop.pscore, **given)
    assert (policy.predict(shop.context) == 2).all() and policy.policy_.identities == names
    plain = PolicyBooster(**FAST).fit(shop.context, shop.action, reward, shop.pscore, action_context=features)
    scores = plain.decision_function(shop.context)
    assert (scores == scores[:, :1]).all()
    # In another order, with new ones, and without names: who is not known has no identity.
    scores = policy.decision_function(shop.context[:1], action_context=np.zeros((3, 1)), item=["x", "c", "y"])[0]
    own = policy.decision_function(shop.context[:1])[0]
    assert scores[1] == own[2] > scores[0] == scores[2]
    nameless = policy.decision_function(shop.context[:1], action_context=np.zeros((3, 1)))[0]
    assert (nameless == scores[0]).all()
    # An item has its features wherever it stands.
    given = {"action_context": shop.items, "item": names}
    both = PolicyBooster(**FAST).fit(*shop.columns, **given)
    order = np.array([3, 5, 0])
    found = both.decision_function(shop.context, action_context=shop.items[order], item=np.array(names)[order])
    assert (found == both.decision_function(shop.context)[:, order]).all()

    rows = np.arange(len(menu.action))
    reward = (menu.item[rows, menu.action] < 10).astype(float)
    given = {"available": menu.available, "action_context": menu.features * 0, "item": menu.item}
    policy = PolicyBooster(n_candidates=2, n_estimators=150, time_budget=None)
    policy.fit(menu.context, menu.action, reward, menu.pscore, **given)
    chosen = policy.predict(menu.context, **given)
    best = ((menu.item < 10) & menu.available).any(axis=1)
    assert (menu.item[rows, chosen] < 10)[best].mean() > 0.9
    scores = policy.decision_function(menu.context, **given)
    ragged = [row[own] for row, own in zip(menu.item, menu.available)]
    found = policy.decision_function(menu.context, action_context=[0 * one for one in menu.arrays], item=ragged)
    assert (np.concatenate(found) == scores[menu.available]).all()
    unknown = policy.decision_function(menu.context, **(given | {"item": menu.item + 1000}))
    nameless = policy.decision_function(menu.context, menu.available, action_context=menu.features * 0)
    assert (unknown == nameless).all() and (nameless != scores).any()
    # All alike for a row.
    unknown = np.where(menu.available, unknown, np.nan)
    assert (np.nanmax(unknown, axis=1) == np.nanmin(unknown, axis=1)).all()


def test_missing_values_go_to_a_learnt_side(menu):
    features, context = menu.features.copy(), menu.context.copy()
    features[::3, :, 0] = np.nan
    context[1::4, 0] = np.nan
    given = {"available": menu.available, "action_context": features}
    policy = PolicyBooster(**FAST).fit(context, *menu.columns[1:], **given)
    assert '"missing":' in policy.policy_.export("json")
    names = ["x0", "x0 is missing", "x1", "a0", "a0 is missing", "a1"]
    assert policy.policy_.coordinate_names == names and policy.n_features_in_ == 2
    known = ~np.isnan(features[:, 0, 0]) & ~np.isnan(context[:, 0])
    rows, chosen = np.arange(len(known)), policy.predict(context, **given)
    best = (menu.pays * menu.available).max(axis=1)
    assert menu.pays[rows, chosen][known].sum() > 0.9 * best[known].sum()
    again = pickle.loads(pickle.dumps(policy))
    assert (again.decision_function(context, **given) == policy.decision_function(context, **given)).all()
    # A value that was never missing may not be missing now.
    whole = PolicyBooster(**FAST).fit(*menu.columns, available=menu.available, action_context=menu.features)
    with pytest.raises(ValueError, match="\"a0\" holds NaN, and had none in the fit"):
        whole.predict(menu.context, menu.available, action_context=features)


def test_files_and_copies_give_the_same_policy(shop, of_items, tmp_path):
    expected = of_items.decision_function(shop.context)
    path = tmp_path / "policy.ocob"
    of_items.save(path)
    for other in (pickle.loads(pickle.dumps(of_items)), copy.deepcopy(of_items)):
        assert (other.decision_function(shop.context) == expected).all()
    loaded = PolicyBooster.load(path)
    assert (loaded.decision_function(shop.context, action_context=shop.items) == expected).all()
    assert (loaded.predict(shop.context, action_context=shop.items) == of_items.predict(shop.context)).all()
    assert loaded.judgement_.details == of_items.judgement_.details and not hasattr(loaded, "classes_")
    with pytest.raises(ValueError, match="action_context is missing"):
        loaded.predict(shop.context)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError):
        PolicyBooster.load(path)
    stream = OnlineBoostingClassifier(n_learners=2)
    stream.learn_one({"x": 1.0}, True)
    stream.save(path)
    with pytest.raises(ValueError, match="a learner of a stream, not a policy"):
        PolicyBooster.load(path)


ARTICLES = pathlib.Path(__file__).parents[3] / "examples/articles.vw.gz"


def articles(count):
    """The first choices of the synthetic log in the repository, with the columns that the program reads."""
    with gzip.open(ARTICLES, "rt") as file:
        events = file.read().strip().split("\n\n")[:count]
    contexts, candidates, chosen, tags = [], [], [], []
    for event in events:
        shared, *lines = event.split("\n")
        contexts.append(shared.split("|reader ")[1].split())
        candidates.append([line.split("|article ")[1].split() for line in lines])
        tags.append([line.split(" |")[0].split("'")[1] for line in lines])
        for place, line in enumerate(lines):
            if not line.startswith("'"):
                _, cost, p = line.split(" ")[0].split(":")
                chosen.append((place, -float(cost), float(p)))
    devices = sorted({device for _, device in contexts})
    topics = sorted({topic for row in candidates for topic, _ in row})
    number = lambda cell: float(cell.split(":")[1])
    context = np.array([[number(age), *(float(own == device) for own in devices)] for age, device in contexts])
    features = [np.array([[*(float(own == topic) for own in topics), number(words)] for topic, words in row]) for row in candidates]
    place, reward, pscore = map(np.array, zip(*chosen))
    return (context, place.astype(int), reward + 0.0, pscore), features, tags


def bits(numbers):
    return [struct.unpack("<Q", struct.pack("<d", number))[0] for number in numbers]


def test_the_log_of_the_program_has_the_same_policy_to_the_bit():
    columns, features, _ = articles(1000)
    # A confidence that has no rounding.
    policy = PolicyBooster(time_budget=None, n_candidates=2, n_estimators=6, random_state=1, confidence=0.9375)
    policy.fit(*columns, action_context=features)
    # As crates/cli/tests/candidates.rs has them, of the program.
    assert policy.record_["provenance"]["log_sha256"] == SHA256
    scores = np.concatenate(policy.decision_function(columns[0], action_context=features))
    assert bits(scores[:6]) == SCORES
    bound = policy.judgement_.certificate.bounds[0]
    assert bits([bound.lower, bound.setting, bound.estimate]) == BOUND


def test_a_model_of_the_program_is_loaded():
    # ocoboost train thousand.vw -o articles.ocob --identities --budget 1h --rounds 4 --candidates 1 --max-depth 4
    # --seed 1, on the first thousand choices; `ocoboost predict --top 5` has these scores of the first three.
    policy = PolicyBooster.load(pathlib.Path(__file__).parent / "data/articles.ocob")
    columns, features, tags = articles(3)
    given = {"action_context": features, "item": tags}
    expected = [
        [0.22202460064607532, 0.1005203060796434, 0.08428413469106487, 0.09319129397813986, 0.1005203060796434],
        [0.14641934548932978, 0.10480575356763974, 0.14641934548932978, 0.12937579294308854, 0.12937579294308854],
        [0.14641934548932978, 0.14641934548932978, 0.14641934548932978, 0.08602604504364166, 0.08456554773449919],
    ]
    assert [row.tolist() for row in policy.decision_function(columns[0], **given)] == expected
    assert policy.predict(columns[0], **given).tolist() == [0, 0, 0]
    names = [f"article.topic={topic}" for topic in ("politics", "science", "sport", "travel")]
    devices = ["reader.device=laptop", "reader.device=phone"]
    assert policy.policy_.coordinate_names[:-60] == ["reader.age", *devices, *names, "article.words"]
    assert len(policy.policy_.identities) == 60 and policy.record_["provenance"]["rows"] == 1000
    cube = np.stack(features)
    assert (policy.decision_function(columns[0], action_context=cube, item=tags) == np.array(expected)).all()


SHA256 = "fc1b4e522ee7e3be0fc666e3a673a3630246e5699016b305e8c151f8b56b3bbf"
SCORES = [
    4598197626318201828,
    4591884333178610249,
    4589573082165401460,
    4591170217841254966,
    4590407923956794951,
    4590418774823472776,
]
BOUND = [
    4575896063896412544,
    4594778618781306354,
    4594164013477165096,
]


def test_policies_are_compared(menu):
    given = {"available": menu.available, "action_context": menu.features}
    better = PolicyBooster(**FAST).fit(*menu.columns, **given)
    worse = RewardBooster(**FAST).fit(menu.context, menu.action, 1 - menu.reward, menu.pscore, **given)
    other = Menu(seed=5)
    given = {"available": other.available, "action_context": other.features}
    found = compare({"better": better, "worse": worse}, *other.columns, **given)
    assert "better" in found.sentence and len(found.differences) == 3 and found.differences[0]["lower"] > 0.5
    with pytest.raises(ValueError, match="was trained on this log"):
        compare({"own": better}, *menu.columns, available=menu.available, action_context=menu.features)
    log = Log()
    plain = PolicyBooster(**FAST).fit(*log.columns)
    with pytest.raises(ValueError, match="policies over candidates and others"):
        compare({"better": better, "plain": plain}, *other.columns, **given)
    with pytest.raises(ValueError, match="without action_context"):
        compare({"plain": plain}, *log.columns, action_context=np.zeros((len(log.action), 2, 1)))
    # A row an action says which actions there are; who asks no questions about them is judged as without it.
    later = Log(seed=5)
    named = compare({"plain": plain}, *later.columns, action_context=np.eye(2))
    assert str(named) == str(compare({"plain": plain}, *later.columns))
    assert str(evaluate(plain, *later.columns, action_context=np.eye(2))) == str(evaluate(plain, *later.columns))


def test_any_policy_is_judged_by_its_probabilities(menu, of_menu):
    other = Menu(seed=5)
    given = {"available": other.available, "action_context": other.features}
    pi = of_menu.predict_proba(other.context, parameter=0.0, **given)
    expected = evaluate(of_menu, *other.columns, **given)
    assert evaluate(pi, *other.columns, **given).details == expected.details
    assert evaluate(pi[:, :, np.newaxis], *other.columns, **given).details == expected.details
    columns = (other.context, other.place, *other.columns[2:])
    as_list = [row[own] for row, own in zip(pi, other.available)]
    assert evaluate(as_list, *columns, action_context=other.arrays).details == expected.details
    assert evaluate(pi[other.available], *columns, action_context=other.compressed).details == expected.details
    logged = evaluate("logged", *other.columns, **given)
    assert logged.value == pytest.approx(other.reward.mean())
    uniform = evaluate("uniform", *other.columns, **given)
    assert uniform.value == pytest.approx(other.reward.mean(), abs=1e-9)
    for bad, message in [
        (pi[:-1], "shape"),
        (2 * pi, "sum to 2"),
        (np.full_like(pi, 0.2), "not on offer"),
        ("best", "no policy"),
    ]:
        with pytest.raises(ValueError, match=message):
            evaluate(bad, *other.columns, **given)


def test_dictionaries_of_open_bandit_pipeline_bring_their_actions(shop, of_items):
    feedback = {"n_actions": 6, "position": None, "context": shop.context, "action": shop.action}
    feedback |= {"reward": shop.reward, "pscore": shop.pscore, "action_context": shop.items}
    policy = PolicyBooster(**FAST).fit(**from_bandit_feedback(feedback))
    assert (policy.decision_function(shop.context) == of_items.decision_function(shop.context)).all()
    other = Shop(seed=3)
    feedback |= {"context": other.context, "action": other.action, "reward": other.reward}
    dist = policy.predict_proba(other.context, parameter=0.0, obp=True)
    # A policy by its probabilities is judged with a model of rewards, as without features.
    found = evaluate(dist, **from_bandit_feedback(feedback))
    without = evaluate(dist, other.context, other.action, other.reward, other.pscore)
    assert found.details == without.details and "dr" in found.estimates
    own = evaluate(policy, **from_bandit_feedback(feedback))
    assert own.estimates["snips"] == found.estimates["snips"]


def test_a_fit_replaces_what_another_left(shop, menu):
    log = Log()
    policy = PolicyBooster(**FAST).fit(*shop.columns, action_context=shop.items)
    policy.fit(*menu.columns, available=menu.available, action_context=menu.features)
    assert not hasattr(policy, "classes_") and not hasattr(policy, "action_context_")
    policy.fit(*log.columns)
    assert policy.classes_.tolist() == [0, 1] and policy.predict(log.context).shape == (1200,)


def test_what_is_refused_leaves_the_estimator_as_it_was(shop, menu, of_items):
    x, a, r, p = shop.columns
    policy = copy.deepcopy(of_items)
    expected, state = policy.decision_function(x), dict(vars(policy))
    items, masked = shop.items, np.ones((1200, 6), dtype=bool)
    masked[7, a[7]] = False
    empty = masked.copy()
    empty[3] = False
    ragged = [np.zeros((2, 3))] * 1200
    offsets = np.arange(0, 2401, 2)
    refused = [
        ({"pscore": 12 * p}, "propensity"),
        ({"action": a[:-1]}, "entries"),
        ({"reward": r[:-1]}, "entries"),
        ({"action": a + 0.5}, "places|rows"),
        ({"action": a + 1}, "action 6 of row"),
        ({"action": a - 1}, "action -1 of row"),
        ({"action": a[:, np.newaxis]}, "shape"),
        ({"action": ["wine"] * 1200}, "not one of the rows"),
        ({"action_context": np.zeros(6)}, "shape"),
        ({"action_context": np.zeros((1200, 6, 2, 1))}, "shape"),
        ({"action_context": np.zeros((1199, 6, 2))}, "context has 1200 rows, action_context has 1199"),
        ({"action_context": np.full((6, 2), "red")}, "no number|texts"),
        ({"action_context": np.full((1200, 6, 2), "red")}, "no number"),
        ({"action_context": np.full((6, 2), np.inf)}, "inf"),
        ({"action_context": np.zeros((6, 0))}, "column|coordinate|empty|no "),
        ({"action_context": ragged[:-1]}, "action_context has 1199"),
        ({"action_context": ragged[:-1] + [np.zeros((2, 4))]}, "with one k"),
        ({"action_context": ragged[:-1] + [np.zeros((0, 3))], "action": 0 * a}, "row 1199 has no candidate"),
        ({"action_context": ragged, "available": masked}, "available is for arrays"),
        ({"action_context": ragged}, "not the place of one of its 2"),
        ({"action_context": (offsets, np.zeros((2399, 3)))}, "do not rise from 0"),
        ({"action_context": (offsets[::-1], np.zeros((2400, 3)))}, "do not rise from 0"),
        ({"action_context": (offsets + 0.5, np.zeros((2400, 3)))}, "whole numbers"),
        ({"action_context": (offsets,)}, "not \\(offsets, features\\)"),
        ({"available": masked}, "row 7 is not on offer"),
        ({"available": empty}, "row 3 has no candidate"),
        ({"available": masked[:, :5]}, "available has shape"),
        ({"item": ["a"] * 6}, "twice"),
        ({"item": ["a"]}, "item has shape"),
        ({"action_context": None, "item": ["a"]}, "there is none"),
    ]
    given = {"context": x, "action": a, "reward": r, "pscore": p, "action_context": items}
    for change, message in refused:
        with pytest.raises((ValueError, TypeError), match=message):
            policy.fit(**(given | change))
            pytest.fail(f"{change} was not refused")
    for bad, message in [
        ({"action_context": items[:, :1]}, "action_context has 1 columns, 2 are expected"),
        ({"action_context": np.zeros((1200, 6, 3))}, "action_context has 3 columns, 2 are expected"),
        ({"context": x[:, :1]}, "context has 1 columns, 2 are expected"),
        ({"context": None}, "row an action"),
    ]:
        with pytest.raises(ValueError, match=message):
            policy.predict(**({"context": x} | bad))
    for settings in ({"max_depth": 0}, {"n_estimators": 0}, {"n_jobs": 0}, {"epsilon": 2.0}, {"classes": [1, 2]}):
        with pytest.raises((ValueError, TypeError)):
            PolicyBooster(**{**FAST, **settings}).fit(**given)
    with pytest.raises(ValueError, match="without action_context"):
        PolicyBooster(**FAST).fit(x, a, r, p).predict(x, action_context=items)
    # A size that nobody has the memory for is refused before it is asked for.
    many = np.broadcast_to(np.zeros((1, 1)), (2**22, 1))
    with pytest.raises(ValueError, match="pairs of a choice and a candidate are more"):
        policy.predict(many, action_context=np.broadcast_to(items[:1], (2**11, 2)))
    assert vars(policy) == state and (policy.decision_function(x) == expected).all()


def test_callbacks_see_the_rounds_and_end_them(shop):
    seen = []
    given = {"action_context": shop.items}
    PolicyBooster(callbacks=[lambda event: seen.append(event["stage"])], **FAST).fit(*shop.columns, **given)
    assert {"search", "training", "judging"} <= set(seen)
    ended = PolicyBooster(callbacks=[lambda event: True], **FAST).fit(*shop.columns, **given)
    assert ended.record_["is_cut"]

    def raises(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        PolicyBooster(callbacks=[raises], **FAST).fit(*shop.columns, **given)


def test_the_latest_rows_or_whole_groups_judge(shop, menu):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    time = rng.permutation(1200).astype(float)
    given = {"available": menu.available, "action_context": menu.features}
    settings = {**FAST, "holdout_fraction": 0.25}
    policy = PolicyBooster(**settings).fit(*menu.columns, **given, time=time)
    latest = time >= 900
    assert policy.record_["split"] == "by time" and policy.record_["provenance"]["judging_rows"] == 300
    assert policy.judgement_.details["logged"]["value"] == pytest.approx(menu.reward[latest].mean())
    # The same of dates, of their texts, and of a column of a frame, which is no feature then.
    days = np.datetime64("2026-01-01") + time.astype("timedelta64[h]")
    frame = pandas.DataFrame(menu.context, columns=["x0", "x1"]).assign(at=days, user=rng.integers(40, size=1200))
    expected = policy.judgement_.details
    for when in (days, days.astype(str), [f"{text}Z" for text in days.astype(str)], pandas.Series(days)):
        other = PolicyBooster(**settings).fit(*menu.columns, **given, time=when)
        assert other.judgement_.details == expected
    named = PolicyBooster(**settings).fit(frame.drop(columns="user"), *menu.columns[1:], **given, time="at")
    assert named.feature_names_in_.tolist() == ["x0", "x1"] and named.judgement_.details == expected

    users = frame["user"].to_numpy()
    policy = PolicyBooster(**settings).fit(*menu.columns, **given, groups=users)
    judged = policy.record_["provenance"]["judging_rows"]
    assert policy.record_["split"] == "by groups" and 200 < judged < 400
    assert "grouped_rows" in str(policy.judgement_.details["caveats"]).lower()
    of_texts = PolicyBooster(**settings).fit(*menu.columns, **given, groups=[f"u{user:02}" for user in users])
    assert of_texts.judgement_.details == policy.judgement_.details
    named = PolicyBooster(**settings).fit(frame.drop(columns="at"), *menu.columns[1:], **given, groups="user")
    assert named.judgement_.details == policy.judgement_.details
    # With a row an action, too.
    of_items = PolicyBooster(**settings).fit(*shop.columns, action_context=shop.items, time=time)
    assert of_items.judgement_.details["logged"]["value"] == pytest.approx(shop.reward[latest].mean())

    for bad, message in [
        ({"time": time[1:]}, "time has 1199 entries, action has 1200"),
        ({"time": np.full(1200, np.nan)}, "the time of row 0 is NaN"),
        ({"time": ["monday"] * 1200}, "no number and no date"),
        ({"time": [None] * 1200}, "no number|missing|NaN"),
        ({"groups": users[1:]}, "groups has 1199 entries, action has 1200"),
        ({"groups": np.zeros(1200)}, "leave"),
        ({"time": time, "groups": users}, "one is enough"),
    ]:
        with pytest.raises(ValueError, match=message):
            PolicyBooster(**settings).fit(*menu.columns, **given, **bad)
    with pytest.raises(TypeError, match="time = 'at' names a column"):
        PolicyBooster(**settings).fit(*menu.columns, **given, time="at")


def test_names_and_probabilities_are_compared_with_policies_over_candidates(menu, of_menu):
    other = Menu(seed=5)
    given = {"available": other.available, "action_context": other.features}
    pi = of_menu.predict_proba(other.context, parameter=0.0, **given)
    policies = {"even": "uniform", "own": of_menu, "its table": pi, "log": "logged"}
    found = compare(policies, *other.columns, **given)
    assert list(found.judgements) == [*policies, "logged"] and len(found.differences) == 10
    for name, policy in policies.items():
        assert found.judgements[name].details == evaluate(policy, *other.columns, **given).details, name
    assert found.judgements["its table"].estimates == found.judgements["own"].estimates
    own_less_even = next(one for one in found.differences if (one["first"], one["second"]) == ("even", "own"))
    assert own_less_even["upper"] < -0.3
    # Without any model, by the layout alone.
    alone = compare({"even": "uniform"}, *other.columns, **given)
    assert alone.judgements["even"].details == found.judgements["even"].details
    columns = (other.context, other.place, *other.columns[2:])
    as_list = [row[own] for row, own in zip(pi, other.available)]
    of_lists = compare({"table": as_list, "even": "uniform"}, *columns, action_context=other.arrays)
    assert of_lists.judgements["table"].estimates == found.judgements["own"].estimates
    with pytest.raises(ValueError, match="sum to 2"):
        compare({"own": of_menu, "bad": 2 * pi}, *other.columns, **given)
    with pytest.raises(ValueError, match="no policy"):
        compare({"own": of_menu, "bad": "best"}, *other.columns, **given)


class Preferring(Menu):
    """The same of a policy that shows dear candidates more often to who has a large x0 (synthetic)."""

    def __init__(self, n=2000, seed=0):
        super().__init__(n, seed)
        rng = np.random.default_rng(seed + 1)
        scores = 4 * (self.features[:, :, 0] - 0.5) * (2 * self.context[:, :1] - 1)
        weights = np.exp(scores) * self.available
        pi = weights / weights.sum(axis=1, keepdims=True)
        self.action = (rng.uniform(size=(n, 1)) < pi.cumsum(axis=1)).argmax(axis=1)
        self.place = self.available.cumsum(axis=1)[np.arange(n), self.action] - 1
        self.pscore = pi[np.arange(n), self.action]
        self.reward = self.pays[np.arange(n), self.action]


def test_propensities_over_candidates_are_estimated():
    log, later = Preferring(), Preferring(seed=7)
    of = lambda menu: {"available": menu.available, "action_context": menu.features}
    policy = PolicyBooster(**FAST).fit(log.context, log.action, log.reward, **of(log))
    assert policy.record_["provenance"]["propensities"] == "estimated"
    assert "estimated_propensities" in str(policy.judgement_.details["caveats"]).lower()
    chosen = policy.predict(later.context, later.available, action_context=later.features)
    best = (later.pays * later.available).max(axis=1)
    assert later.pays[np.arange(2000), chosen].sum() > 0.95 * best.sum()
    # Near what the logged ones say, and wider.
    known = evaluate("uniform", *later.columns, **of(later))
    found = evaluate("uniform", *later.columns[:3], **of(later))
    own, right = found.estimates["snips"], known.estimates["snips"]
    assert own["value"] == pytest.approx(right["value"], abs=0.05)
    assert own["upper"] - own["lower"] > right["upper"] - right["lower"]
    truth = (later.pays * later.available).sum(axis=1) / later.available.sum(axis=1)
    assert abs(own["value"] - truth.mean()) < 0.05 < abs(later.reward.mean() - truth.mean())
    assert evaluate("uniform", *later.columns[:3], **of(later)).details == found.details
    other = evaluate("uniform", *later.columns[:3], **of(later), random_state=5)
    assert other.estimates["snips"]["value"] != own["value"]
    compared = compare({"even": "uniform", "own": policy}, *later.columns[:3], **of(later))
    assert compared.judgements["even"].details == found.details
    # The log of the training is known whatever the estimates.
    again = evaluate(policy, log.context, log.action, log.reward, **of(log), random_state=9)
    assert again.verdict == "cannot_answer"
    with pytest.raises(ValueError, match="was trained on this log"):
        compare({"own": policy}, log.context, log.action, log.reward, **of(log), random_state=9)


def test_ctrl_c_ends_the_regression_behind_a_judgement(menu):
    seen = []

    def watch(event):
        seen.append(event["stage"])
        return event["stage"] == "reward model" and seen.count("reward model") == 2

    given = {"available": menu.available, "action_context": menu.features}
    policy = PolicyBooster(callbacks=[watch], **FAST).fit(*menu.columns, **given)
    assert seen.count("reward model") == 2 and policy.record_["is_model_cut"] and not policy.record_["is_cut"]
