"""Modules and classes that plugins of version 0.2 import: the old names work until version 0.4, each with one warning.

The package `simulator` installs the import hook for the modules. A module that keeps its place, but not its names, calls `old_names`.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from simulator.base.errors import DeprecatedNameWarning

MODULES: Mapping[str, tuple[str, ...]] = {
    "simulator.base.outside": ("simulator.base.callbacks",),
    "simulator.base.tenants": ("simulator.base.registry",),
    "simulator.base.frames": ("simulator.base.rotations",),
    "simulator.base.aside": ("simulator.base.plugin_thread",),
    "simulator.base.words": ("simulator.base.suggestions",),
    "simulator.base.yamlfile": ("simulator.base.yaml_reader", "simulator.base.yaml_loader"),
    "simulator.base.arrayfile": ("simulator.base.npy_reader",),
    "simulator.base.section": ("simulator.base.section_of_0_2",),
    "simulator.base.algebra.dense": ("simulator.base.algebra.linear_solve",),
    "simulator.base.algebra.piecewise": ("simulator.base.algebra.piecewise_linear",),
    "simulator.base.algebra.single_vectors": ("simulator.base.algebra.array_vectors",),
    "simulator.build": ("simulator.builder.builder",),
    "simulator.configured_vehicle": ("simulator.builder.vehicle_builder",),
    "simulator.outlet_kind": ("simulator.outlets.contract", "simulator.outlets.kinds"),
    "simulator.driver.driver_kind": ("simulator.driver.contract",),
    "simulator.driver.drivers": ("simulator.driver.kinds",),
    "simulator.driver.source": ("simulator.driver.input_devices.contract",),
    "simulator.driver.sources": ("simulator.driver.input_devices.kinds",),
    "simulator.driver.profiles": ("simulator.driver.input_devices.device_profiles",),
    "simulator.motion.protocol": ("simulator.motion.protocols.contract",),
    "simulator.lab.cueing.omct": ("simulator.tools.cueing.omct",),
    "simulator.lab.cueing.drive": ("simulator.tools.cueing.recorded_drives",),
    "simulator.library.simulation": ("simulator.api.simulation",),
    "simulator.library.batch": ("simulator.api.batch",),
    "simulator.record.log": ("simulator.telemetry.log",),
    "simulator.record.channels": ("simulator.telemetry.channels",),
    "terrain.surface": ("terrain.ground", "terrain.base_grid"),
    "terrain.load": ("terrain.load_terrain",),
    "terrain.composed": ("terrain.composite_height",),
    "terrain.landscape": ("terrain.heightmap",),
    "terrain.generate": ("terrain.heightmap_detail",),
    "terrain.air": ("terrain.wind",),
    "terrain.readers.table": ("terrain.readers.kinds",),
    "terrain.readers.source": ("terrain.readers.contract",),
    "terrain.readers.asked": ("terrain.readers.request",),
    "vehicles.axles": ("vehicles.axle_layout",),
    "vehicles.sides": ("vehicles.corner_layout",),
    "vehicles.held": ("vehicles.ode_system",),
    "vehicles.stood": ("vehicles.equilibrium_cache",),
    "vehicles.travel": ("vehicles.travel_limits",),
    "vehicles.tires.tread_law": ("vehicles.tires.contract",),
    "vehicles.suspension.corner": ("vehicles.suspension.contract",),
    "vehicles.suspension.carrier": ("vehicles.suspension.wheel_carrier",),
    "vehicles.suspension.corner_sums": ("vehicles.suspension.composite_inertia",),
    "vehicles.suspension.ends": ("vehicles.suspension.hard_stops",),
    "vehicles.suspension.struts": ("vehicles.suspension.springs_and_dampers",),
    "vehicles.multibody.description.parts": ("vehicles.multibody.description.mechanism_builder",),
    "washout.tenant": ("washout.plugin",),
    "washout.felt": ("washout.perceived_motion",),
    "washout.procedure": ("washout.platform_state_machine",),
    "washout.foresight": ("washout.force_prediction",),
}
"""Old module, and the modules that have its names now."""

NAMES: Mapping[str, Mapping[str, str]] = {
    "simulator.base.algebra.vectors": {"six": "symmetric_matrix_at"},
    "simulator.base.callbacks": {"outside": "callback", "Outside": "CallbackKernel"},
    "simulator.base.registry": {"OURS": "BUILTIN", "Chosen": "KindChoice"},
    "simulator.base.plugin_thread": {"Aside": "PluginThread"},
    "simulator.builder.builder": {"Parts": "SessionParts"},
    "simulator.outlets.contract": {"Published": "OutletSample", "TenantOutlet": "PluginOutlet"},
    "simulator.outlets.kinds": {"OUTLETS": "OUTLET_KINDS"},
    "simulator.driver.kinds": {"DRIVERS": "DRIVER_KINDS"},
    "simulator.driver.input_devices.contract": {
        "SourceKind": "InputSourceKind",
        "Source": "InputSource",
        "Cabin": "InputContext",
    },
    "simulator.driver.input_devices.kinds": {"SOURCES": "INPUT_SOURCE_KINDS"},
    "simulator.motion.protocols.contract": {"Protocol": "ProtocolKind"},
    "simulator.motion.protocols.kinds": {"PROTOCOLS": "PROTOCOL_KINDS"},
    "simulator.tools.cueing.omct": {"Chained": "MotionChain"},
    "simulator.sensors.contract": {"Seen": "SensorInput"},
    "simulator.sensors.kinds": {"SENSORS": "SENSOR_KINDS"},
    "terrain.kinds": {"TERRAINS": "TERRAIN_KINDS"},
    "terrain.readers.kinds": {"HeightFormat": "ElevationFormatKind", "FORMATS": "ELEVATION_FORMAT_KINDS"},
    "terrain.readers.request": {"Asked": "ReadRequest", "Samples": "RasterSamples"},
    "terrain.readers.contract": {"Source": "ElevationSource"},
    "vehicles.axle_layout": {"Size": "AxleLayout"},
    "vehicles.controllers.contract": {"SEEN": "CONTROLLER_INPUT", "RESULT": "CONTROLLER_OUTPUT"},
    "vehicles.controllers.kinds": {"CONTROLLERS": "CONTROLLER_KINDS"},
    "vehicles.suspension.blocks": {"OutsideKind": "AxleCallbacks"},
    "vehicles.suspension.kinds": {"KINDS": "AXLE_KINDS"},
    "vehicles.tires.contract": {
        "TreadLaw": "TireModelKind",
        "Treads": "TireModels",
        "SEEN": "TIRE_INPUT",
        "RESULT": "TIRE_OUTPUT",
    },
    "vehicles.tires.kinds": {"LAWS": "TIRE_MODEL_KINDS"},
    "washout.contract": {"SEEN": "WASHOUT_INPUT", "RESULT": "WASHOUT_OUTPUT", "WashoutWorld": "WashoutContext"},
    "washout.kinds": {"WASHOUTS": "WASHOUT_KINDS"},
}
"""Old and new names of classes, functions and constants, by their present module."""


def old_names(module: str) -> Callable[[str], Any]:
    """Return a module's `__getattr__` that finds the module's old names; each gives a warning."""

    def __getattr__(name: str) -> Any:  # noqa: N807 (the name that Python calls)
        new = NAMES.get(module, {}).get(name)
        if new is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name}: deprecated; use {module}.{new}", DeprecatedNameWarning, stacklevel=2)
        return getattr(sys.modules[module], new)

    return __getattr__


class OldModules:
    """Import hook that finds old modules. A loaded old module takes its names from the present ones."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the specification of an old module, or of a package that only old modules are in; None for any other."""
        if name in MODULES:
            return ModuleSpec(name, self)  # type: ignore[arg-type]
        if any(old.startswith(f"{name}.") for old in MODULES):
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Warn, and let the module find the names of the present modules."""
        old = module.__name__
        if old not in MODULES:
            return
        news = [importlib.import_module(new) for new in MODULES[old]]
        warnings.warn(f"module {old}: deprecated; use {' and '.join(MODULES[old])}", DeprecatedNameWarning, stacklevel=2)

        def __getattr__(name: str) -> Any:  # noqa: N807 (the name that Python calls)
            for new in news:
                present = NAMES.get(new.__name__, {}).get(name, name)
                if present in vars(new):
                    return vars(new)[present]
            raise AttributeError(f"module {old!r} has no attribute {name!r}")

        module.__getattr__ = __getattr__  # type: ignore[method-assign]
        module.__all__ = sorted({name for new in news for name in vars(new) if not name.startswith("_")})  # type: ignore[attr-defined]
