"""Code generator: text of a kernel module for a triangular system, with a fixed number of operations and no iteration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from research.triangular.basis import Step, Triangular, is_real, solutions_at
from research.triangular.polynomial import add, coefficients_in, magnitude, multiply, value
from research.triangular.straight_line_program import Program, quotient_by_constant, scaled
from simulator.base.errors import JounceError

_WIDTH = 140

MAX_INPUTS = 8
"""Maximum number of kernel arguments; a kernel with more has one named tuple, `Inputs`."""


@dataclass(frozen=True)
class Solver:
    """Content of a generated module.

    Attributes
    ----------
    main : program that ends with the unknowns
    inputs : its inputs: parameters, unknowns of a degree above two, then the signs of the square roots
    given : the steps of a degree above two; their unknowns are inputs
    coefficients : for each of these steps, the program of the coefficients of its polynomial, its inputs, and the names of the results
    """

    triangular: Triangular
    main: Program
    inputs: tuple[str, ...]
    given: tuple[Step, ...]
    coefficients: tuple[tuple[Program, tuple[str, ...], tuple[str, ...]], ...]


def make_solver(triangular: Triangular) -> Solver:
    """Return the programs that solve a triangular system.

    Linear polynomials are solved by division, quadratic ones by a square root with a selectable sign. For higher degrees the module gives
    the coefficients to the caller, who solves them.
    """
    names, parameters = triangular.problem.names, triangular.problem.parameters
    main = Program(names)
    given, signs, coefficients = [], [], []
    for position, step in enumerate(triangular.steps):
        name = names[step.unknown]
        if step.degree == 1:
            _solve_linear(main, step, name)
        elif step.degree == 2:
            signs.append(f"branch_{name}")
            _solve_quadratic(main, step, name, signs[-1])
        else:
            given.append(step)
            before = {names[earlier.unknown] for earlier in triangular.steps[:position]}
            program = Program(names)
            powers = coefficients_in(scaled(step.polynomial), step.unknown)
            results = tuple(program.polynomial(c) for c in powers)
            inputs = tuple(n for k, n in enumerate(names) if n in before | set(parameters) and any(m[k] for m in step.polynomial))
            coefficients.append((program, inputs, results))
    inputs = (*parameters, *(names[step.unknown] for step in given), *signs)
    return Solver(triangular, main, inputs, tuple(given), tuple(coefficients))


def _solve_linear(main: Program, step: Step, name: str) -> None:
    constant, slope = coefficients_in(scaled(step.polynomial), step.unknown)
    negative = {m: -c for m, c in constant.items()}
    exact = quotient_by_constant(negative, slope)
    if exact is not None:
        main.assign(name, main.polynomial(exact))
    else:
        main.assign(name, main.quotient(main.polynomial(negative), main.polynomial(slope)))


def _solve_quadratic(main: Program, step: Step, name: str, sign: str) -> None:
    """Add the solution of a x^2 + 2 h x + c = 0: x = (-h + sign sqrt(h^2 - a c)) / a; the radicand is expanded exactly to reduce
    cancellation.
    """
    c, b, a = coefficients_in(scaled(step.polynomial), step.unknown)
    if not b:
        negative = {m: -x for m, x in c.items()}
        exact = quotient_by_constant(negative, a)
        square = main.polynomial(exact) if exact is not None else main.quotient(main.polynomial(negative), main.polynomial(a))
        main.assign(name, main.product(sign, main.root(square)))
        return
    h = {m: x / 2 for m, x in b.items()}
    radicand = add(multiply(h, h), multiply(a, c), -1)
    root = main.product(sign, main.root(main.polynomial(radicand)))
    main.assign(name, main.quotient(main.difference(root, main.polynomial(h)), main.polynomial(a)))


def module_text(triangular: Triangular, reference: str) -> str:
    """Return the text of the kernel module.

    Parameters
    ----------
    reference : argument of the `python -m research triangularize` command that generates this module: name or path of the problem file

    Raises
    ------
    JounceError : the file has no example, or the example has no real solution
    """
    if len(triangular.problem.example) != len(triangular.problem.parameters):
        raise JounceError(f"{triangular.problem.name}: no example; expected one to check the kernel")
    solver = make_solver(triangular)
    names = triangular.problem.names
    parts = [_header(solver, reference)]
    for step, (program, inputs, results) in zip(solver.given, solver.coefficients, strict=True):
        parts.append(_coefficients_kernel(names[step.unknown], step, program, inputs, results))
    if _bundles(solver):
        parts.append(_inputs_class(solver))
    parts.append(_main_kernel(solver))
    return "\n\n\n".join(parts) + "\n"


def _header(solver: Solver, reference: str) -> str:
    triangular, problem = solver.triangular, solver.triangular.problem
    rows = [f"    {'unknown':<10}degree  terms  digits"]
    for step in triangular.steps:
        rows.append(f"    {problem.names[step.unknown]:<10}{step.degree:6}{step.terms:7}{step.digits:8}")
    real = [s for s in solutions_at(triangular, problem.example) if is_real(s)]
    point = ", ".join(f"{name} = {float(x):.6g}" for name, x in zip(problem.parameters, problem.example, strict=True))
    return "\n".join(
        [
            f'"""{problem.name[0].upper()}{problem.name[1:]}: kinematics from a triangular system.',
            "",
            f"Written by `python -m research triangularize {reference} --write FILE`; do not edit.",
            *_wrapped(f"Source of the equations: {problem.source}."),
            "",
            *rows,
            "",
            *_wrapped(f"{triangular.solutions} complex solutions; {len(real)} real at {point}."),
            *_wrapped(_residual_words(solver, real)),
            '"""',
            "",
            *(["from typing import NamedTuple", ""] if _bundles(solver) else []),
            "import numpy as np" if "np." in _body(solver.main) else "",
            "",
            "from simulator.base.jit import kernel",
            "",
            f'SOURCE_DIGEST = "{problem.digest}"',
            '"""Digest of the problem file."""',
        ]
    ).replace('"""\n\n\n\nfrom', '"""\n\nfrom')


