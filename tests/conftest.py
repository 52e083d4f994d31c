"""Settings of all tests: no time limit on examples, the same examples on every machine, and the groups that run in parallel."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

settings.register_profile("jounce", deadline=None, derandomize=True)
settings.load_profile("jounce")

# a shell that starts the tests in the background, or with nohup, ignores INT and HUP for all their processes
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

BY_THE_CLOCK = {
    *("test_live.py", "test_signals.py", "test_window_gone.py", "test_terminal.py", "test_failing_parts.py"),
    *(
        "test_platform_process.py",
        "test_virtual_platform.py",
        "test_survival.py",
        "test_view_supervisor.py",
        "test_drive_lock.py",
        "test_window.py",
    ),
    *("test_plugins_on_the_command_line.py", "test_parameters_in_sessions.py", "test_previews.py", "test_engine.py"),
}
"""Files whose tests run several processes in real time. One of these files runs at a time."""

FAST = {
    "api": ("test_public_names.py", "test_simulation.py"),
    "contact": ("test_narrow_phase.py",),
    "driver": ("test_device_profiles.py", "test_human_driver.py", "test_shaping.py"),
    "drivetrain": ("test_driveline.py", "test_drivetrain_files.py", "test_engine_and_converter.py", "test_gearbox.py"),
    "end_to_end": ("test_clock.py", "test_json_text.py", "test_signs.py"),
    "files": ("test_units_in_keys.py",),
    "fitting": ("test_model.py", "test_search.py"),
    "laws": (
        "test_integrators.py",
        "test_mirror.py",
        "test_momentum.py",
        "test_pitman_arm.py",
        "test_recorded_states.py",
        "test_struts.py",
    ),
    "maneuvers": ("test_course.py", "test_metrics.py", "test_path.py"),
    "motion": ("test_packets.py", "test_platform.py", "test_stream.py"),
    "oracles": ("test_five_link.py", "test_known_mechanisms.py"),
    "plugins": ("test_registry.py",),
    "report": ("test_page.py",),
    "sensors": ("test_imu.py",),
    "sweep": ("test_journal.py",),
    "telemetry": ("test_log.py", "test_writer.py"),
    "terrain": ("test_terrain_heightmap.py", "test_terrain_load.py", "test_terrain_soil.py", "test_terrain_surface.py"),
    "tires": ("test_soil_wheel.py", "test_standstill.py", "test_tire_file.py", "test_tmeasy.py"),
    "tools": ("test_scores.py", "test_vestibular.py"),
    "validation": ("test_compare.py", "test_history.py", "test_matrix.py", "test_published.py", "test_validation.py"),
    "view": ("test_camera.py", "test_layout.py", "test_meshes.py", "test_messages.py"),
}
"""Files of `make fast` by folder, at least one quick file of each folder. Slow tests in these files have the mark `slow`."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file is run by one process, and all files of BY_THE_CLOCK by one."""
    for item in items:
        name = item.path.name
        if name in BY_THE_CLOCK:
            item.add_marker(pytest.mark.clock)
        if name in FAST.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.fast)
        item.add_marker(pytest.mark.xdist_group("by the clock" if name in BY_THE_CLOCK else str(item.path)))
