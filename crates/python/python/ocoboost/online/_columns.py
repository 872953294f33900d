"""Tables of rows, column by column, as the native module takes them in one call."""

import numpy as np

from ocoboost._data import readable


def columns(X):
    """The columns of a table, and the number of its rows.

    A column is an array of float64, NaN where a value is missing, or a list of cells. The rows are those that
    ``learn_one`` would be given one by one: dicts of a data frame's cells, and for an array
    ``dict(enumerate(row))``. A date is the days since 1970.
    """
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}, not (n, m)")
        return [(str(j), _cells(X[:, j])) for j in range(X.shape[1])], X.shape[0]
    if type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "iloc"):
        named = [(str(name), _of_pandas(X.iloc[:, place])) for place, name in enumerate(X.columns)]
        return named, len(X)
    if type(X).__module__.split(".")[0] == "polars" and hasattr(X, "get_columns"):
        return [(own.name, _of_polars(own)) for own in X.get_columns()], X.height
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow

        frame = pyarrow.table(X)
        named = zip(frame.column_names, frame.columns, strict=True)
        return [(name, _of_arrow(own)) for name, own in named], frame.num_rows
    raise TypeError(f"X is {type(X).__name__}: a data frame or an array of shape (n, m) is needed")


def _cells(array):
    """Of numpy: numbers and dates at once, anything else cell by cell."""
    if array.dtype.kind == "M":
        return _days(array)
    if array.dtype.kind == "m":
        raise TypeError(f"X holds {array.dtype}, durations: hand in numbers of a unit")
    return readable(np.ascontiguousarray(array, dtype=np.float64)) if array.dtype.kind in "fiub" else array.tolist()


def _days(array):
    """Days since 1970 of dates of numpy: the whole days and the part of a day, as Rust counts them."""
    unit = np.datetime_data(array.dtype)[0]
    if unit in ("Y", "M", "W", "D", "generic"):
        array, parts = array.astype("datetime64[D]"), 1
    else:
        parts = {"h": 24, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}.get(unit, 86_400_000_000_000)
        array = array.astype(f"datetime64[{unit if parts < 86_400_000_000_000 else 'ns'}]")
    whole, rest = np.divmod(array.astype(np.int64), parts)
    nanoseconds = rest * (86_400_000_000_000 // parts)
    return np.where(np.isnat(array), np.nan, whole + nanoseconds / 86_400e9)


def _of_pandas(column):
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return _cells(column.to_numpy())
    kind = getattr(dtype, "kind", "O")
    # Nullable numbers: a missing one is NaN. Categories are their labels.
    return column.to_numpy(dtype=np.float64, na_value=np.nan) if kind in "fiub" else column.tolist()


def _of_polars(column):
    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        return _floats(column.to_list()) if column.null_count() else _cells(column.to_numpy())
    return column.to_list()


def _of_arrow(column):
    import pyarrow.types as types

    if types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type):
        return _floats(column.to_pylist()) if column.null_count else _cells(column.to_numpy())
    return column.to_pylist()


def _floats(cells):
    return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)


def labels(y, rows):
    """The labels of rows as they are."""
    # A column of pyarrow has scalars of its own.
    found = y.tolist() if hasattr(y, "tolist") else y.to_pylist() if hasattr(y, "to_pylist") else list(y)
    if len(found) != rows:
        raise ValueError(f"X has {rows} rows, y has {len(found)} entries")
    return found


def of_rows(X, values, name):
    """Values beside the rows of a table: a series with the index of a pandas data frame, else as they are."""
    if type(X).__module__.split(".")[0] != "pandas":
        return values
    import pandas

    return pandas.Series(values, index=X.index, name=name)
