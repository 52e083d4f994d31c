"""Run the program: read the command line, run the command, print errors and warnings. The verbs are in `parser.py`."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator

from simulator.base import signals
from simulator.base.argument_types import Parser
from simulator.base.compile_messages import report_compilation
from simulator.base.console import flush, print_error
from simulator.base.errors import JounceError, one_line
from simulator.base.registry import load_plugins
from simulator.base.user_folders import provide_for_matplotlib
from simulator.cli.output_options import free_standard_output
from simulator.cli.parser import parser_of, plugins_of


def main(argv: list[str] | None = None, make_parser: Callable[..., Parser] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : arguments; None: those of the process, which then reacts to signals
    make_parser : function of the words of the command line that returns the parser of the commands; None: those of `jounce`

    Returns
    -------
    exit code: 0 success, 1 a check failed, 2 invalid input, 130 or 143 ended by a signal
    """
    if argv is not None:
        return _run_command(argv, make_parser)
    for stream in (sys.stdout, sys.stderr):  # a file name may contain bytes that are not text, and a terminal may lack characters
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signals.install()
    try:
        with report_compilation():
            code = _run_command(sys.argv[1:], make_parser)
    except SystemExit as end:  # raised by argparse
        code = int(end.code or 0)
    finally:
        lost = flush()
        signals.ignore_signals()
    if lost and code == 0:
        print_error(lost)
        return 2
    return code


def _run_command(argv: list[str], make_parser: Callable[..., Parser] | None) -> int:
    """Run the command of a command line and return the exit code."""
    provide_for_matplotlib()
    try:
        os.getcwd()  # relative file names need the current folder; report a missing one before a missing file
        with _short_warnings() as user_warnings:
            parser = (make_parser or parser_of)(*argv)
            load_plugins(plugins_of(argv))
            arguments, unknown = parser.parse_known_args(argv)
            if unknown:
                parser.refuse_unknown(unknown, argv)
            if not hasattr(arguments, "run"):
                if argv or not _is_at_a_desktop():
                    parser.print_help()
                    return 0
                arguments = parser.parse_args(["drive", "--menu"])
            with free_standard_output(arguments):
                code = int(arguments.run(arguments))
        if not getattr(arguments, "json", False):
            user_warnings.print()
    except JounceError as error:
        signals.block_if_exiting()
        print_error(str(error))
        return 2
    except KeyboardInterrupt:
        print_error("interrupted")
        return 130
    except signals.EndedBySignal as end:
        signals.ignore_signals()  # one line, however often the key is pressed
        print_error(signals.signal_message(end.number))
        return signals.exit_code(end.number)
    except BrokenPipeError:  # the reader of the output is gone
        return 141
    except OSError as error:  # for example a full disk
        signals.block_if_exiting()
        print_error(_os_error_text(error))
        return 2
    return code


def _is_at_a_desktop() -> bool:
    """Return whether the user has a terminal and a display for a window."""
    from simulator.view.gl_context import display_available

    return display_available() and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _os_error_text(error: OSError) -> str:
    """Return an error of the operating system as one line."""
    try:
        os.getcwd()
    except OSError:
        return "current folder not found; expected an existing folder"
    return one_line(f"{error.filename}: {error.strerror}" if error.filename else f"cannot continue: {error.strerror or error}")


class UserWarnings:
    """Warnings for the user: the first warning of each category."""

    def __init__(self) -> None:
        self._first: dict[type[Warning], str] = {}

    def add(self, message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        """Add a warning, with the arguments of `warnings.showwarning`; warnings for developers are dropped."""
        if issubclass(category, UserWarning):
            self._first.setdefault(category, one_line(str(message)))

    def print(self) -> None:
        """Print the warnings, one line each."""
        for message in self._first.values():
            print_error(f"warning: {message} (further warnings of this kind are not shown)")


@contextlib.contextmanager
def _short_warnings() -> Iterator[UserWarnings]:
    """Collect warnings; the caller prints them after a command that ended without an error."""
    user_warnings = UserWarnings()
    with warnings.catch_warnings():
        warnings.showwarning = user_warnings.add
        yield user_warnings
