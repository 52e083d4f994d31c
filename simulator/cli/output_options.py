"""Options for files that a command writes: `--out FOLDER`, and `--html FILE` or `--plot FILE` for a single file."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from simulator.base.errors import NOTHING, ConfigError, JounceError, OutputError
from simulator.base.output_target import STANDARD_OUTPUT, is_stream, output_path

SUFFIXES = {"html": (".html", ".htm"), "plot": (".png",)}
"""Suffixes of a single file, by option."""
FILES = (*SUFFIXES["html"], *SUFFIXES["plot"], ".json", ".csv", ".yaml", ".yml")
"""Suffixes with which the value of `--out` looks like a file."""
OPTIONS = ("csv", "html", "plot", "animate", "basis", "write")
"""Options for a single file, which may be `-`."""


@contextlib.contextmanager
def free_standard_output(arguments: argparse.Namespace) -> Iterator[None]:
    """Print the text of a command on the error stream if the standard output receives a file. Raises JounceError: two outputs on it."""
    files = [f"--{option} -" for option in OPTIONS if getattr(arguments, option, None) == str(STANDARD_OUTPUT)]
    if not files:
        yield
        return
    if getattr(arguments, "json", None) in (True, str(STANDARD_OUTPUT)):
        files.append("--json")
    if len(files) > 1:
        raise JounceError(f"{' and '.join(files)} exclude each other: both write to the standard output; hint: name a file")
    with contextlib.redirect_stdout(sys.stderr):
        yield


def add_single_file(p: argparse.ArgumentParser, option: str, content: str, default: str, folder: str) -> None:
    """Add an option for a single file, and `--out` for the folder of the file.

    Parameters
    ----------
    option : key of SUFFIXES
    content : description of the file, for the help
    default : name of the file if neither option is given
    folder : description of `--out`
    """
    group = p.add_mutually_exclusive_group()
    group.add_argument(f"--{option}", metavar="FILE", help=f"{content} (default: {default})")
    group.add_argument("--out", metavar="DIR", help=folder)


def check_single_file(arguments: argparse.Namespace, option: str) -> None:
    """Raise ConfigError if the name of the single file has the wrong suffix, or `--out` is the name of a file."""
    _check_folder(arguments.out, f"--{option} {arguments.out}")
    name = getattr(arguments, option)
    if name is not None and not name.lower().endswith(SUFFIXES[option]) and not _is_stream(name):
        raise ConfigError(f"--{option}", "", name, f"a file name that ends in {SUFFIXES[option][0]}")


@contextlib.contextmanager
def single_file(arguments: argparse.Namespace, option: str) -> Iterator[None]:
    """Add `output_file` to the arguments: a function of the default file name that returns the path of the single file.

    The folder of `--out` exists inside the block.

    Raises
    ------
    ConfigError : the file name has the wrong suffix, or `--out` is the name of a file
    OutputError : the folder cannot be created
    """
    check_single_file(arguments, option)
    name, folder = getattr(arguments, option), Path(arguments.out or "")
    arguments.output_file = lambda default: output_path(name) if name is not None else folder / default
    with output_folder(folder):
        yield


def named_file(arguments: argparse.Namespace) -> Path:
    """Return FOLDER/NAME.yaml for `--out FOLDER` and `--name NAME` (default: last part of FOLDER).

    Raises
    ------
    ConfigError : the folder has no name, or `--out` is the name of a file
    """
    check_named_file(arguments)
    name = arguments.name or os.path.basename(os.path.abspath(arguments.out))
    if not name:
        raise ConfigError("--name", "", NOTHING, "the name of the file in the folder of --out")
    return Path(arguments.out, name if name.lower().endswith((".yaml", ".yml")) else f"{name}.yaml")


def check_named_file(arguments: argparse.Namespace) -> None:
    """Raise ConfigError if `--out` is the name of a file."""
    folder, name = os.path.split(arguments.out or "")
    _check_folder(arguments.out, f"--out {folder or '.'} --name {name}")


@contextlib.contextmanager
def output_folder(folder: Path) -> Iterator[None]:
    """Create a folder; remove it and its new parents if the block raises and they are empty. Raises OutputError."""
    missing = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot create the folder: {error.strerror or error}") from None
    try:
        yield
    except BaseException:
        for one in missing:
            with contextlib.suppress(OSError):
                one.rmdir()
        raise


def _is_stream(name: str) -> bool:
    """Return whether an output file is a device, a pipe or the standard output."""
    try:
        return is_stream(output_path(name))
    except (OSError, ValueError):
        return False


def _check_folder(out: str | os.PathLike[str] | None, meant: str) -> None:
    """Raise ConfigError if the value of `--out` is the name of a file; `meant`: options that write this file."""
    if out is not None and str(out).lower().endswith(FILES) and not os.path.isdir(out):
        raise ConfigError("--out", "", str(out), f"a folder (is {meant} meant?)")
