"""The page and the plot of `jounce bench mechanisms`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from simulator.telemetry.atomic_files import write_text, write_whole

INTRODUCTION = """# Triangular kinematics of mechanisms

Made by `jounce bench mechanisms --markdown docs/mechanism_benchmarks.md`.{machine}

T. Uchida and J. McPhee ("Using Gröbner bases to generate efficient kinematic solutions for the dynamic simulation of multi-loop mechanisms",
*Mechanism and Machine Theory* 52 (2012) 144-157) solve the constraints of closed loops by lexicographic Gröbner bases: the dependent
coordinates follow one after the other, exactly and in a fixed time. Their Tables 1 and 3 compare this with Newton's method per loop and for all
loops, and with two constraint stabilizations. Here is the same comparison on our own code.

- **Mechanisms.** The Gough-Stewart platform of `configs/mechanisms/stewart.yaml`, which is theirs up to the initial pose (theirs is shown in a
  figure only), and the five-link suspension of `configs/mechanisms/five_link.yaml`, which is **not** theirs: the suspension S1 could not be found.
- **Runs.** Explicit Euler, {step:g} ms, {duration:g} s, compiled kernels without allocation, one thread. *Dynamic*: the equations of motion, embedded in
  the independent coordinates, or of all coordinates with a stabilization. *Kinematic*: the positions alone, over the same motion.
- **Shared.** All embedded methods have the same velocities and accelerations behind the positions, and the same platform attitude before
  them. Newton's methods start from the last step and end when no coordinate changes by more than the tolerance. Linear systems are solved by
  Gaussian elimination with partial pivoting, as in the paper; blocks of M and of the Jacobian that are zero are made use of before that.
- **Times** are in ms per simulated second, which at this step are also us per step: the least of {repeats} repeats, which go round all methods
  in turn, with the median beside it. The paper's are those of its faster compiler, on a Pentium 4 of 3 GHz. Gaps are the largest component of the
  constraints over the run.
"""

LANDING_GEAR = """## Landing gear (Table 4 of the paper)

The paper has no times for it. Its triangular system is exact in rational numbers but has coefficients of up to 264 digits; in double precision
it loses what the other two keep. Residuals are those of equations (16) to (19), in their unit of length, with lengths of some hundreds. The closed form also
gives the angles and their first and second derivatives by the strut angle; its times include eight sines and cosines of them.
"""

DISCUSSION = """## What is as in the paper, and what is not

**Embedded methods.** Their order is the paper's, kinematic and dynamic. What separates them in a dynamic run is what separates them in a kinematic
one; the rest is the same for all. The dynamic ratios come out close to the paper's.

**Closed form against Newton per leg.** The kinematic ratio of the platform is larger here than in the paper, for two reasons. The closed form gives sines and
cosines, and nothing behind it needs the angles, so none is computed, while a Newton iteration takes two sines and two cosines per leg. And the closed form does the same
for every leg, so that a present processor solves several legs at once in its vector lanes; Newton's method ends at different times for different legs and cannot. When
the closed form has to give the angles too, the ratio to it is about the paper's. Code generated from the basis costs as much as the elementary geometry it is equal to.

**One system for all legs.** Elimination grows with the cube of the number of unknowns, whose zeros it does not see: 18 unknowns against 6 times 3, 10 against 5
times 2. Long rows suit vector lanes and caches, short ones do not, so a dense matrix costs less against small ones than it did in 2004. This
shows between the rows for one system and those per leg or link.

**Suspension.** Newton's method for the pose, 5 x 5, stands before the links in the first three methods and takes most of their kinematic time, in
the paper as here; the links matter less than the legs of the platform do. A driven, smooth motion needs two iterations at 1e-6.

**Baumgarte and penalty.** The platform's are where the paper's are, near one dense system per step. Their systems have m = 18 and n = 24 equations, for the
suspension m = 15 and n = 16. How much stands beside the elimination depends on how M is inverted, which the paper does not say; here by blocks.

