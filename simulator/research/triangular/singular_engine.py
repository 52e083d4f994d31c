"""Lexicographic bases by the program Singular, when it is installed: the same bases as with sympy, sooner (0.1 s for the landing gear)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from simulator.base.cleanup import start_child
from simulator.base.errors import JounceError
from simulator.research.triangular.polynomial import IntegerPolynomial, Monomial, from_text, primitive
from simulator.research.triangular.problem_file import Problem

TIME_LIMIT = 600.0
"""Seconds that Singular may take."""


def find_singular() -> str | None:
    """Path of the program: the one named by the environment variable SINGULAR, on the path, or of the Python package `passagemath-singular`."""
    named = os.environ.get("SINGULAR")
    if named:
        return named
    packaged = [Path(folder) / "sage_wheels" / "bin" / "Singular" for folder in sys.path]
    return shutil.which("Singular") or next((str(path) for path in packaged if path.is_file()), None)


def basis_with_singular(problem: Problem, program: str, time_limit: float = TIME_LIMIT) -> list[IntegerPolynomial]:
    """Reduced lexicographic basis of a problem, least leading monomial first.

    Raises
    ------
    JounceError : the program does not start, fails, takes longer than `time_limit` seconds, or answers something else than polynomials
    """
    try:
        done = _run([program, "-q"], _script(problem), time_limit)
    except subprocess.TimeoutExpired:
        raise JounceError(f"Singular did not come to an end in {time_limit:g} s") from None
    except OSError as error:
        raise JounceError(f"{program} does not start: {error.strerror or error}") from None
    answer = done.stdout.partition("BASIS")[2].partition("END")[0].split()
    if done.returncode or not answer:
        raise JounceError(f"Singular failed: {(done.stderr or done.stdout)[:200]}")
    letters = [_letter(k) for k in range(len(problem.names))]
    try:
        basis = [primitive(from_text(text, letters)) for text in answer]
    except ValueError:
        raise JounceError(f"Singular answered {answer[0][:80]!r}") from None
    return sorted(basis, key=lambda g: next(iter(g)))


def _run(command: list[str], script: str, time_limit: float) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` of a child that does not outlive us."""
    child = start_child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, errors = child.communicate(script, timeout=time_limit)
    finally:
        child.kill()  # does nothing to one that has ended
        child.wait()
    return subprocess.CompletedProcess(command, child.returncode, out, errors)


def _letter(index: int) -> str:
    """Name in Singular's input: the user's may be words of its language."""
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
