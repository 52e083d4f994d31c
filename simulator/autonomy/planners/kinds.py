"""Registry of planners, by the `type` in the section `planner`: built-in planners and plugin planners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.autonomy.mappers.kinds import PERIOD
from simulator.base.fields import Choice, Either, Field, Fields, Number, Variants
from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.autonomy.contract import PlannerKind

DEFAULT, LANES = "arc", "lanes"
"""Names of the usual planners, without and with a route."""
PLANNER_KINDS: Registry[PlannerKind] = Registry(
    "planner",
    "jounce.planners",
    {
        DEFAULT: "simulator.autonomy.planners.arc:KIND",
        "a_star": "simulator.autonomy.planners.a_star:KIND",
        "hybrid_a_star": "simulator.autonomy.planners.hybrid_a_star:KIND",
        "mppi": "simulator.autonomy.planners.mppi:KIND",
        LANES: "simulator.autonomy.planners.lanes:KIND",
        "pid": "simulator.autonomy.planners.pid:KIND",
    },
    contract="simulator.autonomy.contract",
)


def planner_fields(name: str) -> Fields:
    """Return the keys of the parameters of a planner. Raises JounceError when it cannot be loaded."""
    return PLANNER_KINDS.need(name).parameters


_COMMON = (
    Field("period", PERIOD, "time between two plans, a multiple of 0.01 s; default: that of the type", None, written="s"),
    Field(
        "speed",
        Number("m/s", 0.1, 60.0),
        "requested speed; the path may demand less; default: 5 m/s, for `lanes` their speed limits",
        None,
        written="mps",
    ),
    Field("margin", Number("m", 0.0, 10.0), "requested distance to obstacles", 0.4, written="m"),
)
PLANNER = Either((Choice(PLANNER_KINDS.names), Variants("type", planner_fields, PLANNER_KINDS.names, "kind of planner", _COMMON, DEFAULT)))
"""Field type of a section `planner`: a name, or a mapping of `type` and its own keys."""
register = PLANNER_KINDS.add
"""Register a kind of planner."""
