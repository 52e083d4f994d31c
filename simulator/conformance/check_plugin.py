"""`check_plugin`: the conformance suite of a kind, selected by its registry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from simulator.base.errors import JounceError
from simulator.base.registry import Registry, load_attribute
from simulator.conformance.findings import Finding, Findings, PluginError


class Suite(NamedTuple):
    """Conformance suite of the kinds of one registry. Modules are imported when a kind is checked."""

    kind: str
    """Class of the kinds: module:name."""
    registry: str
    """Registry of the kinds, or a mapping by name of kinds that no plugin adds."""
    check: str
    """Function (kind, findings, example) that runs the checks."""


SUITES: dict[str, Suite] = {
    "axles": Suite(
        "vehicles.suspension.axle_section:Axle", "vehicles.suspension.kinds:AXLE_KINDS", "simulator.conformance.axles:check_axle"
    ),
    "steering": Suite(
        "vehicles.steering.contract:SteeringKind", "vehicles.steering.kinds:STEERING_KINDS", "simulator.conformance.steering:check_steering"
    ),
    "drivetrain_kinds": Suite(
        "vehicles.drivetrain.contract:DrivetrainKind",
        "vehicles.drivetrain.kinds:DRIVETRAIN_KINDS",
        "simulator.conformance.drivetrains:check_drivetrain",
    ),
    "plots": Suite(
        "simulator.maneuvers.plots.contract:PlotKind",
        "simulator.maneuvers.plots.kinds:PLOT_KINDS",
        "simulator.conformance.plots:check_plot",
    ),
    "tire_models": Suite(
        "vehicles.tires.contract:TireModelKind",
        "vehicles.tires.kinds:TIRE_MODEL_KINDS",
        "simulator.conformance.tire_models:check_tire_model",
    ),
    "controllers": Suite(
        "vehicles.controllers.contract:ControllerKind",
        "vehicles.controllers.kinds:CONTROLLER_KINDS",
        "simulator.conformance.controllers:check_controller",
    ),
    "terrain_types": Suite("terrain.kinds:TerrainKind", "terrain.kinds:TERRAIN_KINDS", "simulator.conformance.terrains:check_terrain_type"),
    "object_generators": Suite(
        "terrain.objects.kinds:ObjectGeneratorKind",
        "terrain.objects.kinds:OBJECT_GENERATOR_KINDS",
        "simulator.conformance.object_generators:check_object_generator",
    ),
    "shapes": Suite(
        "terrain.objects.shapes:ShapeKind",
        "terrain.objects.shape_kinds:SHAPE_KINDS",
        "simulator.conformance.object_generators:check_shape",
    ),
    "elevation_formats": Suite(
        "terrain.readers.kinds:ElevationFormatKind",
        "terrain.readers.kinds:ELEVATION_FORMAT_KINDS",
        "simulator.conformance.terrains:check_elevation_format",
    ),
    "washout_algorithms": Suite(
        "washout.contract:WashoutKind", "washout.kinds:WASHOUT_KINDS", "simulator.conformance.washouts:check_washout"
    ),
    "sensors": Suite(
        "simulator.sensors.contract:SensorKind", "simulator.sensors.kinds:SENSOR_KINDS", "simulator.conformance.sensors:check_sensor"
    ),
    "outlets": Suite(
        "simulator.outlets.contract:OutletKind", "simulator.outlets.kinds:OUTLET_KINDS", "simulator.conformance.outlets:check_outlet"
    ),
    "protocols": Suite(
        "simulator.motion.protocols.contract:ProtocolKind",
        "simulator.motion.protocols.kinds:PROTOCOL_KINDS",
        "simulator.conformance.protocols:check_protocol",
    ),
    "drivers": Suite(
        "simulator.driver.contract:DriverKind", "simulator.driver.kinds:DRIVER_KINDS", "simulator.conformance.drivers:check_driver"
    ),
    "faults": Suite(
        "simulator.faults.contract:FaultKind", "simulator.faults.kinds:FAULT_KINDS", "simulator.conformance.faults:check_fault"
    ),
    "mappers": Suite(
        "simulator.autonomy.contract:MapperKind",
        "simulator.autonomy.mappers.kinds:MAPPER_KINDS",
        "simulator.conformance.autonomy:check_mapper",
    ),
    "planners": Suite(
        "simulator.autonomy.contract:PlannerKind",
        "simulator.autonomy.planners.kinds:PLANNER_KINDS",
        "simulator.conformance.autonomy:check_planner",
    ),
    "input_sources": Suite(
        "simulator.driver.input_devices.contract:InputSourceKind",
        "simulator.driver.input_devices.kinds:INPUT_SOURCE_KINDS",
        "simulator.conformance.drivers:check_input_source",
    ),
    "steering_laws": Suite(
        "simulator.driver.steering.kinds:Law", "simulator.driver.steering.kinds:LAWS", "simulator.conformance.steering_laws:check_law"
    ),
}
"""Suite by name of the registry in `jounce list`; `steering_laws` are those of the driver along a path."""

_NO_EXAMPLE: Mapping[str, Any] = MappingProxyType({})


def check_plugin(kind: Any, example: Mapping[str, Any] = _NO_EXAMPLE) -> tuple[Finding, ...]:
    """Check that a registered kind satisfies the contract of its registry, and return the findings: name of the check, outcome, message.

    Parameters
    ----------
    kind : object that the plugin registers, such as a SensorKind or a subclass of Axle
    example : keys of the kind as in a file, for required keys whose generated values do not fit together

    Raises
    ------
    PluginError : the kind failed a check; its text has one line for each failure
    JounceError : not a kind of a registry
    """
    suite = _suite_of(kind)
    registry: Registry[Any] | Mapping[str, Any] = load_attribute(suite.registry)
    noun, names = (registry.noun, registry.names()) if isinstance(registry, Registry) else ("steering controller", tuple(registry))
    name = next((name for name in names if registry.get(name) is kind), "")
    findings = Findings(f"{noun} {name or getattr(kind, 'name', '') or kind.__name__}")
    with findings.check("registration") as check:
        if not name:
            check.warn("not registered; call `register` of its registry when the plugin is imported")
        if not _meaning_of(kind):
            check.warn("no description for `jounce list`; set `meaning`; for an axle, write a docstring")
    if isinstance(registry, Registry):
        with findings.check("contract") as check:
            try:
                registry.check(name or getattr(kind, "name", "") or kind.__name__, kind)
            except JounceError as error:
                check.fail(str(error))
    if not findings.failed:  # a kind for another contract cannot be called
        check_kind = load_attribute(suite.check)
        findings = findings.run(lambda: check_kind(kind, findings, example))
    if findings.failed:
        raise PluginError(findings.kind, tuple(findings.found))
    return tuple(findings.found)


def _suite_of(kind: Any) -> Suite:
    """Return the suite of a kind. Raises JounceError."""
    bases = {f"{base.__module__}:{base.__qualname__}" for base in (kind if isinstance(kind, type) else type(kind)).__mro__}
    for suite in SUITES.values():
        if suite.kind in bases:
            return suite
    raise JounceError(f"not a kind of a registry; expected an object such as a SensorKind; got {type(kind).__name__}")


def _meaning_of(kind: Any) -> str:
    """Return the description of a kind for lists."""
    return getattr(kind, "meaning", "") or (kind.__doc__ or "" if isinstance(kind, type) else "")
