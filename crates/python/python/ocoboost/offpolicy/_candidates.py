"""Candidates with features of their own, in the layouts in which people have them.

Reading order: `Layout`, which candidates a choice has and in which shape answers are given; `read`, the choices;
`log_of`.
"""

import json
import warnings
from dataclasses import dataclass

import numpy as np

from ocoboost import _core, _data

#: The most pairs of a choice and a candidate, which the native module counts in 32 bits.
_MOST_PAIRS = 2**32 - 1


@dataclass(frozen=True)
class Layout:
    """Which candidates every choice has, and in which shape answers are given.

    Attributes
    ----------
    kind : {"table", "array", "list", "compressed"}
        The same items in every choice; candidates in an array of shape (n, n_candidates, k); an array a choice;
        offsets and all features.
    offsets : int64 array of shape (n + 1,)
        The first pair of every choice, and the number of pairs.
    shape : (int, int) or None
        n and n_candidates, of the first two kinds.
    mask : Boolean array of that shape, or None
        Which candidates are there, where not all are.
    labels : array of shape (n_candidates,) or None
        What the items of a table are called.
    """

    kind: str
    offsets: np.ndarray
    shape: tuple | None = None
    mask: np.ndarray | None = None
    labels: np.ndarray | None = None

    def __len__(self):
        return len(self.offsets) - 1

    @property
    def counts(self):
        return np.diff(self.offsets)

    def pairs(self, values):
        """What stands in an array of `shape`, candidate by candidate."""
        return values.reshape(-1, *values.shape[2:]) if self.mask is None else values[self.mask]

    def unravel(self, flat, absent=0.0):
        """Numbers of pairs in the shape of an answer."""
        if self.kind == "list":
            return np.split(flat, self.offsets[1:-1])
        if self.kind == "compressed":
            return flat
        if self.mask is None:
            return flat.reshape(self.shape)
        found = np.full(self.shape, absent)
        found[self.mask] = flat
        return found

    def ravel(self, policy):
        """The probabilities of a policy, pair by pair."""
        if self.kind == "list":
            rows = [np.asarray(row, dtype=np.float64) for row in policy]
            if [row.shape for row in rows] != [(count,) for count in self.counts.tolist()]:
                raise ValueError("the policy's probabilities are not an array a choice, with one number a candidate")
            return np.concatenate(rows)
        array = np.asarray(policy, dtype=np.float64)
        if self.kind == "compressed":
            if array.shape != (int(self.offsets[-1]),):
                raise ValueError(f"the policy's probabilities have shape {array.shape}, not ({self.offsets[-1]},)")
            return np.ascontiguousarray(array)
        array = array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array
        if array.shape != self.shape:
            raise ValueError(f"the policy's probabilities have shape {array.shape}, not {self.shape}")
        if self.mask is not None and array[~self.mask].any():
            row, place = np.argwhere((array != 0) & ~self.mask)[0]
            raise ValueError(f"the policy plays action {place} in row {row}, where it is not on offer")
        return np.ascontiguousarray(self.pairs(array))

    def places(self, action):
        """The place of every row's action among its candidates."""
        array = np.asarray(action)
        if array.ndim != 1:
            raise ValueError(f"action has shape {array.shape}, not (n,)")
        if len(array) != len(self):
            raise ValueError(f"action has {len(array)} entries, there are {len(self)} choices")
        if self.kind == "table":
            array = _codes(array, self.labels)
        if array.dtype.kind not in "iu":
            if array.dtype.kind != "f" or not np.array_equal(array, np.round(array)):
                raise ValueError("action holds something else than places: with action_context it is the place of a candidate")
            array = array.astype(np.int64)
        most = np.full(len(self), self.shape[1]) if self.shape else self.counts
        outside = np.flatnonzero((array < 0) | (array >= most))
        if len(outside):
            row = outside[0]
            raise ValueError(f"action {array[row]} of row {row} is not the place of one of its {most[row]} candidates")
        if self.mask is not None:
            absent = np.flatnonzero(~self.mask[np.arange(len(self)), array])
            if len(absent):
                row = absent[0]
                raise ValueError(f"action {array[row]} of row {row} is not on offer")
            array = (self.mask & (np.arange(self.shape[1]) < array[:, np.newaxis])).sum(axis=1)
        return np.ascontiguousarray(array, dtype=np.uint32)

    def actions(self, places):
        """What the candidates at these places are called: the reverse of `places`."""
        places = places.astype(np.int64)
        if self.mask is not None:
            places = np.nonzero(self.mask)[1][self.offsets[:-1] + places]
        return places if self.labels is None else self.labels[places]


