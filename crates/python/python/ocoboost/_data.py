"""Logs and contexts of whatever people hand in."""

import json
import warnings

import numpy as np

from ocoboost import _core

#: The names that columns beside a data frame get.
_NAMES = {"action": "action", "reward": "reward", "pscore": "propensity", "time": "time", "groups": "groups"}


def is_frame(context):
    """Whether it is a data frame: of pandas, polars, pyarrow, duckdb, or anything with Arrow's C stream."""
    return hasattr(context, "__arrow_c_stream__") or _is_pandas(context)


def _is_pandas(context):
    return type(context).__module__.split(".")[0] == "pandas" and hasattr(context, "columns")


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
    return [None if _is_missing(value) else str(value) for value in values]


def _is_missing(value):
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _beside(name, values):
    """A column beside a frame: numbers where the values are, else texts."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, not (n,)")
    if array.dtype.kind in "fiu":
        return np.ascontiguousarray(array, dtype=np.float64)
    return _texts(array.tolist())


def _stream(frame):
    """The frame, or columns beside none, for pandas without pyarrow."""
    if not _is_pandas(frame):
        return frame, []
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return None, [(str(name), _beside(str(name), frame[name].to_numpy())) for name in frame.columns]
    # The index is no column of the contexts.
    return frame.reset_index(drop=True), []


def numbers(name, values, length=None):
    """A vector of doubles."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds something that is no number: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, not (n,)")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, action has {length}")
    return array


def matrix(context, name="context"):
    """An array of floats that Rust reads, or compressed rows, with the number of rows."""
    if is_sparse(context):
        rows = context.tocsr()
        rows.sum_duplicates()
        rows.sort_indices()
        parts = (rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data.astype(np.float64))
        return (*parts, rows.shape[1]), rows.shape
    array = np.asarray(context)
    if array.ndim == 1 and array.dtype.kind in "fiub":
        raise ValueError(
            f"{name} has shape {array.shape}, not (n, m): reshape(-1, 1) if it is one column, reshape(1, -1) if "
            "it is one row"
        )
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}, not (n, m)")
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} holds texts: hand in a data frame") from None
    return array, array.shape


def classes_of(action, classes):
    """The sorted actions, as they are, and the place of each row's among them."""
    array = np.asarray(action)
    if array.ndim != 1:
        raise ValueError(f"action has shape {array.shape}, not (n,)")
    if array.dtype.kind == "f" and not np.array_equal(array, np.round(array)):
        raise ValueError("action holds fractions or NaN: actions are labels or whole numbers")
    if array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "O":
        array = np.asarray(_texts(array.tolist()), dtype=object)
        if any(value is None for value in array):
            raise ValueError("action holds a missing value")
        array = array.astype(str)
    if classes is None:
        known, codes = np.unique(array, return_inverse=True)
    else:
        known = np.asarray(classes)
        # By their texts: a model that was read from a file has texts for actions.
        order = {str(value): place for place, value in enumerate(known.tolist())}
        if len(order) < len(known):
            raise ValueError("classes holds an action twice")
        try:
            codes = np.array([order[str(value)] for value in array.tolist()], dtype=np.uint32)
        except KeyError as error:
            raise ValueError(f"action {error.args[0]!r} is not one of the classes") from None
    return known, np.ascontiguousarray(codes, dtype=np.uint32)


def tell(notes):
    """Passes on what a reader of the results should know."""
    for note in notes:
        warnings.warn(note, stacklevel=4)


def log_of(context, action, reward, pscore, available, time, groups, *, classes, coding, seed):
    """The log, its actions as the caller names them, and the names of the columns of the contexts."""
    if is_frame(context):
        own = classes if coding is None else None
        return _log_of_frame(context, action, reward, pscore, available, time, groups, coding, seed, own)
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
        [str(name) for name in known.tolist()],
        numbers("reward", reward, n),
        None if pscore is None else numbers("pscore", pscore, n),
        None if available is None else mask(available, n, len(known)),
        coding=coding,
        seed=seed,
    )
    return log, known, None


def mask(available, n, k):
    """Which action is on offer in which row."""
    array = np.asarray(available)
    if array.shape != (n, k):
        raise ValueError(f"available has shape {array.shape}, not {(n, k)}: a row a context, a column an action")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise ValueError("available holds other values than True and False")
    return np.ascontiguousarray(array, dtype=np.bool_)


def _log_of_frame(context, action, reward, pscore, available, time, groups, coding, seed, classes):
    frame, beside = _stream(context)
    taken = columns_of(context) or []
    options = {}
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
            beside.append((name, _texts(np.asarray(value).tolist()) if role in ("action", "groups") else _beside(role, value)))
        match role:
            case "reward":
                options["outcome"] = {"reward": name}
            case "pscore":
                options["propensity"] = name
            case "groups":
                options["split"] = name
            case _:
                options[role] = name
    if pscore is None and "propensity" in taken:
        warnings.warn('the column "propensity" of context counts as the propensities', stacklevel=4)
    if isinstance(available, str):
        options["available"] = available
    log = _core.Log.from_frame(frame, beside, json.dumps(options), coding=coding, seed=seed)
    if classes is not None:
        log = log.with_actions([str(name) for name in np.asarray(classes).tolist()], isinstance(available, str))
    if available is not None and not isinstance(available, str):
        log = log.with_available(mask(available, len(log), len(log.action_names)))
    names = log.action_names
    named = {value for value in (*roles.values(), available) if isinstance(value, str)}
    known = _as_given(names, context, action) if classes is None else np.asarray(classes)
    return log, known, [name for name in taken if name not in named]


def _as_given(names, context, action):
    """The actions in the type that the caller has them in."""
    try:
        values = np.unique(np.asarray(context[action] if isinstance(action, str) else action))
        given = {str(value): value for value in values.tolist()}
        return np.asarray([given[name] for name in names])
    except (KeyError, TypeError, ValueError):
        return np.asarray(names)


def contexts_of(context, available, policy):
    """Rows to decide for, by the coding of a policy."""
    if is_frame(context):
        frame, beside = _stream(context)
        options = {"available": available} if isinstance(available, str) else {}
        rows = _core.Contexts.from_frame(frame, beside, json.dumps(options), policy.coding)
        if available is not None and not isinstance(available, str):
            rows = rows.with_available(mask(available, len(rows), len(policy.action_names)))
        return rows
    values, (n, _) = matrix(context)
    offers = None if available is None else mask(available, n, len(policy.action_names))
    return _core.Contexts.from_arrays(values, offers, policy.coding)


def threads(n_jobs):
    """The number of threads: all for ``None`` and −1."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and n_jobs > 0:
        return int(n_jobs)
    raise ValueError(f"n_jobs = {n_jobs!r} is neither −1 nor a number of threads")