def _residual_words(solver: Solver, real: Sequence[tuple[object, ...]]) -> str:
    problem = solver.triangular.problem
    residual = _decade(max(_residuals(solver, real)))
    words = f"The relative residual of the equations at this point is {residual} in double precision"
    if solver.triangular.conditions:
        point = [0.0] * len(problem.unknowns) + [float(x) for x in problem.example]
        off = max(abs(value(g, point)) / magnitude(g, point) for g in solver.triangular.conditions)
        return f"{words}. The parameters are not independent; their conditions hold to {_decade(off)}."
    return f"{words}."


def _residuals(solver: Solver, real: Sequence[tuple[object, ...]]) -> list[float]:
    """Return the residuals of the equations, relative to their terms, at each real solution that the program computes for the example.

    Solutions of steps with a degree above two come from `real`, square roots use all signs.
    """
    problem = solver.triangular.problem
    if not real:
        raise JounceError(f"{problem.name}: the example has no real solution; expected one to check the kernel")
    example = dict(zip(problem.parameters, map(float, problem.example), strict=True))
    signs = [name for name in solver.inputs if name.startswith("branch_")]
    residuals = []
    for solution, choice in itertools.product(real, itertools.product((1.0, -1.0), repeat=len(signs))):
        given = {problem.names[s.unknown]: float(getattr(solution[s.unknown], "real", 0.0)) for s in solver.given}
        values = solver.main.run({**example, **given, **dict(zip(signs, choice, strict=True))})
        point = [values[name] for name in problem.names]
        if all(map(math.isfinite, point)):
            sizes = [(abs(float(value(e, point))), float(magnitude(e, point))) for e in problem.equations[: problem.loops]]
            residuals += [error / size if size else 0.0 for error, size in sizes]
    return residuals


def _decade(number: float) -> str:
    """Return the next power of ten above a number, which does not depend on the last bits, which differ between machines."""
    return f"1e{max(math.ceil(math.log10(number)), -15)}" if number > 0.0 else "1e-15"


def _coefficients_kernel(name: str, step: Step, program: Program, inputs: tuple[str, ...], results: tuple[str, ...]) -> str:
    return "\n".join(
        [
            "@kernel",
            f"def polynomial_of_{name}({', '.join((*inputs, 'out'))}):",
            *_docstring(
                f"Compute the coefficients of the polynomial of degree {step.degree} with the zeros {name}; `out[k]` belongs to the "
                "power k.",
                f"`out` has {step.degree + 1} entries. A common factor is removed.",
            ),
            *(f"    {operation.line}" for operation in program.operations),
            *(f"    out[{k}] = {result}" for k, result in enumerate(results)),
        ]
    )


def _bundles(solver: Solver) -> bool:
    """Return whether the kernel has too many inputs for separate arguments."""
    return len(solver.inputs) > MAX_INPUTS


def _inputs_class(solver: Solver) -> str:
    rows = [f"    {name}: float" for name in solver.inputs]
    return "\n".join(["class Inputs(NamedTuple):", '    """Inputs of `solve`."""', "", *rows])


def _main_kernel(solver: Solver) -> str:
    names = solver.triangular.problem.names
    solved = [names[step.unknown] for step in solver.triangular.steps]
    about = []
    for step in solver.given:
        about.append(f"`{names[step.unknown]}` is a zero of its polynomial.")
    signs = [name for name in solver.inputs if name.startswith("branch_")]
    if signs:
        about.append(f"Each branch, +1.0 or -1.0, is the sign of the square root for its unknown: {2 ** len(signs)} solutions.")
        about.append("Unknowns that are not real are NaN.")
    result = ", ".join(solved)
    return "\n".join(
        [
            "@kernel",
            "def solve(inputs):" if _bundles(solver) else f"def solve({', '.join(solver.inputs)}):",
            *_docstring(f"Return the unknowns {result}.", " ".join(about)),
            *([f"    {', '.join(solver.inputs)} = inputs"] if _bundles(solver) else []),
            *(f"    {operation.line}" for operation in solver.main.operations),
            f"    return {result}",
        ]
    )


def _docstring(summary: str, about: str) -> list[str]:
    if not about:
        return [f'    """{summary}"""']
    return [f'    """{summary}', "", *_wrapped(about, "    "), '    """']


def _body(program: Program) -> str:
    return "\n".join(operation.line for operation in program.operations)


def _wrapped(text: str, indent: str = "") -> list[str]:
    lines, line = [], indent
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH and line.strip():
            lines.append(line)
            line = indent
        line += word if line == indent else f" {word}"
    return [*lines, line]
