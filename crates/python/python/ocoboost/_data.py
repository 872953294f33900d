"""Logs and contexts of whatever people hand in."""

import contextlib
import datetime
import json
import os
import warnings
from decimal import Decimal
from numbers import Integral, Real

import numpy as np

from ocoboost import _core, _files
from ocoboost._lent import lent

#: The names that columns beside a data frame get.
_NAMES = {"action": "action", "reward": "reward", "pscore": "propensity", "time": "time", "groups": "groups"}


def is_frame(context):
    """Whether it is a data frame: of pandas, polars, pyarrow, duckdb, or anything with Arrow's C stream."""
    return _is_pandas(context) or (hasattr(context, "__arrow_c_stream__") and not _is_series(context))


def is_file(context):
    """Whether it is the path of a file."""
    return isinstance(context, (str, os.PathLike))


def _is_pandas(context):
    return type(context).__module__.split(".")[0] == "pandas" and hasattr(context, "columns")


def _is_series(context):
    # A series has a stream too, but no names of columns.
    return hasattr(context, "to_numpy") and not hasattr(context, "columns")


def is_sparse(context):
    """Whether it is a matrix of scipy.sparse."""
    return type(context).__module__.split(".")[:2] == ["scipy", "sparse"]


def columns_of(frame):
    """The names of the columns of a frame, if it says them."""
    # A table of pyarrow has its columns themselves in `columns`.
    for name in ("column_names", "columns"):
        names = getattr(frame, name, None)
        if names is not None and not callable(names):
            return [str(column) for column in names]
    return None


def _texts(values):
    """A list of texts, `None` where a value is missing."""
    return [None if _is_missing(value) else spelt(value) for value in values]


def spelt(value):
    """A value as Rust writes it: true, 8000 for 8000.0, dates by ISO 8601."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def _is_missing(value):
    is_nan = isinstance(value, (float, np.floating)) and value != value
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _is_truth(value):
    return isinstance(value, (bool, np.bool_))


def _is_number(value):
    return isinstance(value, (Real, Decimal)) and not _is_truth(value)


def _beside(name, values, *, are_labels=False):
    """A column beside a frame: numbers where the values are, else texts, as pyarrow would hand it on."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, not (n,)")
    if array.dtype.kind == "M":
        return [None if text == "NaT" else text for text in np.datetime_as_string(array).tolist()]
    if array.dtype.kind == "O" and not are_labels:
        values = [None if _is_missing(value) else value for value in array.tolist()]
        if all(value is None or _is_number(value) for value in values):
            array = np.array([np.nan if value is None else float(value) for value in values])
    if array.dtype.kind == "b" and name == "reward":
        # Beside an array of contexts they are numbers too.
        array = array.astype(np.float64)
    if array.dtype.kind in "fiu" and not are_labels:
        return readable(np.ascontiguousarray(array, dtype=np.float64))
    return _texts(array.tolist())


def _stream(frame, labels=()):
    """The frame, or columns beside none, for pandas without pyarrow. A label is exact, a number a double."""
    if not _is_pandas(frame):
        return frame, []
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        # Rust leaves durations out too.
        names = [name for name in frame.columns if getattr(frame[name].dtype, "kind", None) != "m"]
        return None, [(str(name), _beside(str(name), frame[name].to_numpy(), are_labels=name in labels)) for name in names]
    # The index is no column of the contexts.
    return frame.reset_index(drop=True), []


def readable(array):
    """The array, or a copy where its numbers do not lie as Rust reads them: aligned, whole numbers of them apart."""
    is_aligned = array.flags.aligned and all(stride % max(array.itemsize, 1) == 0 for stride in array.strides)
    return array if is_aligned else array.copy()


def unmasked(values):
    """The values, NaN in place of those that are masked."""
    return values.astype(np.float64).filled(np.nan) if isinstance(values, np.ma.MaskedArray) else values


