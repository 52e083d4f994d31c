"""The program: from the words of the command line to the exit code. The verbs are in `parser.py`."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator

from simulator.base import signals
from simulator.base.compile_messages import announced
from simulator.base.console import flush, print_error
from simulator.base.errors import DeprecatedNameWarning, JounceError, one_line
from simulator.base.registry import load_plugins
from simulator.cli.parser import parser_of, plugins_of


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 good, 1 a check failed, 2 bad input, 130 or 143 ended by a signal.

    Without arguments it is the program: it takes those of the process, and hears signals from here on.
    """
    if argv is not None:
        return _command(argv)
    for stream in (sys.stdout, sys.stderr):  # names of files may hold what is no text, and a terminal may not show every letter
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signals.install()
    try:
        with announced():
            code = _command(sys.argv[1:])
    except SystemExit as end:  # as argparse ends
        code = int(end.code or 0)
    finally:
        lost = flush()
        signals.turn_deaf()
    if lost and code == 0:
        print_error(lost)
        return 2
    return code


def _command(argv: list[str]) -> int:
    """Do what the command line says; returns the exit code."""
    parser = parser_of(argv[0] if argv else "")
    try:
        os.getcwd()  # files are named from here; if it is gone, that is said before anything is missing
        load_plugins(plugins_of(argv))
        arguments, unknown = parser.parse_known_args(argv)
        if unknown:
            parser.refuse_unknown(unknown, argv)
        if not hasattr(arguments, "run"):
            parser.print_help()
            return 0
        with _short_warnings(as_json=getattr(arguments, "json", False)):
            return arguments.run(arguments)
    except JounceError as error:
        signals.let_leave()
        print_error(str(error))
        return 2
    except KeyboardInterrupt:
        print_error("interrupted")
        return 130
    except signals.EndedBySignal as end:
        signals.turn_deaf()  # one line, however often it is pressed
        print_error(signals.words(end.number))
        return signals.exit_code(end.number)
    except BrokenPipeError:  # whoever read our output has left
        return 141
    except OSError as error:  # a full disk behind the output, for example
        signals.let_leave()
        print_error(_of_the_system(error))
        return 2


def _of_the_system(error: OSError) -> str:
    """What the system refused, in one line."""
    try:
        os.getcwd()
    except OSError:
        return "the current folder is gone, expected one that is there"
    return one_line(f"{error.filename}: {error.strerror}" if error.filename else f"cannot go on: {error.strerror or error}")


@contextlib.contextmanager
def _short_warnings(as_json: bool) -> Iterator[None]:
    """Print warnings for the user at the end, one line each; none with JSON output or after an error.

    Of each kind the first is printed; of old names, all.
    """
    seen: dict[type[Warning], str] = {}
    old_names: dict[str, None] = {}

    def note(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if issubclass(category, DeprecatedNameWarning):
            old_names[one_line(str(message))] = None
        elif issubclass(category, UserWarning):
            seen.setdefault(category, one_line(str(message)))

    with warnings.catch_warnings():
        warnings.showwarning = note
        yield
    if as_json:
        return
    for message in old_names:
        print_error(message)
    for message in seen.values():
        print_error(f"warning: {message} (further warnings of this kind are not shown)")
