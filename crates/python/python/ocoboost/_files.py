"""Model files: what goes wrong with them, as Python says it."""

import contextlib
import json
import os
import re
import tempfile

from ocoboost import _core

#: The algorithms of classifiers as files name them, and the classes that read them.
CLASSIFIERS = {
    "ada_boost": "AdaBoostClassifier",
    "mada_boost": "MadaBoostClassifier",
    "sparse": "SparseBoostClassifier",
    "smooth": "SmoothBoostClassifier",
}


@contextlib.contextmanager
def reading(path):
    """The block reads a file.

    Raises
    ------
    OSError
        With its number and the file, as that of ``open``.
    ValueError
        For other content; the message names the class that reads it.
    """
    try:
        yield
    except OSError as error:
        raise _as_of_open(error, path, _try_to_read) from None
    except ValueError as error:
        words, found, _ = str(error).partition(": the program reads it")
        if not found:
            raise
        raise ValueError(f"{words}: {_reader_of(path)} reads it") from None


@contextlib.contextmanager
def writing(path):
    """The same of a block that writes a file."""
    try:
        yield
    except OSError as error:
        raise _as_of_open(error, path, _try_to_write) from None


def _as_of_open(error, path, again):
    """The error with its number and the file: the native module has the system's number in its words, or none."""
    if error.errno is not None:
        return error
    code = re.search(r"\(os error (\d+)\)$", str(error))
    if code is None:
        try:
            again(path)
        except OSError as own:
            return OSError(own.errno, os.strerror(own.errno), path)
        return error
    if os.name == "nt":
        return OSError(None, str(error), path, int(code[1]))
    return OSError(int(code[1]), os.strerror(int(code[1])), path)


def _try_to_read(path):
    open(path, "rb").close()


def _try_to_write(path):
    # The file itself is left alone: a new one is put in its place.
    tempfile.TemporaryFile(dir=os.path.dirname(path) or os.curdir).close()


def _reader_of(path):
    """The class that reads a classifier's file; the program reads those of other algorithms."""
    with open(path, "rb") as file:
        _, facts = _core.Vote.of_file(file.read())
    name = CLASSIFIERS.get(json.loads(facts)["record"]["algorithm"])
    return "the program" if name is None else f"boost.{name}.load"