def numbers(name, values, length=None):
    """A vector of doubles."""
    if getattr(getattr(values, "dtype", None), "kind", None) == "c":
        raise ValueError(f"{name} holds complex numbers")
    try:
        array = np.asarray(unmasked(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds something that is no number: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, not (n,)")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, action has {length}")
    return readable(array)


def matrix(context, name="context"):
    """An array of floats that Rust reads, or compressed rows, with the number of rows."""
    if is_sparse(context):
        if len(context.shape) != 2:
            raise ValueError(f"{name} has shape {context.shape}, not (n, m)")
        if context.dtype.kind == "c":
            raise ValueError(f"{name} holds complex numbers")
        if context.shape[1] >= 2**32:
            # Their numbers have 32 bits in Rust: the next one would count as the first.
            raise ValueError(f"{name} has {context.shape[1]} columns; 4294967295 are the most")
        rows = context.tocsr()
        if not rows.has_canonical_format:
            # The caller's own is left as it is.
            rows = rows.copy()
            rows.sum_duplicates()
        # Columns that are there are none below 0, so that the bits of the places stay.
        indices = rows.indices.view(np.uint32) if rows.indices.dtype == np.int32 else rows.indices.astype(np.uint32)
        parts = (rows.indptr.astype(np.int64), indices, rows.data.astype(np.float64, copy=False))
        return (*parts, rows.shape[1]), rows.shape
    array = np.asarray(unmasked(context))
    if array.ndim == 1 and array.dtype.kind in "fiub":
        raise ValueError(
            f"{name} has shape {array.shape}, not (n, m): reshape(-1, 1) if it is one column, reshape(1, -1) if "
            "it is one row"
        )
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}, not (n, m)")
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers")
    if array.dtype.kind in "mM":
        # A cast would count them in a unit of their own.
        raise ValueError(f"{name} holds {array.dtype}, and no numbers: hand in a data frame, where dates are read")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} holds texts or dates: hand in a data frame") from None
    return readable(array), array.shape


def labels_of(action):
    """Actions in the type by which they are sorted: whole numbers, truth values, or labels as they are."""
    array = np.asarray(action)
    if array.ndim != 1:
        raise ValueError(f"action has shape {array.shape}, not (n,)")
    if np.ma.is_masked(action):
        raise ValueError("action holds a missing value")
    if array.dtype.kind == "O":
        values = array.tolist()
        if any(_is_missing(value) for value in values):
            raise ValueError("action holds a missing value")
        if values and all(_is_truth(value) for value in values):
            return array.astype(bool)
        if all(isinstance(value, Integral) or _is_truth(value) for value in values):
            is_small = all(-(2**63) <= value < 2**63 for value in values)
            array = array.astype(np.int64 if is_small else str)
        elif all(isinstance(value, Real) or _is_truth(value) for value in values):
            array = array.astype(np.float64)
        else:
            array = np.array(_texts(values))
    if array.dtype.kind == "f":
        if not np.array_equal(array, np.round(array)):
            raise ValueError("action holds fractions or NaN: actions are labels or whole numbers")
        if not (np.abs(array) < 2.0**63).all():
            raise ValueError("action holds a number that is infinite or beyond 2^63")
        array = array.astype(np.int64)
    return array


@contextlib.contextmanager
def reading(context):
    """The contexts, as an array unless they are a frame or sparse, and whether Rust may read them where they are.

    They are lent until the end of the block.
    """
    if is_frame(context) or is_sparse(context) or is_file(context):
        yield context, False
        return
    array, _ = matrix(context)
    with lent(array) as is_lent:
        yield array, is_lent


def classes_of(action, classes):
    """The sorted actions, as they are, and the place of each row's among them."""
    array = labels_of(action)
    if classes is None:
        known, codes = np.unique(array, return_inverse=True)
    else:
        known = np.asarray(classes)
        # By their texts: a model that was read from a file has texts for actions.
        order = {spelt(value): place for place, value in enumerate(known.tolist())}
        if len(order) < len(known):
            raise ValueError("classes holds an action twice")
        try:
            # A file may have `True` for an action, as Python writes it.
            codes = [order[spelt(value) if spelt(value) in order else str(value)] for value in array.tolist()]
        except KeyError as error:
            raise ValueError(f"action {error.args[0]!r} is not one of the classes") from None
    return known, np.ascontiguousarray(codes, dtype=np.uint32)