def _codes(array, labels):
    """The rows of the table that are called so."""
    if labels.dtype.kind in "iu" and array.dtype.kind in "iuf" and np.array_equal(labels, np.arange(len(labels))):
        return array
    names, places = np.unique(_names(array), return_inverse=True)
    order = {name: row for row, name in enumerate(_names(labels).tolist())}
    try:
        return np.array([order[name] for name in names.tolist()], dtype=np.int64)[places]
    except KeyError as error:
        raise ValueError(f"action {error.args[0]!r} is not one of the rows of action_context") from None


def _is_ragged(action_context):
    """Whether it is an array a choice."""
    return isinstance(action_context, list) and any(isinstance(one, np.ndarray) and one.ndim != 1 for one in action_context)


def is_table(action_context):
    """Whether it has a row an action, the same for every choice."""
    if action_context is None or isinstance(action_context, tuple) or _is_ragged(action_context):
        return False
    return _data.is_frame(action_context) or _data.is_sparse(action_context) or np.ndim(action_context) == 2


def labels_of(table, classes):
    """What the rows of a table of actions are called: as stated, by the index of a pandas frame, or by number."""
    count = rows_of(table)
    if classes is not None:
        labels = np.asarray(classes)
        if labels.shape != (count,):
            raise ValueError(f"action_context has {count} rows, there are {labels.size} classes")
    elif _data._is_pandas(table) and type(table.index).__name__ != "RangeIndex":
        labels = np.asarray(table.index)
    else:
        return np.arange(count)
    if len({str(label) for label in labels.tolist()}) < count:
        raise ValueError("the actions of action_context are not distinct: two of them have one name")
    return labels


def rows_of(values):
    """The number of rows of an array or a data frame."""
    if hasattr(values, "shape"):
        return int(values.shape[0])
    return len(values)


def _offsets(counts):
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    if offsets[-1] > _MOST_PAIRS:
        raise ValueError(f"{offsets[-1]} pairs of a choice and a candidate are more than 2^32 − 1")
    empty = np.flatnonzero(np.asarray(counts) == 0)
    if len(empty):
        raise ValueError(f"row {empty[0]} has no candidate")
    return offsets


def _of_shape(kind, n, count, available, labels=None):
    if n * count > _MOST_PAIRS:
        raise ValueError(f"{n * count} pairs of a choice and a candidate are more than 2^32 − 1")
    if available is None:
        return Layout(kind, _offsets(np.full(n, count)), (n, count), None, labels)
    mask = _data.mask(available, n, count)
    return Layout(kind, _offsets(mask.sum(axis=1)), (n, count), mask, labels)


def _array(values):
    """The features of candidates as an array of float32 or float64."""
    if getattr(getattr(values, "dtype", None), "kind", None) == "c":
        raise ValueError("action_context holds complex numbers")
    try:
        array = np.asarray(_data.unmasked(values))
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"action_context holds something that is no number: {error}") from None


def _layout(action_context, available, n, classes):
    """The layout, and the features of its pairs where they are of pairs: an array of shape (n_pairs, k)."""
    if is_table(action_context):
        labels = labels_of(action_context, classes)
        if n is None:
            raise ValueError("action_context has a row an action, and there is no context: how many rows to decide for?")
        return _of_shape("table", n, len(labels), available, labels), None
    if classes is not None:
        raise ValueError("classes name the rows of an action_context with a row an action")
    if isinstance(action_context, tuple) or _is_ragged(action_context):
        if available is not None:
            raise ValueError("available is for arrays: leave out what is not on offer")
        if isinstance(action_context, tuple):
            if len(action_context) != 2:
                raise ValueError("action_context is a tuple, and not (offsets, features)")
            offsets, features = np.asarray(action_context[0]), _array(action_context[1])
            if offsets.ndim != 1 or len(offsets) < 2 or offsets.dtype.kind not in "iu":
                raise ValueError("the offsets of action_context are not n + 1 whole numbers")
            offsets = offsets.astype(np.int64)
            if features.ndim != 2 or offsets[0] != 0 or offsets[-1] != len(features) or (np.diff(offsets) < 0).any():
                raise ValueError(
                    f"the offsets of action_context do not rise from 0 to the {len(features)} rows of its features"
                )
            return Layout("compressed", _offsets(np.diff(offsets))), features
        arrays = [_array(one) for one in action_context]
        widths = {one.shape[1:] for one in arrays}
        if len(widths) != 1 or arrays[0].ndim != 2:
            shapes = sorted({str(one.shape) for one in arrays})[:4]
            raise ValueError(f"action_context has arrays of shapes {', '.join(shapes)}, not (n_candidates, k) with one k")
        return Layout("list", _offsets([len(one) for one in arrays])), np.concatenate(arrays)
    array = _array(action_context)
    if array.ndim != 3:
        raise ValueError(
            f"action_context has shape {array.shape}: (n_actions, k), (n, n_candidates, k), a list of arrays of shape "
            "(n_candidates, k), or (offsets, features)"
        )
    if array.shape[2] == 0:
        raise ValueError(f"action_context has shape {array.shape}: its candidates have no features")
    layout = _of_shape("array", *array.shape[:2], available)
    if available is None and array.shape[2] and array.dtype.kind == "f":
        is_absent = np.isnan(array).all(axis=2)
        if is_absent.any():
            row, place = (int(found[0]) for found in np.nonzero(is_absent))
            raise ValueError(
                f"candidate {place} of row {row} is NaN throughout: say by available which candidates are there"
            )
    return layout, layout.pairs(array)