**Gaps.** The closed form leaves rounding, Newton's methods about the square of their tolerance. The paper has 9.5e-6 (Baumgarte) and
1.3e-5 (penalty) for the platform, 3.1e-6 and 8.0e-5 for its suspension, without naming the norm; ours are of these orders, not these numbers. The penalty method's are
larger than Baumgarte's on the platform because its damping 2 omega zeta stands where Baumgarte's has 2 alpha, 36 against 2 per second, and with explicit Euler steps the
gap grows about linearly with it. Stabilized, the platform also arrives elsewhere (column *apart*): Euler steps of 24 coordinates are another approximation than
steps of six with the others solved from them.
"""


def to_markdown(table: dict[str, Any], picture: str = "") -> str:
    """The page; `picture` is the file name of the plot, if there is one."""
    parts = [
        INTRODUCTION.format(machine=_machine(table), step=1e3 * table["step"], duration=table["duration"], repeats=table["repeats"]),
    ]
    if picture:
        parts.append(f"![time of every method against the triangular one, ours and the paper's]({picture})\n")
    for mechanism in table["mechanisms"]:
        parts += [f"## {mechanism['label'][0].upper()}{mechanism['label'][1:]} (Table {mechanism['table']} of the paper)\n"]
        for simulation in ("kinematic", "dynamic"):
            parts += [f"### {simulation.capitalize()}\n", _times(mechanism, simulation), _judgment(table, mechanism, simulation)]
        parts += ["### Constraints\n", _gaps(mechanism), ""]
    return "\n".join([*parts, LANDING_GEAR, _landing_gear(table), "", DISCUSSION])


def _landing_gear(table: dict[str, Any]) -> str:
    rows = [["method", "us per position", "median", "largest residual"]]
    for row in table["landing_gear"]:
        rows.append([row["label"], f"{row['us']:.3f}", f"{row['us_median']:.3f}", f"{row['residual']:.1e}"])
    return _grid(rows)


def _machine(table: dict[str, Any]) -> str:
    m = table["machine"]
    return f" On {m['processor']}, {m['cores']} cores, {m['system'].split()[0]}, Python {m['python']}, numba {m['numba']}, load {m['load_average']}."


def _times(mechanism: dict[str, Any], simulation: str) -> str:
    rows = [["method", "ms/s", "median", "times real time", "to triangular", "paper, ms/s", "paper, to triangular"]]
    for row in mechanism["methods"]:
        if simulation in row:
            r = row[simulation]
            ours = [f"{r['ms_per_s']:.3f}", f"{r['ms_per_s_median']:.3f}", f"{1e3 / r['ms_per_s']:.0f}", f"{r['ratio']:.2f}"]
            paper = [f"{r['paper_ms_per_s']:.1f}", f"{r['paper_ratio']:.2f}"] if "paper_ratio" in r else ["", ""]
            rows.append([row["label"], *ours, *paper])
    return _grid(rows)


def _judgment(table: dict[str, Any], mechanism: dict[str, Any], simulation: str) -> str:
    of = {"mechanism": mechanism["name"], "simulation": simulation}
    ordering = next(o for o in table["orderings"] if of.items() <= o.items())
    labels = {row["name"]: row["label"] for row in mechanism["methods"]}
    words = " < ".join(labels[name] for name in ordering["order"])
    lines = [f"\nThe paper's order, {words}: {'**as in the paper**' if ordering['met'] else '**not met**'}."]
    for target in table["targets"]:
        if of.items() <= target.items():
            met = "met" if target["us"] <= target["target_us"] else "**not met**"
            lines.append(f"Target of the closed form: {target['target_us']:g} us per step; {target['us']:.3f} us, {met}.")
    return " ".join(lines) + "\n"


def _gaps(mechanism: dict[str, Any]) -> str:
    rows = [["method", "largest gap [m]", "apart from triangular [m, rad]", "iterations per step"]]
    for row in mechanism["methods"]:
        if "gap" in row:
            iterations = f"{row['iterations']:.2f}" if row.get("iterations") else ""
            rows.append([row["label"], f"{row['gap']:.1e}", f"{row['apart']:.1e}", iterations])
    return _grid(rows)


def _grid(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def write_page(table: dict[str, Any], file: Path) -> None:
    """The page, and the plot beside it as a .png of the same name. Raises OutputError."""
    picture = file.with_suffix(".png")
    write_whole(picture, lambda path: path.write_bytes(draw(table)))
    write_text(file, to_markdown(table, picture.name))


def draw(table: dict[str, Any]) -> bytes:
    """The plot as a .png: ratios to the triangular method, ours over the paper's."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 7.4), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True)
    for row, mechanism in zip(axes, table["mechanisms"], strict=True):
        for panel, simulation in zip(row, ("kinematic", "dynamic"), strict=True):
            _draw_ratios(panel, mechanism, simulation)
    axes[0, 0].legend(loc="upper right")
    for panel in axes[1]:
        panel.set_xlabel("time over that of the triangular solution")
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _draw_ratios(panel: Any, mechanism: dict[str, Any], simulation: str) -> None:
    """Bars on a logarithmic scale, first method on top."""
    rows = [row for row in mechanism["methods"] if simulation in row]
    for n, row in enumerate(rows):
        ours, paper = row[simulation]["ratio"], row[simulation].get("paper_ratio")
        panel.barh(n - 0.2, ours, 0.36, left=0.0, color="C0", label="ours" if n == 0 else None)
        panel.annotate(
            f"{ours:.2f}  ({row[simulation]['ms_per_s']:.2f} ms/s)",
            (ours, n - 0.2),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
        if paper:
            panel.barh(n + 0.2, paper, 0.36, color="C7", label="paper" if n == 0 else None)
            said = f"{paper:.2f}  ({row[simulation]['paper_ms_per_s']:g} ms/s)"
            panel.annotate(said, (paper, n + 0.2), (4, 0), textcoords="offset points", va="center", fontsize=8)
    panel.set_yticks(range(len(rows)), [row["label"] for row in rows])
    panel.invert_yaxis()
    panel.set_xscale("log")
    panel.set_xlim(0.7, 400.0)
    panel.grid(axis="x", alpha=0.3)
    panel.set_title(f"{mechanism['label']}, {simulation}")
