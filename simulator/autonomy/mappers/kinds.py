"""Registry of mappers, by the `type` in the section `mapper`: built-in mappers and plugin mappers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.fields import Choice, Either, Field, Fields, Number, Variants
from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.autonomy.contract import MapperKind

DEFAULT = "truth"
PERIOD = Number("s", 0.02, 10.0)
"""Period of a mapper or planner."""
MAPPER_KINDS: Registry[MapperKind] = Registry(
    "mapper",
    "jounce.mappers",
    {DEFAULT: "simulator.autonomy.mappers.truth:KIND", "lidar": "simulator.autonomy.mappers.lidar:KIND"},
    contract="simulator.autonomy.contract",
)


def mapper_fields(name: str) -> Fields:
    """Return the keys of the parameters of a mapper. Raises JounceError when it cannot be loaded."""
    return MAPPER_KINDS.need(name).parameters


_COMMON = (Field("period", PERIOD, "time between two maps, a multiple of 0.01 s; default: that of the type", None, written="s"),)
MAPPER = Either((Choice(MAPPER_KINDS.names), Variants("type", mapper_fields, MAPPER_KINDS.names, "kind of mapper", _COMMON, DEFAULT)))
"""Field type of a section `mapper`: a name, or a mapping of `type` and its own keys."""
register = MAPPER_KINDS.add
"""Register a kind of mapper."""