def tell(notes, stacklevel=3):
    """Passes on what a reader of the results should know, where the caller of our caller is."""
    for note in notes:
        warnings.warn(note, stacklevel=stacklevel)


def as_json(settings):
    """Settings as Rust reads them; those of numpy are plain numbers."""

    def plain(value):
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        raise TypeError(f"{value!r} is no setting")

    return json.dumps(settings, default=plain)


def text(name, value):
    """A setting that is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} = {value!r} is no text")
    return value


def truth(name, value):
    """A setting that is true or not."""
    if not _is_truth(value):
        raise TypeError(f"{name} = {value!r} is neither True nor False")
    return bool(value)


def whole(name, value, *, below=2**64):
    """A setting that is a whole number, 0 or more."""
    if _is_truth(value) or not isinstance(value, Integral):
        raise TypeError(f"{name} = {value!r} is no whole number")
    if value < 0:
        raise ValueError(f"{name} = {value} is negative")
    if value >= below:
        raise ValueError(f"{name} = {value} is not below 2^{below.bit_length() - 1}")
    return int(value)


def double(name, value):
    """A number as a double."""
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a double") from None


def real(name, value):
    """A setting that is a finite number."""
    if _is_truth(value) or not isinstance(value, Real):
        raise TypeError(f"{name} = {value!r} is no number")
    number = double(name, value)
    if not np.isfinite(number):
        raise ValueError(f"{name} = {value} is not finite")
    return number


def share(name, value):
    """A setting between 0 and 1."""
    number = real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} = {value} is outside (0, 1)")
    return number


def interval(name, value, *, may_be_point=True):
    """A setting that is two finite numbers, the first not above the second, or below it."""
    ends = np.asarray(value, dtype=object)
    if ends.shape != (2,):
        raise ValueError(f"{name} = {value!r} is no pair of numbers")
    low, high = (real(name, end) for end in ends.tolist())
    if low > high or (low == high and not may_be_point):
        where = "above" if low > high else "not below"
        raise ValueError(f"{name} = {value!r} is no interval: its first number is {where} its second")
    return [low, high]


def seed_of(random_state):
    """A seed: a whole number as it is, else one that is drawn as scikit-learn's estimators do."""
    if isinstance(random_state, (int, np.integer)):
        if 0 <= random_state < 2**64:
            return int(random_state)
        raise ValueError(f"random_state = {random_state!r} is no whole number in [0, 2^64)")
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    # It takes a second to import, and not everything here needs it.
    from sklearn.utils import check_random_state

    try:
        return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    except ValueError:
        raise ValueError(f"random_state = {random_state!r} is no seed and no generator") from None


def names_of(policy):
    """The names of the columns of a policy's contexts; none of a model that knows no columns."""
    columns = json.loads(policy.columns) if policy.columns else []
    return [next(iter(column.values()))["name"] for column in columns]


def named_in(*values):
    """The names of columns among what was handed in."""
    return tuple(str(value) for value in values if isinstance(value, str))