def _features(what, values, prefix, columns, ignore=()):
    """The rows of a level, by these columns where they are known."""
    if _data.is_frame(values):
        frame, beside = _data._stream(values)
        taken = set(_data.columns_of(values) or ())
        label = "rows"
        while label in taken:
            label += "_"
        if columns is None:
            # A table has a column of labels, which is of no matter here.
            beside.append((label, np.zeros(rows_of(values))))
        options = {"ignore": [name for name in ignore if name in taken]}
        return _core.Features.from_frame(frame, beside, json.dumps(options), label, columns)
    rows, (_, width) = _data.matrix(values, what)
    if columns is not None:
        expected = len(json.loads(columns))
        if width != expected:
            raise ValueError(f"{what} has {width} columns, {expected} are expected")
    return _core.Features.from_array(rows, [f"{prefix}{j}" for j in range(width)], columns)


def _identities(layout, item, known):
    """The items that have an identity, the item of every pair, and for a table the row of every item."""
    if layout.kind == "table":
        columns = np.arange(layout.shape[1], dtype=np.uint32)
        names = None if item is None else _names(item)
        if names is not None and names.shape != columns.shape:
            raise ValueError(f"item has shape {names.shape}, action_context has {len(columns)} rows")
        if names is not None and len(np.unique(names)) < len(names):
            raise ValueError("item holds a name twice")
        rows = None
        if known is None:
            known = [] if names is None else names.tolist()
        elif known:
            # The items with an identity come first; one that is not here has some row, and no pair.
            order = {name: place for place, name in enumerate(known)}
            places, rows = [], [0] * len(known)
            for row, name in enumerate(columns.tolist() if names is None else names.tolist()):
                place = order.get(name)
                if place is None:
                    place = len(rows)
                    rows.append(row)
                else:
                    rows[place] = row
                places.append(place)
            columns, rows = np.array(places, dtype=np.uint32), np.array(rows, dtype=np.uint32)
        every = np.broadcast_to(columns, layout.shape)
        return known, np.ascontiguousarray(layout.pairs(every)), rows
    if item is None:
        # Without a name an item is none of those that are known.
        return known or [], np.full(layout.offsets[-1], len(known), dtype=np.uint32) if known else None, None
    if layout.kind == "array":
        names = _names(item)
        if names.shape != layout.shape:
            raise ValueError(f"item has shape {names.shape}, not {layout.shape}: the item of every candidate")
        names = layout.pairs(names)
    else:
        names = np.concatenate([_names(one) for one in item]) if layout.kind == "list" else _names(item)
        if names.shape != (layout.offsets[-1],):
            raise ValueError(f"item names {names.size} candidates, there are {layout.offsets[-1]}")
    known = np.unique(names).tolist() if known is None else known
    if not known:
        return [], None, None
    order = np.argsort(np.asarray(known))
    found = np.searchsorted(np.asarray(known), names, sorter=order)
    place = order[np.minimum(found, len(known) - 1)]
    return known, np.where(np.asarray(known)[place] == names, place, len(known)).astype(np.uint32), None


def _names(item):
    """What items are called: the same for a whole number of any type."""
    array = np.asarray(item)
    if array.dtype.kind != "f":
        return array.astype(str)
    known, places = np.unique(array, return_inverse=True)
    return np.array([_data.spelt(number) for number in known.tolist()], dtype=str)[places].reshape(array.shape)


def _column(frame, name):
    """A column of a data frame, as an array."""
    if name not in (_data.columns_of(frame) or ()):
        raise ValueError(f"context has no column {name!r}")
    return _data.column_of(frame, name)


