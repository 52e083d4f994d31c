"""Tables and plot of `jounce bench formulations`, in the terminal or in docs/formulations.md between two marks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from simulator.base.errors import JounceError, OutputError
from simulator.telemetry.atomic_files import write_text, write_whole

BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"
"""Lines of the page between which the measured part stands; all else is written by hand and stays."""

EULER, RUNGE_KUTTA = "semi_implicit_euler", "runge_kutta_4"


def to_text(table: dict[str, Any]) -> str:
    """All tables."""
    parts = [_heading(table)]
    for case in reversed(table["cases"]):
        parts += [f"### {case['name'].capitalize()}: cost", _costs(case, table), f"### {case['name'].capitalize()}: drift", _drifts(case)]
    parts += ["### Targets", _targets(table)]
    return "\n\n".join(parts) + "\n"


def around(file: Path) -> tuple[str, str]:
    """What stands before and after the measured part of the page; a new page has a title only.

    Raises
    ------
    OutputError : there is no such folder
    JounceError : the page has no marks
    """
    if not file.parent.is_dir():
        raise OutputError(f"{file}: cannot be written: no such folder")
    if not file.exists():
        return "# Formulations\n\n", "\n"
    text = file.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise JounceError(f"{file}: expected one line {BEGIN} and after it one line {END}, between which the tables go")
    return text[: text.index(BEGIN)], text[text.index(END) + len(END) :]


def write_page(table: dict[str, Any], file: Path) -> None:
    """Put the tables between the marks of the page, and the plot beside it as a .png of the same name. Raises as `around`."""
    before, after = around(file)
    picture = file.with_suffix(".png")
    command = "" if file.is_absolute() else f"Made by `jounce bench formulations --markdown {file.as_posix()}`.\n\n"
    image = f"![cost and drift of the formulations]({picture.name})"
    write_whole(picture, lambda path: path.write_bytes(draw(table)))
    write_text(file, f"{before}{BEGIN}\n\n{command}{image}\n\n{to_text(table)}\n{END}{after}")


def _heading(table: dict[str, Any]) -> str:
    m = table["machine"]
    return (
        f"Vehicle `{table['vehicle']}`, steps of {1e3 * table['step']:g} ms, {table['duration']:g} s for drift. Times are medians of {table['repeats']} on one core of "
        f"{m['processor']} ({m['cores']} cores, {m['system'].split()[0]}, Python {m['python']}, numba {m['numba']}, load {m['load_average']})."
    )


def _costs(case: dict[str, Any], table: dict[str, Any]) -> str:
    rows = [
        [
            "formulation",
            "coordinates",
            "constraints",
            "augmented size",
            "us per evaluation",
            "us per step",
            "to the closed form",
            "to generic CE",
            "[Cameron 2013]",
        ]
    ]
    for row in case["formulations"]:
        ratios = [f"{row[name]:.3g}" if name in row else "" for name in ("us_per_step", "ratio_closed_form", "ratio_ce")]
        paper = table["paper"].get(row["name"])
        sizes = [str(row[name]) for name in ("coordinates", "constraints", "augmented")]
        said = f"{paper[2]:g}" if paper and case["name"] == "vehicle" else ""
        rows.append([row["label"], *sizes, f"{row['us_per_evaluation']:.3g}", *ratios, said])
    return _grid(rows)


def _drifts(case: dict[str, Any]) -> str:
    kinds = {"loop_drift": "loop drift [m]", "energy_drift": "energy drift", "difference": "difference [m]"}
    rows = [["formulation", "loops kept closed by", *(f"{kind}, {name}" for kind in kinds.values() for name in ("Euler", "RK4"))]]
    for row in case["formulations"]:
        if "loop_drift" in row:
            numbers = [f"{row[kind][method]:.1e}" for kind in kinds for method in (EULER, RUNGE_KUTTA)]
            rows.append([row["label"], row["control"], *numbers])
    return _grid(rows)


def _targets(table: dict[str, Any]) -> str:
    measured = {row["name"]: row for row in table["cases"][-1]["formulations"]}
    rows = [["whole vehicle", "target", "measured", ""]]
    for name, limit in table["targets"]["us_per_evaluation"].items():
        if name in measured:
            us = measured[name]["us_per_evaluation"]
            rows.append([f"{measured[name]['label']}, us per evaluation", f"at most {limit:g}", f"{us:.3g}", _met(us <= limit)])
    for name, least in table["targets"]["ratio_closed_form"].items():
        if name in measured:
            ratio = measured[name]["ratio_closed_form"]
            rows.append(
                [
                    f"{measured[name]['label']}, steps of the closed form per step",
                    f"at least {least:g}",
                    f"{ratio:.3g}",
                    _met(ratio >= least),
                ]
            )
    return _grid(rows)


def _met(is_met: bool) -> str:
    return "met" if is_met else "**not met**"


def _grid(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def draw(table: dict[str, Any]) -> bytes:
    """The plot as a .png: cost per step of all formulations, and the gaps of their loops over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 6.4), layout="constrained")
    cost, drift = figure.subplots(1, 2, width_ratios=(1.1, 1.0))
    vehicle = next(case for case in table["cases"] if case["name"] == "vehicle")
    colors = {row["name"]: f"C{n % 10}" for n, row in enumerate(vehicle["formulations"])}
    _draw_costs(cost, table["cases"], colors)
    _draw_gaps(drift, vehicle["formulations"], colors)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=100)
    return out.getvalue()


