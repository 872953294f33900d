"""Numbers, vectors and rows of vectors as the native module takes them."""

from numbers import Integral, Real

import numpy as np

from ocoboost._data import double, readable


def vector(name, values):
    """A vector of doubles."""
    array = _numbers(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, not (d,)")
    return array


def rows(name, values):
    """A vector, or rows of vectors."""
    array = _numbers(name, values)
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} has shape {array.shape}, neither (d,) nor (n, d)")
    return array


def table(name, values):
    """Rows of vectors."""
    array = _numbers(name, values)
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}, not (n, d)")
    return array


def _numbers(name, values):
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} holds {array.dtype}, and no real numbers")
    return readable(np.ascontiguousarray(array, dtype=np.float64))


def number(name, value):
    """A double."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} = {value!r} is no number")
    return double(name, value)


def whole(name, value):
    """A whole number from 0 on."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} = {value!r} is no whole number")
    if not 0 <= value < 2**63:
        raise ValueError(f"{name} = {value} is outside [0, 2^63)")
    return int(value)
