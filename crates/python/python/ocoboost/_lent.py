"""Arrays that Rust reads where they are."""

import contextlib
import mmap
import os
import threading
import weakref

import numpy as np


class _Loan:
    """Who reads the memory of an owner, and what was closed for them."""

    def __init__(self, owner):
        self.owner = owner
        # Numpy resizes no array that a weak reference refers to, not even with ``refcheck=False``.
        self.reference = weakref.ref(owner)
        self.readers = []
        self.closed = []

    def open(self):
        # The owner was closed first: a view is opened again only after it.
        for array in self.closed:
            array.flags.writeable = True


#: The loans by the place of the owner, which they keep alive.
_LENT = {}
# A handler of signals may predict while its thread is here.
_LOCK = threading.RLock()


@contextlib.contextmanager
def lent(array):
    """Whether Rust may read an array in its own memory, until the end of the block.

    It may where the numbers are doubles in C's order. So that nobody writes to them meanwhile, the array and what it
    is a view of are read-only until the end of the block: who writes all the same gets numpy's ``ValueError``, in any
    thread. Memory that can be written to otherwise is copied.
    """
    chain, reader = _chain(array), object()
    if chain is None:
        yield False
        return
    try:
        yield _close(chain, reader)
    finally:
        _open(chain, reader)


def _chain(array):
    """The array, what it is a view of, and so on to the owner; ``None`` where it is to be copied."""
    is_read = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    if not is_read:
        return None
    chain = [array]
    while isinstance(chain[-1].base, np.ndarray):
        chain.append(chain[-1].base)
    return chain if chain[-1].flags.owndata or _is_fixed(chain) else None


def _is_fixed(chain):
    """Whether nobody of this process writes to memory that numpy does not own: bytes, or a file mapped for reading.

    An array that is read-only says nothing of it. It may be a view of an open array that hides it, as those of
    ``as_strided``, or of a ``bytearray``.
    """
    base = chain[-1].base
    while isinstance(base, memoryview):
        base = base.obj
    is_fixed = isinstance(base, bytes) or (isinstance(base, mmap.mmap) and memoryview(base).readonly)
    return is_fixed and not any(one.flags.writeable for one in chain)


def _close(chain, reader):
    """Whether the arrays are closed for a reader."""
    owner = chain[-1]
    with _LOCK:
        loan = _LENT.get(id(owner)) or _Loan(owner)
        is_open = owner.flags.writeable or any(one is owner for one in loan.closed)
        if not is_open and any(one.flags.writeable for one in chain):
            # The owner was closed after its view: numpy would not open the view again.
            return False
        _LENT[id(owner)] = loan
        loan.readers.append(reader)
        for array in reversed(chain):
            if array.flags.writeable:
                loan.closed.append(array)
                array.flags.writeable = False
        return True


def _open(chain, reader):
    owner = chain[-1]
    with _LOCK:
        loan = _LENT.get(id(owner))
        if loan is None or reader not in loan.readers:
            return
        loan.readers.remove(reader)
        if not loan.readers:
            del _LENT[id(owner)]
            loan.open()


def _forget():
    """In the child of a fork nobody reads any more, and whoever held the lock is not there."""
    global _LOCK
    _LOCK = threading.RLock()
    for loan in _LENT.values():
        loan.open()
    _LENT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
