"""Keys of the section `outlets.ros2` of a session, and of the driver `ros2`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Flag, Named, Number, Text
from simulator.ros2.dds import LOOPBACK, MAX_DOMAIN, TOPIC, is_topic, usual_domain

MAP_RATE, OBJECTS_RATE = 1.0, 5.0
"""Hz."""
DOMAIN = Field("domain", Number("1", 0, MAX_DOMAIN, whole=True), "domain (default: ROS_DOMAIN_ID, else 0)", None)
OWN_DOMAIN = replace(DOMAIN, kind=Either((DOMAIN.kind,)))
"""Domain of a driver, among its values that are no numbers."""
INTERFACE = Field(
    "interface",
    Text("the name or address of a network interface", r"\A[A-Za-z0-9_.:@%-]+\Z"),
    "network interface; the loopback reaches this machine only",
    LOOPBACK,
)
TOPIC_NAME = Text("the name of a topic such as /points: /, letters, digits, _", TOPIC)
FIELDS = (
    Field("on", Flag(), "true: the session publishes topics", True),
    DOMAIN,
    INTERFACE,
    Field(
        "rate",
        Number("Hz", 1.0, 1000.0),
        "rate of /clock, /tf, /odom and /joint_states; upper limit of the others but those of sensors",
        100.0,
    ),
    Field("map_rate", Number("Hz", 0.0, 50.0), "rate of /map; 0: not published", MAP_RATE),
    Field("objects_rate", Number("Hz", 0.0, 50.0), "rate of /objects; 0: not published", OBJECTS_RATE),
    Field("truth", Flag(), "true: publishes /odom and the transform from odom to base_link, from the true motion", True),
    Field(
        "reliability",
        Choice(("best_effort", "reliable")),
        "of the topics of sensors; `best_effort` is that of SensorDataQoS",
        "best_effort",
    ),
    Field(
        "topics",
        Named(TOPIC_NAME),
        "names of topics by their usual names, such as `/lidar/points: /points`",
        None,
    ),
)


def own_domain(values: Mapping[str, Any]) -> int:
    """Return the domain among the values of a section or driver. Raises JounceError: that of the environment is none."""
    return int(values["domain"]) if "domain" in values else usual_domain()


@dataclass(frozen=True)
class Ros2Options:
    """Section `outlets.ros2`."""

    domain: int = 0
    interface: str = LOOPBACK
    rate: float = 100.0
    map_rate: float = MAP_RATE
    objects_rate: float = OBJECTS_RATE
    truth: bool = True
    reliable: bool = False
    topics: Mapping[str, str] = field(default_factory=dict)
    """Names of topics by their usual names."""

    @staticmethod
    def of(values: Mapping[str, Any], file: object) -> Ros2Options | None:
        """Return the options of a section that was read with FIELDS; None: nothing is published. Raises ConfigError."""
        if not values["on"]:
            return None
        topics = dict(values.get("topics") or {})
        for usual, name in topics.items():
            for one in (usual, name):
                if not is_topic(one):
                    raise ConfigError(file, f"outlets.ros2.topics.{usual}", name, f"names of topics; {TOPIC_NAME.expected}")
            if list(topics.values()).count(name) > 1:
                raise ConfigError(file, f"outlets.ros2.topics.{usual}", name, "a different name for each topic")
        return Ros2Options(
            own_domain(values), values["interface"], values["rate"], values["map_rate"], values["objects_rate"], values["truth"],
            values["reliability"] == "reliable", topics,
        )  # fmt: skip
