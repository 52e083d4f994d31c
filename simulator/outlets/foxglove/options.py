"""Keys of the section `outlets.foxglove` of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.addresses import LOOPBACK
from simulator.base.fields import Field, Flag, Number, Text

PORT = 8765
"""Port at which the apps look by default."""
FIELDS = (
    Field("on", Flag(), "true: the session serves Foxglove", True),
    Field(
        "host",
        Text("a name or address", r"\A[A-Za-z0-9_.:%-]+\Z"),
        "address of this machine; the loopback reaches this machine only",
        LOOPBACK,
    ),
    Field("port", Number("1", 0, 65535, whole=True), "port; 0: any free one", PORT),
    Field("rate", Number("Hz", 1.0, 1000.0), "rate of /clock, /tf, /odom and /joint_states", 50.0),
)


@dataclass(frozen=True)
class FoxgloveOptions:
    """Section `outlets.foxglove`."""

    host: str = LOOPBACK
    port: int = PORT
    rate: float = 50.0

    @staticmethod
    def of(values: Mapping[str, Any]) -> FoxgloveOptions | None:
        """Return the options of a section that was read with FIELDS; None: no server."""
        return FoxgloveOptions(values["host"], int(values["port"]), values["rate"]) if values["on"] else None
