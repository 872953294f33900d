"""The program: `ocoboost`, as a command of the package, and `python -m ocoboost`."""

import signal
import sys

from ocoboost import _core


def main():
    """Runs the program on the arguments of the process, and ends the process with its exit code.

    The code is that of the crate `cli`, as in the program that cargo builds. Ctrl-C is the program's: it ends
    a training with the best policy so far, and anything else at once.
    """
    # Python's handler would only note Ctrl-C for code of Python, of which none runs any more. A signal that
    # whoever started the process has it ignore stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.program(["ocoboost", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
