"""Checks of each kind of file, for `jounce check`: read a file and the files that it names. Each loads the modules of its kind.

A check raises ConfigError, or JounceError for a file that no run accepts. Remarks are probable mistakes in the result of a check, a line each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHECK_PLATFORM = "small_hexapod"
"""Platform for the check of a washout."""


def _content(folder: str, file: str) -> Any:
    """Return the content of a file merged into its base."""
    from simulator.configuration.layers import read_layers

    return read_layers(folder, file).content


def check_vehicle(file: str) -> Any:
    """Return the vehicle."""
    from simulator.builder.named_parts import build_vehicle

    return build_vehicle(file)


def vehicle_remarks(vehicle: Any) -> list[str]:
    """Return contradictions of controllers, and implausible values at rest."""
    from simulator.validation.datasheet.plausibility import plausibility_remarks
    from vehicles.controllers.vehicle_agreement import controller_remarks

    return [*controller_remarks(vehicle), *plausibility_remarks(vehicle)]


def check_drivetrain(file: str) -> Any:
    """Return drivetrain and brakes."""
    from vehicles.drivetrain.drivetrain_file import axles_in, read_parts

    content = _content("drivetrains", file)
    return read_parts(content, file, axles_in(content))


def check_tire(file: str) -> Any:
    """Return the tire."""
    from simulator.builder.named_parts import build_tire

    return build_tire(file)


def check_terrain(file: str) -> Any:
    """Return the ground."""
    from simulator.builder.named_parts import build_ground

    return build_ground(file)


def terrain_remarks(ground: Any) -> list[str]:
    """Return mistakes in the placement of objects."""
    from terrain.objects.placement import placement_remarks

    return placement_remarks(ground)


def check_soil(file: str) -> Any:
    """Return the soil."""
    from terrain.soil import soil

    return soil(_content("soils", file), file)


def check_maneuver(file: str) -> Any:
    """Return the maneuver."""
    from simulator.builder.builder import build_maneuver

    return build_maneuver(file)


def check_series(file: str) -> Any:
    """Return the series."""
    from simulator.run.series import load_series

    return load_series(file)


def check_sweep(file: str) -> Any:
    """Return the sweep."""
    from simulator.sweep.load_sweep import load_sweep

    return load_sweep(file)


def check_datasheet(file: str) -> Any:
    """Return the published values."""
    from simulator.validation.datasheet.published_file import load_published

    return load_published(file)


def check_fit(file: str) -> Any:
    """Return the fit."""
    from simulator.fitting import fit_check

    return fit_check.check_fit(file)


def check_optimization(file: str) -> Any:
    """Return the optimization."""
    from simulator.fitting.optimization_file import read_optimization

    return read_optimization(file)


def check_platform(file: str) -> Any:
    """Return the platform."""
    from simulator.builder.builder import build_platform

    return build_platform(file)


def check_washout(file: str) -> Any:
    """Return the cueing with this washout on CHECK_PLATFORM."""
    from simulator.builder.builder import build_cueing

    return build_cueing(file, CHECK_PLATFORM, 1e-3)


def check_comparison(file: str) -> Any:
    """Return the comparison."""
    from simulator.validation.compare.comparison_file import load_comparison

    return load_comparison(file)


def check_device(file: str) -> Any:
    """Return the device profile."""
    from simulator.driver.input_devices.device_profiles import load_profile

    return load_profile(Path(file))


def check_settings(file: str) -> Any:
    """Return the settings."""
    from simulator.configuration.file_lookup import find_config
    from simulator.view.user_settings import load_settings

    return load_settings(find_config("settings", file))


def check_displays(file: str) -> Any:
    """Return the screens."""
    from simulator.view.displays import load_displays

    return load_displays(Path(file))


def check_session(file: str) -> Any:
    """Return the parts of a session whose vehicle stands on its terrain, and whose sensors can be created."""
    from simulator.base.errors import ErrorCollector
    from simulator.builder.builder import build
    from simulator.configuration.configuration import configuration

    parts = build(configuration(file), check_step=False)
    with ErrorCollector() as errors:
        with errors.part():
            parts.check_equilibrium()
        with errors.part():
            for sensor in parts.new_sensors():
                sensor.close()
    return parts


def session_remarks(parts: Any) -> list[str]:
    """Return mistakes in the placement of objects, and vehicles that take long to compile."""
    size = parts.vehicle.size
    apart = [one.options.name for one in parts.others if one.vehicle.size != size]
    layouts = (
        f"vehicles with other numbers of axles or wheels than the first one: {', '.join(apart)}; each number compiles once, for a minute"
    )
    return [*terrain_remarks(parts.ground), *([layouts] if apart else [])]


def check_mechanism(file: str) -> Any:
    """Return mechanism and initial state."""
    from simulator.builder.named_parts import load_mechanism

    return load_mechanism(file)
