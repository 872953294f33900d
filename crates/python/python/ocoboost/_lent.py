"""Arrays that Rust reads where they are."""

import contextlib
import threading

import numpy as np

#: The arrays that are lent: the place of who owns the memory, to how often it is lent and what was closed for it.
_LENT = {}
_LOCK = threading.Lock()


@contextlib.contextmanager
def lent(array):
    """Whether Rust may read an array in its own memory, until the end of the block.

    It may where the numbers are doubles in C's order. So that nobody writes to them meanwhile, the array and what it
    is a view of are read-only until the end of the block: who writes all the same gets numpy's ``ValueError``, in any
    thread. Memory that numpy does not own can be written to otherwise, and is copied.
    """
    chain = _chain(array)
    if chain is None:
        yield False
        return
    _close(chain)
    try:
        yield True
    finally:
        _open(chain)


def _chain(array):
    """The array, what it is a view of, and so on to the owner; ``None`` where it is to be copied."""
    is_read = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    if not is_read:
        return None
    chain = [array]
    while isinstance(chain[-1].base, np.ndarray):
        chain.append(chain[-1].base)
    is_owned = chain[-1].flags.owndata
    return chain if is_owned or not any(one.flags.writeable for one in chain) else None


def _close(chain):
    with _LOCK:
        lent = _LENT.setdefault(id(chain[-1]), [0, []])
        lent[0] += 1
        # The owner comes first: a view is opened again only after it.
        for array in reversed(chain):
            if array.flags.writeable:
                array.flags.writeable = False
                lent[1].append(array)


def _open(chain):
    with _LOCK:
        lent = _LENT[id(chain[-1])]
        lent[0] -= 1
        if lent[0] == 0:
            del _LENT[id(chain[-1])]
            for array in lent[1]:
                array.flags.writeable = True