def log_of(
    context,
    action,
    reward,
    pscore,
    available,
    time,
    groups,
    *,
    classes,
    coding,
    seed,
    labels=None,
    ignore=None,
    is_lent=False,
    left_out=(),
):
    """The log, its actions as the caller names them, and the names of the columns of the contexts.

    ``left_out`` are columns that the fit of a policy left out: they are left out here too, unless they are named now.
    """
    named = {"labels": labels, "ignore": ignore}
    for name, columns in named.items():
        if isinstance(columns, str):
            raise TypeError(f"{name} = {columns!r} is no list of names of columns")
        if columns is not None and not (is_frame(context) or is_file(context)):
            raise ValueError(f"{name} names columns of a data frame or a file, and context is none")
    if is_file(context):
        options = {name: [str(column) for column in columns] for name, columns in named.items() if columns is not None}
        roles = {"action": action, "reward": reward, "pscore": pscore, "available": available}
        roles |= {"time": time, "groups": groups}
        own = classes if coding is None else None
        return _log_of_file(os.fspath(context), roles, coding, seed, options, own)
    if is_frame(context):
        options = {name: [str(column) for column in columns] for name, columns in named.items() if columns is not None}
        # A column that is called so has its role without being named.
        roles = {*_NAMES.values(), *named_in(action, reward, pscore, available, time, groups)}
        options.setdefault("ignore", []).extend(_there(context, left_out, but=roles))
        own = classes if coding is None else None
        return _log_of_frame(context, action, reward, pscore, available, time, groups, coding, seed, options, own)
    for name, value in (("action", action), ("reward", reward), ("pscore", pscore)):
        if isinstance(value, str):
            raise TypeError(f"{name} = {value!r} names a column, and context is no data frame")
    values, (n, m) = matrix(context)
    known, codes = classes_of(action, classes)
    if len(known) < 2:
        raise ValueError(f"action has one value, {known[0] if len(known) else None!r}: there is nothing to choose")
    if len(codes) != n:
        raise ValueError(f"context has {n} rows, action has {len(codes)} entries")
    names = [f"x{j}" for j in range(m)]
    log = _core.Log.from_arrays(
        values,
        names,
        codes,
        [spelt(name) for name in known.tolist()],
        numbers("reward", reward, n),
        None if pscore is None else numbers("pscore", pscore, n),
        None if available is None else mask(available, n, len(known)),
        coding=coding,
        is_lent=is_lent,
        seed=seed,
    )
    return log, known, None


def mask(available, n=None, k=None):
    """Which action is on offer in which row; Rust checks the shape that is not known here."""
    array = np.asarray(available)
    if array.ndim != 2 or (n is not None and array.shape != (n, k)):
        raise ValueError(f"available has shape {array.shape}, not {(n, k)}: a row a context, a column an action")
    if array.dtype != np.bool_:
        if not np.isin(array, (0, 1)).all():
            raise ValueError("available holds other values than True and False")
        return np.ascontiguousarray(array, dtype=np.bool_)
    # A view of other numbers may have any byte for True, which numpy and Rust take for different values.
    return np.ascontiguousarray(array).view(np.uint8) != 0


def _log_of_frame(context, action, reward, pscore, available, time, groups, coding, seed, options, classes):
    labels = [value for value in (action, groups) if isinstance(value, str)]
    frame, beside = _stream(context, [*labels, *options.get("labels", ())])
    taken = columns_of(context) or []
    roles = {"action": action, "reward": reward, "pscore": pscore, "time": time, "groups": groups}
    for role, value in roles.items():
        if value is None:
            continue
        name = value if isinstance(value, str) else _NAMES[role]
        if not isinstance(value, str):
            if name in taken:
                raise ValueError(
                    f"context has a column {name!r}, and {role} is handed in beside it: drop it, or name it by "
                    f"{role}={name!r}"
                )
            own = getattr(value, "name", None)
            is_named = role in ("action", "reward", "pscore") and isinstance(own, str) and own in taken
            # What was made of a column has its name as well, and other values.
            if is_named and _is_column(context, own, value):
                raise ValueError(
                    f"{role} is the column {own!r}, which context has as well: name it by {role}={own!r}, or drop it "
                    "from context, where it is no feature"
                )
            are_labels = role in ("action", "groups")
            column = _beside(role, labels_of(value) if role == "action" else value, are_labels=are_labels)
            if hasattr(context, "__len__") and len(context) != len(column):
                raise ValueError(f"context has {len(context)} rows, {role} has {len(column)} entries")
            beside.append((name, column))
        _name_column(options, role, name)
    if pscore is None and "propensity" in taken:
        warnings.warn('the column "propensity" of context counts as the propensities', stacklevel=4)
    if isinstance(available, str):
        options["available"] = available
    offers = None if available is None or isinstance(available, str) else mask(available)
    own = None if classes is None else [spelt(name) for name in np.asarray(classes).tolist()]
    log = _core.Log.from_frame(
        frame,
        beside,
        json.dumps(options),
        classes=own,
        are_listed=isinstance(available, str),
        available=offers,
        coding=coding,
        seed=seed,
    )
    names = log.action_names
    named = {value for value in (*roles.values(), available) if isinstance(value, str)}
    known = _as_given(names, context, action) if classes is None else np.asarray(classes)
    return log, known, [name for name in taken if name not in named]


