"""The page of metrics in the file reference: usual metrics, those of the analyses, functions of expressions; out of their tables."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.base.units import SHOWN
from simulator.maneuvers.analyses.contract import Analysis
from simulator.maneuvers.analyses.contract import Metric as Found
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.expressions import CONSTANTS, FUNCTIONS
from simulator.maneuvers.metrics import METRICS, METRICS_RATE

INTRODUCTION = """# Metrics

What a drive is judged by, out of the tables of the code; how to ask for it: [metrics.md](../metrics.md). The unit is that in which a metric is
shown where a file says nothing; a limit may be in any unit of the same kind ([units.md](units.md)). **No claim of conformity**: marks say where a
definition comes from; with [mem] the text of the standard itself was not read, [calc] is a definition of ours, [prop] a proposal.
"""


def metrics_page() -> str:
    """The page, without the note at its end."""
    usual = "".join(f"| `{one.name}` | {one.unit} | {one.needs or 'every drive'} | {one.meaning} |\n" for one in METRICS)
    parts = [
        f"\n## Of every drive\n\n| metric | unit | of | what it is |\n|---|---|---|---|\n{usual}",
        *(_section(analysis) for analysis in ANALYSES.values()),
        "\n## Functions of expressions\n\n`type: expression` has no metrics but its own. Operators: `+ - * / **`, `< <= > >= == !=` between two, `and`, `or`,"
        f" `not`. Constants: {', '.join(f'`{name}` = {value:.6g}' for name, value in CONSTANTS.items())}.\n\n"
        "| function | gives | what it is |\n|---|---|---|\n",
        *(f"| `{_call(name)}` | {function.gives} | {function.meaning} |\n" for name, function in FUNCTIONS.items()),
    ]
    return INTRODUCTION + "".join(parts)


def _section(analysis: Analysis) -> str:
    curves = f"\nCurves: {', '.join(f'`{name}`' for name in analysis.curves)}.\n" if analysis.curves else ""
    rate = f" Needs {analysis.rate:g} rows per second." if analysis.rate > METRICS_RATE else ""
    return (
        f"\n## `{analysis.name}`\n\n{analysis.meaning[0].upper()}{analysis.meaning[1:]}.{rate}\n\n"
        f"| metric | unit | what it is | mark |\n|---|---|---|---|\n{''.join(_rows(analysis.metrics))}{curves}"
    )


def _rows(metrics: Iterable[Found]) -> Iterable[str]:
    for metric in metrics:
        unit = SHOWN.get(metric.written, metric.written) or metric.unit
        yield f"| `{metric.name}` | {unit} | {metric.meaning} | {metric.mark} |\n"


def _call(name: str) -> str:
    function = FUNCTIONS[name]
    n = len(function.accepts) - function.optional
    words = [*function.accepts[:n], *(f"[{word}]" for word in function.accepts[n:]), *(["..."] if function.many else [])]
    return f"{name}({', '.join(words)})"
