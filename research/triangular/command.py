"""The command `python -m research triangularize`."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from research.triangular.basis import Triangular, is_real, solutions_at, triangularize
from research.triangular.code_generator import module_text
from research.triangular.file_kind import PROBLEMS
from research.triangular.loop_equations import problem_of_mechanism
from research.triangular.polynomial import to_text
from research.triangular.problem_file import Problem, digest_of, load_problem, parameter_values
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.output_target import output_path
from simulator.base.yaml_reader import read_text, read_yaml
from simulator.builder.builder import find_config, load_mechanism
from simulator.telemetry.atomic_files import write_text


def main_triangularize(arguments: argparse.Namespace) -> int:
    """Triangularize a file, print a report, and write the requested files. Raises JounceError."""
    problem = _load(arguments.file, arguments.loop)
    at = _point(problem, arguments.at)
    triangular = triangularize(problem, arguments.engine)
    counts = _counts(triangular, at)
    if arguments.basis:
        write_text(output_path(arguments.basis), basis_text(triangular))
    if arguments.write:
        write_text(output_path(arguments.write), module_text(triangular, arguments.file))
    print(json_text(_as_mapping(triangular, counts)) if arguments.json else _as_text(triangular, counts))
    return 0


def _load(file: str, loop: str | None) -> Problem:
    """Load the problem of a problem file or of a mechanism file."""
    path = find_config("triangular", file, shipped=PROBLEMS)
    if path.suffix in (".urdf", ".xml") or _is_mechanism(read_yaml(path)):
        mechanism, state = load_mechanism(str(path))
        return problem_of_mechanism(mechanism, state, digest_of(read_text(path, "a text file")), loop)
    if loop is not None:
        raise JounceError(f"--loop needs a mechanism file; {file} is a problem file")
    return load_problem(path)


def _is_mechanism(content: object) -> bool:
    return isinstance(content, dict) and "bodies" in content


def basis_text(triangular: Triangular) -> str:
    """Return the basis, one polynomial per line, smallest leading monomial first; coefficients are exact."""
    return "".join(f"{to_text(g, triangular.problem.names)}\n" for g in triangular.basis)


def _point(problem: Problem, given: str | None) -> dict[str, Fraction]:
    """Return the parameter values of the example, overridden by the option --at."""
    values = dict(zip(problem.parameters, problem.example, strict=False))
    pairs = problem.known_angles
    numbers: dict[str, float] = {}
    for item in given.split(",") if given else []:
        name, _, number = item.partition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            raise JounceError(f"--at: {item!r} is not NAME=NUMBER") from None
        if name.strip() not in (*problem.parameters, *pairs) or not math.isfinite(numbers[name.strip()]):
            raise JounceError(f"--at: {item!r} is not a finite value of one of {', '.join((*problem.parameters, *pairs))}")
    return {**values, **parameter_values(numbers, problem.parameters, pairs)}


def _counts(triangular: Triangular, at: Mapping[str, Fraction]) -> dict[str, Any]:
    """Return the number of solutions, and of real ones at the given parameters if there are any."""
    counts: dict[str, Any] = {"complex": triangular.solutions}
    if len(at) == len(triangular.problem.parameters):
        found = solutions_at(triangular, tuple(at[name] for name in triangular.problem.parameters))
        counts["at"] = {name: float(x) for name, x in at.items()}
        counts["real"] = sum(map(is_real, found))
    return counts


def _as_mapping(triangular: Triangular, counts: Mapping[str, Any]) -> dict[str, Any]:
    names = triangular.problem.names
    return {
        "name": triangular.problem.name,
        "engine": triangular.engine,
        "order": list(names),
        "solutions": counts,
        "triangular": [
            {
                "unknown": names[step.unknown],
                "degree": step.degree,
                "terms": step.terms,
                "digits": step.digits,
                "position_in_basis": step.position,
                "polynomial": to_text(step.polynomial, names),
            }
            for step in triangular.steps
        ],
        "basis": [to_text(g, names) for g in triangular.basis],
    }


def _as_text(triangular: Triangular, counts: Mapping[str, Any]) -> str:
    problem = triangular.problem
    lines = [
        f"{problem.name}: lexicographic basis of {len(triangular.basis)} polynomials ({triangular.engine})",
        f"order {' > '.join(problem.names)}" + (", parameters as coefficients" if problem.as_coefficients else ""),
        "",
        f"{'':4}{'unknown':<10}{'degree':>6}{'terms':>7}{'digits':>8}{'number in the basis':>21}",
    ]
    for k, step in enumerate(triangular.steps, start=1):
        lines.append(f"g{k:<3}{problem.names[step.unknown]:<10}{step.degree:6}{step.terms:7}{step.digits:8}{step.position:21}")
    lines += ["", f"{counts['complex']} complex solutions"]
    if "real" in counts:
        lines[-1] += f", {counts['real']} real at " + ", ".join(f"{name} = {x:.6g}" for name, x in counts["at"].items())
    if triangular.conditions:
        lines.append(f"{len(triangular.conditions)} polynomial in the parameters alone: the parameters are not independent")
    return "\n".join(lines)
