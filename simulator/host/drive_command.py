"""`jounce drive` and `jounce stream`: options, summary and exit code of a drive."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simulator.base.addresses import parse_port
from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.signals import EndedBySignal
from simulator.clock import lateness_text
from simulator.configuration.configuration import Configuration
from simulator.configuration.from_arguments import session_of
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override, option
from simulator.configuration.session_file import THIS_MACHINE, read_session
from simulator.console.address import further_names, tls_of
from simulator.host.drive import DriveOptions, Host
from simulator.host.drive_console import ConsoleOptions
from simulator.host.event_script import EventScript, read_script
from simulator.host.next_run import overrides_of
from simulator.virtual_platform.platform import report as platform_report
from washout.limiter.limiter import interventions_text


def main_drive(arguments: Any, began: float) -> int:
    """Run `jounce drive`; return 0, or 1 when the platform reports lost packets or a leg out of limits."""
    view = "offscreen" if arguments.offscreen else "none" if arguments.no_view else None
    options = [
        *option("--driver", "driver", arguments.driver),
        *option(f"--{'offscreen' if arguments.offscreen else 'no-view'}", "outlets.view", view, is_flag=True),
        *option("--no-motion", "outlets.motion.on", False if arguments.no_motion else None, is_flag=True),
        *option("--sound", "outlets.sound.on", True if arguments.sound else None, is_flag=True),
        *option("--no-sound", "outlets.sound.on", False if arguments.no_sound else None, is_flag=True),
        *option("--volume", "outlets.sound.volume", arguments.volume),
        *option("--sound-device", "outlets.sound.device", arguments.sound_device),
    ]
    return _main(arguments, began, options)


def main_stream(arguments: Any, began: float) -> int:
    """Run `jounce stream`; return as `main_drive`."""
    here = "jounce stream"
    options = [
        Override(("outlets", "view"), "none", here),
        Override(("driver",), "scripted", here),
        Override(("outlets", "motion", "on"), True, here),
    ]
    return _main(arguments, began, options, to=THIS_MACHINE, progress=True)


def _main(arguments: Any, began: float, options: list[Override], to: str | None = None, progress: bool = False) -> int:
    """Run a drive with the options of the command line; `to` is the default address of the motion stream."""
    options += [
        *option("--maneuver", "maneuver", arguments.maneuver),
        *option("--duration", "duration", arguments.duration),
        *option("--protocol", "outlets.motion.protocol", arguments.protocol),
        *option("--rate", "outlets.motion.rate", arguments.rate),
        *option("--to", "outlets.motion.to", arguments.to),
        *option("--stream", "outlets.streams", arguments.stream),
    ]
    command = _Command(arguments, to, progress)
    out = asked = Path(arguments.out) if arguments.out else None
    host, code = command.drive(options, began, out)
    while (wanted := host.control.next_run) is not None:
        if host.session.platform_stopped:
            print_error("the next run does not begin, because the operator has stopped the platform")
            return max(code, 1)
        before, options, out = options, [*options, *overrides_of(wanted)], None if asked is None else _free(asked)
        try:
            host, one = command.drive(options, time.perf_counter(), out, host)
        except JounceError as error:
            print_error(f"the next run cannot begin: {error}; the session of before begins again")
            options = before
            host, one = command.drive(options, time.perf_counter(), out, host)
        code = max(code, one)
    return code


@dataclass(frozen=True)
class _Command:
    """Command line of one drive after the other."""

    arguments: Any
    to: str | None
    """Default address of the motion stream."""
    progress: bool

    def drive(self, options: list[Override], began: float, out: Path | None, before: Host | None = None) -> tuple[Host, int]:
        """Run a drive, after the drive `before`; return its host and its exit code. Raises JounceError, EndedBySignal."""
        configuration = self._configuration(options)
        arguments = self.arguments
        script = EventScript() if arguments.events is None or before is not None else read_script(Path(arguments.events))
        console = _console(arguments, configuration)
        if before is not None and console is not None and before.options.console is not None:
            console = replace(console, port=before.console.port or console.port, token=before.options.console.token)
        ghost = Path(arguments.ghost) if before is None and getattr(arguments, "ghost", None) else None
        waits = ghost is not None and arguments.ghost_start == "motion"
        drive = DriveOptions(
            configuration, out, began, progress=self.progress, script=script, console=console, ghost=ghost, ghost_waits=waits
        )
        host = Host(drive)
        summary = host.run()
        return host, report(host, summary)

    def _configuration(self, options: list[Override]) -> Configuration:
        arguments, to = self.arguments, self.to
        configuration = session_of(arguments, options)
        if to is not None and not configuration.has("outlets.motion.to"):
            here = Origin("jounce", is_file=False)
            if arguments.stream and not any(configuration.has(f"outlets.motion.{key}") for key in ("protocol", "rate")):
                configuration.put("outlets.motion.on", False, here)
            else:
                configuration.put("outlets.motion.to", to, here)
        return configuration


def _free(out: Path) -> Path:
    """Return a folder beside that of the first drive: its name with a number."""
    return next(one for n in itertools.count(2) if not (one := out.with_name(f"{out.name}_{n}")).exists())


def _console(arguments: Any, configuration: Configuration) -> ConsoleOptions | None:
    """Return the options of the console; None without one. Raises JounceError."""
    if arguments.console is None:
        for option_name, given in (("--tls", arguments.tls), ("--console-host", arguments.console_host)):
            if given:
                raise JounceError(f"{option_name} needs --console")
        return None
    host, port = parse_port(arguments.console, "--console")
    return ConsoleOptions(port, read_session(configuration).on_loss, host, tls_of(arguments.tls), further_names(arguments.console_host))


def report(host: Host, summary: dict[str, Any]) -> int:
    """Print a summary of the drive and return the exit code. Raises EndedBySignal when a signal ended the drive."""
    late = f"{summary['overruns']} late ticks"
    if summary["overruns"]:
        late += f" (at most {1e3 * summary['worst_lateness']:.1f} ms, {summary['dropped']:.2f} s dropped)"
    print_line(f"drove {summary['time']:.1f} s at {summary['real_time_factor']:.2f} times real time, {late}; log in {summary['folder']}")
    if host.outcome is not None:
        print_line(f"outcome: {host.outcome.message}")
    print_line(lateness_text(summary["lateness"]))
    if summary["limiter"]["ticks"] and host.streams.motions:
        print_line(interventions_text(summary["limiter"]))
    for motion in host.streams.motions:
        if motion is not host.streams.virtual:
            end = "; nobody received the last ones" if motion.stream.refused else ""
            print_line(f"motion stream {motion.stream.protocol}: {motion.stream.sent} packets to {motion.stream.address}{end}")
    if host.force_feedback is not None and host.force_feedback.thread.delay.count:
        delay = host.force_feedback.thread.delay
        print_line(f"force feedback: {delay.count} events, {1e3 * delay.quantile(0.99):.1f} ms after their tick (p99)")
    if summary["sound"]:
        print_line(summary["sound"])
    if summary["incidents"]:
        print_line(f"{summary['incidents']} incidents, the last second of each in {summary['folder']}/incident_*.npz")
    if summary["collisions"]:
        print_line(f"{summary['collisions']} collisions; 'jounce info {summary['folder']}' lists them")
    for name, count in summary["sensors"].items():
        print_line(f"sensor {name}: {count['late']} late and {count['skipped']} skipped measurements")
    dose = summary["sickness_dose"]
    print_line(
        f"motion sickness dose of vertical motion: {dose['car']:.3g} in the vehicle, {dose['cab']:.3g} on the platform (MSDV_z, m/s^1.5)"
    )
    if host.streams.summary is not None:
        print_line(platform_report(host.streams.summary))
    if host.stop_request.first is not None:
        raise EndedBySignal(host.stop_request.first)
    if host.troubles:
        return 1
    platform_summary = host.streams.summary
    return (
        0
        if platform_summary is None
        or (platform_summary["lost"] == 0 and platform_summary["corrupt"] == 0 and platform_summary["legs"]["within"])
        else 1
    )
