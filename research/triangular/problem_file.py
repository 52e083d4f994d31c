"""Problem files of `python -m research triangularize`: the constraint equations of a mechanism in sines, cosines and lengths."""

from __future__ import annotations

import hashlib
import keyword
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from research.triangular.expression_parser import ExpressionError, parse_equation
from research.triangular.polynomial import Polynomial
from simulator.base.errors import ConfigError, raise_all
from simulator.base.fields import Choice, Field, ListOf, Named, Number, Text, read
from simulator.base.values import Values
from simulator.base.yaml_reader import read_text, read_yaml

MAX_NAMES = 40
_RESERVED = {"sin", "cos", "branch"}
_NAMES = ListOf(Text("a name (letters, digits, _)"), most=MAX_NAMES)
_EXAMPLE = Number("", -math.inf, math.inf)
FILE = (
    Field("name", Text(), "name of the mechanism"),
    Field("source", Text(), "source of the equations", "not given"),
    Field("angles", _NAMES, "angles a, whose sine sa and cosine ca are unknowns or parameters", ()),
    Field("unknowns", _NAMES, "unknowns in the order of elimination; the last one is solved first", ()),
    Field("parameters", _NAMES, "known quantities", ()),
    Field(
        "parameters_are",
        Choice(("variables", "coefficients")),
        "role of the parameters: variables of the basis, or part of its coefficients",
        "variables",
    ),
    Field("equations", ListOf(Text("an equation as text"), least=1), "equations between polynomials in unknowns and parameters"),
    Field("example", Named(_EXAMPLE), "values of the parameters or of the known angles", None),
)
"""Fields of a file in ``research/triangular/problems``."""


@dataclass(frozen=True)
class Problem:
    """Equations to triangularize.

    Attributes
    ----------
    name : name of the mechanism
    source : source of the equations
    unknowns : names in the order of elimination; the last one is solved first
    parameters : names of known quantities
    as_coefficients : the basis is over the field of rational functions of the parameters; otherwise parameters are variables after the
        unknowns
    equations : polynomials over `names` that are zero, equations of the file first, then sine^2 + cosine^2 = 1 of each unknown angle
    loops : number of equations from the file
    known_angles : names of the sine and the cosine of each angle among the parameters
    example : a value of each parameter, or empty
    digest : of the file
    """

    name: str
    source: str
    unknowns: tuple[str, ...]
    parameters: tuple[str, ...]
    as_coefficients: bool
    equations: tuple[Polynomial, ...]
    loops: int
    known_angles: dict[str, tuple[str, str]]
    example: tuple[Fraction, ...]
    digest: str

    @property
    def names(self) -> tuple[str, ...]:
        """Unknowns, then parameters: the names of the exponents of all polynomials."""
        return self.unknowns + self.parameters


def load_problem(path: str | Path) -> Problem:
    """Read a problem file. Raises ConfigError."""
    return problem_from_mapping(read_yaml(path), str(path), digest_of(read_text(path, "a YAML text file")))


def digest_of(text: str) -> str:
    """Return the digest of the text of a file, independent of its line ends."""
    return hashlib.sha256("\n".join(text.splitlines()).encode()).hexdigest()[:16]


def problem_from_mapping(mapping: Any, file: str, digest: str = "") -> Problem:
    """Read the equations from a mapping (see `research/triangular/problems`). Raises ConfigError."""
    values = read(FILE, mapping, file)
    angles = {angle: ("s" + angle, "c" + angle) for angle in _names(values, "angles")}
    unknowns, parameters = _names(values, "unknowns"), _names(values, "parameters")
    _check_names(values, angles, unknowns, parameters)
    names = {name: k for k, name in enumerate(unknowns + parameters)}
    equations = _equations(values, names, angles)
    known = {angle: pair for angle, pair in angles.items() if pair[0] in parameters}
    circles = [circle((names[sine], names[cosine]), len(names)) for sine, cosine in angles.values() if {sine, cosine} <= set(unknowns)]
    return Problem(
        name=values["name"],
        source=values["source"],
        unknowns=unknowns,
        parameters=parameters,
        as_coefficients=values["parameters_are"] == "coefficients",
        equations=(*equations, *circles),
        loops=len(equations),
        known_angles=known,
        example=_example(values, parameters, known),
        digest=digest,
    )


