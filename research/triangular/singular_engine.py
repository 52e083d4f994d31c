"""Lexicographic bases with the program Singular, if installed: the same bases as with sympy, but faster (0.1 s for the landing gear)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from research.triangular.polynomial import IntegerPolynomial, Monomial, from_text, primitive
from research.triangular.problem_file import Problem
from simulator.base.cleanup import start_child
from simulator.base.errors import JounceError

TIME_LIMIT = 600.0
"""s, time limit of Singular."""


def find_singular() -> str | None:
    """Return the path of Singular: from the environment variable SINGULAR, on PATH, or in the Python package `passagemath-singular`."""
    named = os.environ.get("SINGULAR")
    if named:
        return named
    packaged = [Path(folder) / "sage_wheels" / "bin" / "Singular" for folder in sys.path]
    return shutil.which("Singular") or next((str(path) for path in packaged if path.is_file()), None)


def basis_with_singular(problem: Problem, program: str, time_limit: float = TIME_LIMIT) -> list[IntegerPolynomial]:
    """Return the reduced lexicographic basis of a problem, smallest leading monomial first.

    Raises
    ------
    JounceError : Singular does not start, fails, takes longer than `time_limit` seconds, or returns something other than polynomials
    """
    try:
        done = _run([program, "-q"], _script(problem), time_limit)
    except subprocess.TimeoutExpired:
        raise JounceError(f"Singular did not finish within {time_limit:g} s") from None
    except OSError as error:
        raise JounceError(f"cannot start {program}: {error.strerror or error}") from None
    output = done.stdout.partition("BASIS")[2].partition("END")[0].split()
    if done.returncode or not output:
        raise JounceError(f"Singular failed: {(done.stderr or done.stdout)[:200]}")
    letters = [_letter(k) for k in range(len(problem.names))]
    try:
        basis = [primitive(from_text(text, letters)) for text in output]
    except ValueError:
        raise JounceError(f"unexpected output of Singular: {output[0][:80]!r}") from None
    return sorted(basis, key=lambda g: next(iter(g)))


def _run(command: list[str], script: str, time_limit: float) -> subprocess.CompletedProcess[str]:
    """Run a child process that ends with this process."""
    child = start_child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, errors = child.communicate(script, timeout=time_limit)
    finally:
        child.kill()  # no effect on a process that has ended
        child.wait()
    return subprocess.CompletedProcess(command, child.returncode, out, errors)


def _letter(index: int) -> str:
    """Return a safe name in the input of Singular, because names of the user may be Singular keywords."""
    return f"v{index + 1}"


def _script(problem: Problem) -> str:
    letters = [_letter(k) for k in range(len(problem.names))]
    count = len(problem.unknowns)
    if problem.as_coefficients and problem.parameters:
        ring = f"(0,{','.join(letters[count:])}),({','.join(letters[:count])})"
    else:
        ring = f"0,({','.join(letters)})"
    equations = ",".join(_sum(primitive(e), letters) for e in problem.equations)
    return f"""option(redSB);
ring r = {ring}, lp;
short = 0;
ideal given = {equations};
ideal basis = std(given);
"BASIS";
for (int i = 1; i <= size(basis); i++) {{ basis[i] = cleardenom(basis[i]); }}
ring flat = 0, ({",".join(letters)}), lp;
ideal basis = imap(r, basis);
for (i = 1; i <= size(basis); i++) {{ string(basis[i]); }}
"END";
quit;
"""


def _sum(polynomial: IntegerPolynomial, letters: list[str]) -> str:
    def term(monomial: Monomial, coefficient: int) -> str:
        return "*".join([f"({coefficient})", *(f"{x}^{e}" for x, e in zip(letters, monomial, strict=True) if e)])

    return "+".join(term(m, c) for m, c in polynomial.items())
