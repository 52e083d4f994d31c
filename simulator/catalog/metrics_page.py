"""Page of metrics in the file reference, generated from the tables of metrics, analyses and functions of expressions."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.base.units import SHOWN
from simulator.maneuvers.analyses.contract import Analysis
from simulator.maneuvers.analyses.contract import Metric as AnalysisMetric
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.expressions import CONSTANTS, FUNCTIONS
from simulator.maneuvers.metrics import METRICS, METRICS_RATE

INTRODUCTION = """# Metrics

Metrics of a drive, generated from the tables of the code; [metrics.md](../metrics.md) describes their use. The unit is the default unit of a
metric in reports; a limit may be in any unit of the same quantity ([units.md](units.md)). **No claim of conformity**: the marks give the source
of a definition. [mem]: the text of the standard was not read; [calc]: definition of Jounce; [prop]: proposal.
"""


def metrics_page() -> str:
    """Return the page, without the note at its end."""
    usual = "".join(f"| `{one.name}` | {one.unit} | {one.needs or 'all drives'} | {one.meaning} |\n" for one in METRICS)
    parts = [
        f"\n## All drives\n\n| metric | unit | drives | description |\n|---|---|---|---|\n{usual}",
        *(_section(analysis) for analysis in ANALYSES.values()),
        "\n## Functions of expressions\n\n`type: expression` has only the metrics that it defines. Operators: `+ - * / **`, `< <= > >= == !=` with two"
        f" operands, `and`, `or`, `not`. Constants: {', '.join(f'`{name}` = {value:.6g}' for name, value in CONSTANTS.items())}.\n\n"
        "| function | result | description |\n|---|---|---|\n",
        *(f"| `{_call(name)}` | {function.gives} | {function.meaning} |\n" for name, function in FUNCTIONS.items()),
    ]
    return INTRODUCTION + "".join(parts)


def _section(analysis: Analysis) -> str:
    curves = f"\nCurves: {', '.join(f'`{name}`' for name in analysis.curves)}.\n" if analysis.curves else ""
    rate = f" Needs {analysis.rate:g} rows per second." if analysis.rate > METRICS_RATE else ""
    return (
        f"\n## `{analysis.name}`\n\n{analysis.meaning[0].upper()}{analysis.meaning[1:]}.{rate}\n\n"
        f"| metric | unit | description | mark |\n|---|---|---|---|\n{''.join(_rows(analysis.metrics))}{curves}"
    )


def _rows(metrics: Iterable[AnalysisMetric]) -> Iterable[str]:
    for metric in metrics:
        unit = SHOWN.get(metric.written, metric.written) or metric.unit
        yield f"| `{metric.name}` | {unit} | {metric.meaning} | {metric.mark} |\n"


def _call(name: str) -> str:
    function = FUNCTIONS[name]
    n = len(function.accepts) - function.optional
    words = [*function.accepts[:n], *(f"[{word}]" for word in function.accepts[n:]), *(["..."] if function.many else [])]
    return f"{name}({', '.join(words)})"
