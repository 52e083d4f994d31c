"""How a command line is read: parsers whose complaints are one line, and types of options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from simulator.base.errors import ConfigError, one_line
from simulator.base.suggestions import did_you_mean

Commands = argparse._SubParsersAction


class Parser(argparse.ArgumentParser):
    """Parser that complains in one line and says what may have been meant."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"jounce: {one_line(message)} (see {self.prog} --help)\n")

    def refuse_unknown(self, unknown: list[str], argv: list[str]) -> None:
        """Complain of arguments that no command knows, in the words of the command that was meant."""
        parser: argparse.ArgumentParser = self
        for word in argv:
            inner = next((a.choices for a in parser._actions if isinstance(a, Commands) and word in a.choices), None)
            parser = parser if inner is None else inner[word]
        options = [option for action in parser._actions for option in action.option_strings]
        near = did_you_mean(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{near}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            text = f"invalid choice: {value!r}{did_you_mean(value, names)}, choose from {', '.join(names)}"
            raise argparse.ArgumentError(action, text)


class Version(argparse.Action):
    """Prints the version and ends. Looking it up takes longer than all the help, so it is done only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """End with exit code 0."""
        from simulator.base.machine import version

        print(f"jounce {version()}")
        parser.exit()


def number_between(least: float, most: float, whole: bool = False) -> Callable[[str], float]:
    """Type of an option: a number from `least` to `most`; a `whole` one is an int."""
    kind, words = (int, "a whole number") if whole else (float, "a number")

    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"got {text}, expected {words} from {least:g} to {most:g}")
        return value

    return number


def yaml_value(text: str) -> Any:
    """Type of an option: a value written in YAML, for example a name, or a mapping in braces."""
    from simulator.base.yaml_reader import parse_yaml

    try:
        return parse_yaml(text, "")
    except ConfigError as error:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected YAML: {error.value}") from None