def _draw_costs(axes: Any, cases: list[dict[str, Any]], colors: dict[str, str]) -> None:
    """Bars on a logarithmic scale, whole vehicle above quarter car."""
    for case in cases:
        whole = case["name"] == "vehicle"
        height, shift = (0.42, -0.2) if whole else (0.26, 0.2)
        rows = [row for row in case["formulations"] if "us_per_step" in row]
        for n, row in enumerate(rows):
            us = row["us_per_step"]
            axes.barh(n + shift, us, height, color=colors[row["name"]], alpha=1.0 if whole else 0.45)
            text = f" {us:.3g} µs  (x {row['ratio_closed_form']:.3g})"
            axes.text(us, n + shift, text, va="center", fontsize=9 if whole else 7.5, color="black" if whole else "0.35")
        axes.set_yticks(range(len(rows)), [row["label"].replace(", ", ",\n", 1) for row in rows], fontsize=9)
        axes.set_xlim(0.2, 6.0 * max(row["us_per_step"] for row in rows))
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("µs per step of 1 ms (times the closed form)")
    axes.set_title("Cost of a step: whole vehicle, and pale the quarter car", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_gaps(axes: Any, rows: list[dict[str, Any]], colors: dict[str, str]) -> None:
    """Largest gap so far of any loop of the whole vehicle."""
    rows = [row for row in rows if "loop_gap" in row]
    for n, row in enumerate(rows):
        for method, style in ((EULER, "-"), (RUNGE_KUTTA, "--")):
            worst = [max(row["loop_gap"][method][: end + 1]) for end in range(len(row["t"]))]
            # those that lie on each other are told apart by their width
            width = 4.5 - 3.3 * n / len(rows)
            axes.plot(row["t"], worst, style, color=colors[row["name"]], label=row["label"] if method == EULER else None, linewidth=width)
    axes.set_yscale("log")
    axes.set_ylim(1e-17, 1e3)
    axes.set_yticks([10.0**k for k in range(-16, 1, 2)])
    axes.set_xlabel("time [s]")
    axes.set_ylabel("largest gap of a loop so far [m]")
    axes.set_title("Loop drift of the whole vehicle\nsolid: semi-implicit Euler, dashed: Runge-Kutta 4", loc="left", fontsize=11)
    axes.grid(True, which="major", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, loc="upper left", ncols=2, frameon=False)