def parameter_values(given: Mapping[str, float], parameters: tuple[str, ...], angles: Mapping[str, tuple[str, str]]) -> dict[str, Fraction]:
    """Return exact values of parameters from numbers for the parameters or for angles [rad], whose sines and cosines they are."""
    values: dict[str, Fraction] = {}
    for name, number in given.items():
        if name in angles:
            values.update(zip(angles[name], (Fraction(math.sin(number)), Fraction(math.cos(number))), strict=True))
        else:
            values[name] = Fraction(repr(number))
    return {name: value for name, value in values.items() if name in parameters}


def _names(values: Values, key: str) -> tuple[str, ...]:
    given: tuple[str, ...] = values[key]
    expected = "a list of different names (letters, digits, _)"
    if not all(_is_name(n) for n in given):
        raise values.error(key, expected)
    if len(set(given)) != len(given) or _RESERVED & set(given):
        raise values.error(key, f"{expected} other than {', '.join(sorted(_RESERVED))}")
    return given


def _is_name(text: str) -> bool:
    return text.isidentifier() and text.isascii() and not keyword.iskeyword(text)


def _check_names(values: Values, angles: Mapping[str, tuple[str, str]], unknowns: tuple[str, ...], parameters: tuple[str, ...]) -> None:
    if not unknowns:
        raise values.error("unknowns", "at least one name, in the order of elimination")
    if len(unknowns) + len(parameters) > MAX_NAMES:
        raise ConfigError(values.file, values.path("unknowns"), len(unknowns + parameters), f"at most {MAX_NAMES} unknowns and parameters")
    for name in parameters:
        if name in unknowns:
            raise ConfigError(values.file, values.path("parameters"), name, "a name that is not among the unknowns")
    for angle, pair in angles.items():
        count = [sum(name in group for name in pair) for group in (unknowns, parameters)]
        if count not in ([2, 0], [0, 2]):
            raise ConfigError(
                values.file, values.path("angles"), angle, f"{' and '.join(pair)}, both in the unknowns or both in the parameters"
            )


def _equations(values: Values, names: Mapping[str, int], angles: Mapping[str, tuple[str, str]]) -> list[Polynomial]:
    equations, faults = [], []
    for k, text in enumerate(values["equations"]):
        key = values.path(f"equations[{k}]")
        try:
            polynomial = parse_equation(text, names, angles)
        except ExpressionError as error:
            faults.append(ConfigError(values.file, key, text, f"an equation between polynomials: {error}"))
            continue
        if not any(any(m) for m in polynomial):
            faults.append(ConfigError(values.file, key, text, "an equation that contains an unknown or a parameter"))
        equations.append(polynomial)
    raise_all(faults)
    return equations


def circle(indices: Sequence[int], count: int) -> Polynomial:
    """Return the sum of the squares of some of `count` names, minus 1."""
    squares = {tuple(2 if k == index else 0 for k in range(count)): Fraction(1) for index in indices}
    return {**squares, (0,) * count: Fraction(-1)}


def _example(values: Values, parameters: tuple[str, ...], known: Mapping[str, tuple[str, str]]) -> tuple[Fraction, ...]:
    if "example" not in values:
        return ()
    single = [name for name in parameters if not any(name in pair for pair in known.values())]
    example = read(
        tuple(Field(name, _EXAMPLE, "value of the parameter") for name in (*single, *known)),
        dict(values["example"]),
        values.file,
        values.path("example"),
    )
    numbers = parameter_values(example, parameters, known)
    return tuple(numbers[name] for name in parameters)