def _each_its_own(layout, known, of_pairs):
    """Pairs whose features are those of their items: the item of every pair, and the pair of every item."""
    count, pairs = len(known), int(layout.offsets[-1])
    own = np.full(pairs, count, dtype=np.uint32) if of_pairs is None else of_pairs
    named = np.flatnonzero(own < count)[::-1]
    rows = np.concatenate([np.zeros(count, dtype=np.uint32), np.arange(pairs, dtype=np.uint32)])
    rows[own[named]] = named
    return np.where(own < count, own, count + np.arange(pairs)).astype(np.uint32), rows


def read(context, action_context, available, item, *, policy=None, classes=None, n=None, ignore=()):
    """The choices as the native module has them, their layout and the columns of their levels: by the columns of
    a policy, or by their own.

    Raises
    ------
    ValueError
        For shapes that do not fit together, and columns other than those of the policy.
    """
    n = n if context is None else rows_of(context)
    layout, features = _layout(action_context, available, n, classes)
    if n is not None and n != len(layout):
        raise ValueError(f"context has {n} rows, action_context has {len(layout)}")
    known, of_pairs, rows = _identities(layout, item, None if policy is None else policy.identities)
    items = action_context if layout.kind == "table" else None
    expected = {}
    if policy is not None:
        expected = {level: policy.columns(level) for level in ("contexts", "features", "items")}
        if features is not None and expected["features"] is None and expected["items"] is not None:
            # A log of the program has the features of a candidate as those of its item.
            items, features = features, None
            of_pairs, rows = _each_its_own(layout, known, of_pairs)
    given = {"contexts": ("context", context, "x"), "features": ("action_context", features, "a")}
    given["items"] = ("action_context", items, "a")
    levels = {}
    for level, (what, values, prefix) in given.items():
        own = expected.get(level)
        if policy is not None and (own is None) != (values is None):
            # Candidates have features of their own, or their items have: a policy may want either.
            raise ValueError(f"the policy was trained {'without' if own is None else 'with'} {what} as {level}")
        levels[level] = None if values is None else _features(what, values, prefix, own, ignore)
        _data.tell(levels[level].notes if levels[level] is not None else ())
    kept = {level: json.loads(found.columns) for level, found in levels.items() if found is not None}
    if rows is not None and levels["items"] is not None:
        levels["items"] = levels["items"].select(rows)
    choices = _core.Choices.of(layout.offsets, **levels, of_pairs=of_pairs, identities=known)
    return choices, layout, kept


def log_of(
    context,
    action,
    reward,
    pscore,
    available,
    action_context,
    item,
    *,
    policy=None,
    classes=None,
    apart=(),
    seed=0,
    n_jobs=None,
):
    """The log, its layout, and the columns of its levels.

    Columns of the frame that are named, and those that stand ``apart``, are none of the contexts. Propensities that
    are not given are estimated.
    """
    (action, reward, pscore), named = named_of(context, {"action": action, "reward": reward, "pscore": pscore})
    ignore = [*named, *apart]
    choices, layout, columns = read(
        context, action_context, available, item, policy=policy, classes=classes, n=len(action), ignore=ignore
    )
    n = len(layout)
    chosen, reward = layout.places(action), _data.numbers("reward", reward, n)
    pscore = None if pscore is None else _data.numbers("pscore", pscore, n)
    return _core.CandidateLog.of(choices, chosen, pscore, reward, seed=seed, n_jobs=n_jobs), layout, columns


def named_of(context, values):
    """What was handed in, from the frame where a column was named; and the names of these columns."""
    named = []
    found = []
    for name, value in values.items():
        if isinstance(value, str):
            if not _data.is_frame(context):
                raise TypeError(f"{name} = {value!r} names a column, and context is no data frame")
            named.append(value)
            value = _column(context, value)
        found.append(value)
    return found, named


def times_of(time, n):
    """What orders the choices: numbers, or dates and their texts by ISO 8601."""
    column = _data._beside("time", time)
    if not isinstance(column, np.ndarray):
        if None in column:
            raise ValueError(f"time is missing in row {column.index(None)}")
        try:
            with warnings.catch_warnings():
                # A time zone is heeded, and warned of.
                warnings.simplefilter("ignore")
                dates = np.array([text.removesuffix("Z") for text in column], dtype="datetime64[ns]")
        except ValueError as error:
            raise ValueError(f"time holds something that is no number and no date by ISO 8601: {error}") from None
        column = dates.astype(np.int64)
    return _data.numbers("time", column, n)


def groups_of(groups, n):
    """The number of every choice's group."""
    array = np.asarray(groups)
    if array.ndim != 1:
        raise ValueError(f"groups has shape {array.shape}, not (n,)")
    if len(array) != n:
        raise ValueError(f"groups has {len(array)} entries, action has {n}")
    array = array.astype(str) if array.dtype.kind == "O" else array
    return np.unique(array, return_inverse=True)[1].astype(np.uint64)
