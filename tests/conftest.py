"""Settings of all tests: no time limit on examples, the same examples on every machine, and the groups that run in parallel."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sampling import VARIABLE, provide_seed

settings.register_profile("jounce", deadline=None, derandomize=True)
settings.load_profile("jounce")

# a shell that starts the tests in the background, or with nohup, ignores INT and HUP for all their processes
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

BY_THE_CLOCK = {
    *("test_live.py", "test_signals.py", "test_window_gone.py", "test_platform_process.py", "test_virtual_platform.py"),
    *("test_window.py", "test_start_screen_window.py", "test_drive_lock.py", "test_engine.py", "test_port_in_real_time.py"),
    *("test_console_process.py", "test_operator_drive.py", "test_hostile_clients.py", "test_finished_run_console.py"),
    *("test_sound_process.py", "test_sound_drive.py"),
    *("test_stop_bench.py", "test_course_results.py"),
}
"""Files whose tests run several processes in real time, or look at what all drives of a user share. One of these files runs at a time."""

CLOCK_GROUP = "by the clock"
FAILED = "jounce/failed"
"""Entry of the cache of pytest with the tests that failed."""

SIX_WHEELS = {"test_axle_numbers.py", "test_steered_axles.py", "test_examples_of_pages.py", "test_driver_traits.py"}
"""Files that compile the step of a vehicle with six wheels. One process runs them; a second one would wait for the compiler."""

LONG = {
    *("test_broken_files.py", "test_library.py", "test_failing_parts.py", "test_platform_joins.py", "test_terminal.py", "test_examples.py"),
    *("test_batch.py", "test_schemas.py", "test_formulations_on_known_mechanisms.py", "test_mechanism_axle.py", "test_previews.py"),
    *("test_plugins_on_the_command_line.py", "test_frames.py", "test_kernel_code.py", "test_parameters_in_sessions.py"),
}
"""Files of half a minute and more. They come before the others, so that no process runs one of them alone at the end."""

FAST = {
    "assistance": ("test_prediction.py",),
    "api": ("test_simulation.py",),
    "autonomy": ("test_obstacle_map.py", "test_planners.py"),
    "console": ("test_console_addresses.py", "test_console_pages.py", "test_operator_watch.py", "test_recorded_run.py"),
    "contact": ("test_narrow_phase.py",),
    "driver": ("test_device_profiles.py", "test_human_driver.py", "test_shaping.py"),
    "drivetrain": ("test_driveline.py", "test_drivetrain_files.py", "test_engine_and_converter.py", "test_gearbox.py"),
    "end_to_end": ("test_clock.py", "test_json_text.py"),
    "events": ("test_event_commands.py", "test_replay_player.py"),
    "exports": ("test_exports.py",),
    "faults": ("test_fault_files.py",),
    "files": ("test_units_in_keys.py",),
    "fitting": ("test_model.py", "test_search.py"),
    "fleet": ("test_fleet_calls.py",),
    "fmi": ("test_descriptions.py",),
    "imports": ("test_opendrive_geometry.py",),
    "laws": (
        "test_integrators.py",
        "test_mirror.py",
        "test_momentum.py",
        "test_pitman_arm.py",
        "test_recorded_states.py",
        "test_struts.py",
    ),
    "learning": ("test_environments.py",),
    "maneuvers": ("test_course.py", "test_metrics.py", "test_path.py"),
    "motion": ("test_packets.py", "test_platform.py", "test_stream.py"),
    "oracles": ("test_five_link.py", "test_known_mechanisms.py"),
    "plugins": ("test_outlet_events.py", "test_registry.py"),
    "port": ("test_port_messages.py", "test_port_links.py"),
    "report": ("test_page.py",),
    "ros2": ("test_type_hash.py",),
    "scores": ("test_score_rows.py",),
    "sensors": ("test_image_files.py", "test_imu.py"),
    "sound": ("test_glitches.py",),
    "sweep": ("test_journal.py",),
    "telemetry": ("test_event_file.py", "test_log.py", "test_replay_columns.py", "test_sensor_file_repair.py", "test_writer.py"),
    "terrain": ("test_terrain_heightmap.py", "test_terrain_load.py", "test_terrain_soil.py", "test_terrain_surface.py"),
    "tires": ("test_soil_wheel.py", "test_standstill.py", "test_tire_file.py", "test_tmeasy.py"),
    "tools": ("test_scores.py", "test_vestibular.py"),
    "traffic": ("test_traffic.py",),
    "triggers": ("test_bodies.py",),
    "validation": ("test_compare.py", "test_history.py", "test_matrix.py", "test_published.py", "test_validation.py"),
    "view": ("test_camera.py", "test_layout.py", "test_meshes.py", "test_messages.py", "test_timeline.py"),
}
"""Files of `make fast` by folder, at least one quick file of each folder. Slow tests in these files have the mark `slow`."""


def pytest_configure(config: pytest.Config) -> None:
    """All processes of a test run take the same sample; the first one saves what failed."""
    provide_seed()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))


def pytest_report_header() -> str:
    """Line at the begin of the tests."""
    return f"sample of broken files: {VARIABLE}={provide_seed()}"


class Failures:
    """Saves the names of the failed tests of a run for `tests/rerun_clock.py`; none if the run ended in another way."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._names: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of a failed test."""
        if report.failed:
            self._names[report.nodeid] = None

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Save the names."""
        cache = getattr(self._config, "cache", None)  # missing with the option -p no:cacheprovider
        if cache is not None:
            cache.set(FAILED, list(self._names) if exitstatus == pytest.ExitCode.TESTS_FAILED else [])


@pytest.hookimpl(tryfirst=True)  # before pytest omits tests by their marks, and before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file is run by one process, as are all files of BY_THE_CLOCK and of SIX_WHEELS. The mark `full` needs a reason."""
    for item in items:
        name = item.path.name
        if name in BY_THE_CLOCK:
            item.add_marker(pytest.mark.clock)
        if name in FAST.get(item.path.parent.name, ()):
            item.add_marker(pytest.mark.fast)
        for mark in item.iter_markers("full"):
            if not has_reason(mark):
                raise pytest.UsageError(f'{item.nodeid}: the mark has no reason; write @pytest.mark.full("the fault that only it finds")')
        item.add_marker(pytest.mark.xdist_group(group_of(item.path)))
    items.sort(key=lambda item: order_of(item.path.name))


def has_reason(mark: pytest.Mark) -> bool:
    """Return whether a mark `full` says in words which fault only its test finds."""
    return len(mark.args) == 1 and isinstance(mark.args[0], str) and len(mark.args[0].split()) > 3


def group_of(file: Path) -> str:
    """Name of the tests that one process runs."""
    return CLOCK_GROUP if file.name in BY_THE_CLOCK else "six wheels" if file.name in SIX_WHEELS else str(file)


def order_of(name: str) -> int:
    """Files that take long come first."""
    return 0 if name in BY_THE_CLOCK else 1 if name in SIX_WHEELS else 2 if name in LONG else 3