def _name_column(options, role, name):
    """Says to the reader which column has a role: its options have other words for some."""
    match role:
        case "reward":
            options["outcome"] = {"reward": name}
        case "pscore":
            options["propensity"] = name
        case "groups":
            options["split"] = name
        case _:
            options[role] = name


def _log_of_file(path, roles, coding, seed, options, classes):
    """The log of a file in any format that the program reads, as the program reads it."""
    named = {role: name for role, name in roles.items() if name is not None}
    for role, name in named.items():
        if not isinstance(name, str):
            raise TypeError(f"{role} is no name of a column, and context is a file")
        _name_column(options, role, name)
    own = None if classes is None else [spelt(name) for name in np.asarray(classes).tolist()]
    with _files.reading(path):
        log = _core.Log.from_file(
            path, json.dumps(options), classes=own, are_listed="available" in named, coding=coding, seed=seed
        )
    return log, np.asarray(log.action_names if classes is None else classes), None


def column_of(frame, name):
    """A column of a data frame, as an array."""
    try:
        return np.asarray(frame[name])
    except (TypeError, KeyError):
        # A relation of duckdb is asked for its values.
        return np.asarray(frame.select(name).fetchnumpy()[name])


def _is_column(frame, name, values):
    """Whether the values are those of the column, in whatever type."""
    try:
        own, given = column_of(frame, name), np.asarray(values)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    if own.shape != given.shape:
        return False
    try:
        return np.array_equal(own.astype(np.float64), given.astype(np.float64), equal_nan=True)
    except (TypeError, ValueError):
        return _texts(own.tolist()) == _texts(given.tolist())


def _as_given(names, context, action):
    """The actions in the type that the caller has them in."""
    try:
        column = context[action] if isinstance(action, str) else action
        # A relation of duckdb is asked for its values.
        column = column.fetchnumpy()[action] if hasattr(column, "fetchnumpy") else column
        given = {spelt(value): value for value in np.unique(labels_of(column)).tolist()}
        return np.asarray([given[name] for name in names])
    except (KeyError, TypeError, ValueError):
        return np.asarray(names)


def _there(frame, names, but=()):
    """Those of the columns that the frame has."""
    return [name for name in columns_of(frame) or () if name in names and name not in but]


def contexts_of(context, available, policy, is_lent=False, left_out=()):
    """Rows to decide for, by the coding of a policy; of columns that its fit left out nothing is said."""
    if is_frame(context):
        frame, beside = _stream(context)
        options = {"available": available} if isinstance(available, str) else {}
        options["ignore"] = _there(context, left_out, but=named_in(available))
        rows = _core.Contexts.from_frame(frame, beside, json.dumps(options), policy.coding)
        if available is not None and not isinstance(available, str):
            rows = rows.with_available(mask(available, len(rows), len(policy.action_names)))
        return rows
    values, (n, _) = matrix(context)
    offers = None if available is None else mask(available, n, len(policy.action_names))
    return _core.Contexts.from_arrays(values, offers, policy.coding, is_lent=is_lent)


def threads(n_jobs):
    """The number of threads: all for ``None`` and −1, all but one for −2, and so on."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and n_jobs > 0:
        return int(n_jobs)
    if isinstance(n_jobs, (int, np.integer)) and n_jobs < 0:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(cores + 1 + int(n_jobs), 1)
    raise ValueError(f"n_jobs = {n_jobs!r} is no number of threads, and no negative number that leaves some out")
