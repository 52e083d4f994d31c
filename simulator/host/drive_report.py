"""Lines at the end of a drive, and its exit code."""

from __future__ import annotations

import shlex
from typing import Any

from simulator.base.console import print_line
from simulator.base.signals import EndedBySignal
from simulator.clock import lateness_text
from simulator.host.drive import Host
from simulator.view.user_settings import users_speed_unit
from simulator.virtual_platform.platform import report as platform_report
from washout.limiter.limiter import interventions_text


def report(host: Host, summary: dict[str, Any]) -> int:
    """Print a summary of the drive and return the exit code. Raises EndedBySignal when a signal ended the drive.

    After the drive of a person the summary is short, because `jounce info` shows the figures of the clock, too.
    """
    if summary["by_person"]:
        _report_trip(host, summary)
    else:
        _report_times(summary)
    for line in summary["course"]:
        print_line(line)
    if host.outcome is not None:
        print_line(f"outcome: {host.outcome.message}")
    _report_motion(host, summary)
    if summary["incidents"]:
        print_line(f"{summary['incidents']} incidents, the last second of each in {summary['folder']}/incident_*.npz")
    if summary["collisions"]:
        print_line(f"{summary['collisions']} collisions; 'jounce info {summary['folder']}' lists them")
    for name, count in summary["sensors"].items():
        print_line(f"sensor {name}: {count['late']} late and {count['skipped']} skipped measurements")
    if host.stop_request.first is not None:
        raise EndedBySignal(host.stop_request.first)
    return 1 if host.messages.troubles or not _is_well(host.streams.summary) else 0


def _report_trip(host: Host, summary: dict[str, Any]) -> None:
    """Print distance and top speed, and the commands for the recording."""
    place = shlex.quote(str(summary["folder"]))
    print_line(f"drove {host.trip.text(users_speed_unit())}")
    print_line(f"watch again: jounce replay {place}")
    print_line(f"figures: jounce info {place}")


def _report_times(summary: dict[str, Any]) -> None:
    """Print how the ticks kept their times."""
    late = f"{summary['overruns']} late ticks"
    if summary["overruns"]:
        late += f" (at most {1e3 * summary['worst_lateness']:.1f} ms, {summary['dropped']:.2f} s dropped)"
    print_line(f"drove {summary['time']:.1f} s at {summary['real_time_factor']:.2f} times real time, {late}; log in {summary['folder']}")
    print_line(lateness_text(summary["lateness"]))


def _report_motion(host: Host, summary: dict[str, Any]) -> None:
    """Print what streams, platform, force feedback and sound have done; after the drive of a person only what concerns a real platform."""
    streams, short = host.streams, summary["by_person"]
    real = [motion for motion in streams.motions if motion is not streams.virtual]
    if summary["limiter"]["ticks"] and (real if short else streams.motions):
        print_line(interventions_text(summary["limiter"]))
    for motion in real:
        end = "; nobody received the last ones" if motion.stream.refused else ""
        print_line(f"motion stream {motion.stream.protocol}: {motion.stream.sent} packets to {motion.stream.address}{end}")
    if not short:
        if host.force_feedback is not None and host.force_feedback.thread.delay.count:
            delay = host.force_feedback.thread.delay
            print_line(f"force feedback: {delay.count} events, {1e3 * delay.quantile(0.99):.1f} ms after their tick (p99)")
        if summary["sound"]:
            print_line(summary["sound"])
    if real or not short:
        dose = summary["sickness_dose"]
        print_line(
            f"motion sickness dose of vertical motion: {dose['car']:.3g} in the vehicle, {dose['cab']:.3g} on the platform (MSDV_z, m/s^1.5)"
        )
    if streams.summary is not None and (not short or not _is_well(streams.summary)):
        print_line(platform_report(streams.summary))


def _is_well(platform: dict[str, Any] | None) -> bool:
    """Return whether the virtual platform has lost no packet and kept the limits of its legs; True without one."""
    return platform is None or (platform["lost"] == 0 and platform["corrupt"] == 0 and platform["legs"]["within"])
