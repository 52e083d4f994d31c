"""Page of the sensor data of a run: table of the sensors, top views, camera strips, track of the receiver, curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from simulator.base.arrays import Array
from simulator.report.html_page import Column, Page
from simulator.report.plot import BLUE, GRAY, GREEN, RED, Axis, Curve, Panel, style_of
from simulator.sensors.messages.definitions import IMU, JOINT_STATE, NAV_SAT_FIX, POINT_CLOUD
from simulator.sensors.messages.navigation import origin_of
from simulator.telemetry.sensor_file.reader import NS, SensorFile, TopicInfo, content_of
from simulator.telemetry.sensor_file.recorder import MOVING, size_text
from simulator.tools.sensors.contents import IMAGES, SensorContents, nearest, spread
from simulator.tools.sensors.pictures import cloud_pictures, image_picture

STRIP = 6
"""Number of images in the strip of a camera."""
EQUATOR, FLATTENING = 6378137.0, 1.0 / 298.257223563
"""WGS 84: equatorial radius [m] and flattening."""


def sensor_page(file: SensorFile, sensors: Sequence[SensorContents], at: float | None) -> Page:
    """Return the page of a file.

    Parameters
    ----------
    sensors : sensors to show
    at : simulated time of the pictures [s]; default: the middle of the file, and images over the whole time
    """
    begin, end = file.times
    page = Page("Sensor data", str(file.file))
    page.facts(
        [("size", size_text(file.size)), ("messages", str(file.messages_count)), ("first", f"{begin:.3f} s"), ("last", f"{end:.3f} s")]
    )
    page.heading("Sensors")
    _add_tables(page, sensors)
    for sensor in sensors:
        page.heading(f"{sensor.name}{f' ({sensor.kind})' if sensor.kind else ''}")
        for topic in sensor.topics:
            with content_of(file.file):  # the numbers of messages may differ from those of the index, and arrays in their lengths
                _add_topic(page, file, topic, at)
    return page


def _add_topic(page: Page, file: SensorFile, topic: TopicInfo, at: float | None) -> None:
    if not topic.messages:
        page.text(f"{topic.topic}: no messages")
    elif topic.type == POINT_CLOUD:
        _add_cloud(page, file, topic, 0.5 * sum(file.times) if at is None else at)
    elif topic.type in IMAGES:
        _add_strip(page, file, topic, at)
    elif topic.type == NAV_SAT_FIX:
        _add_track(page, file, topic)
    elif topic.type == IMU:
        _add_imu(page, file, topic)
    elif topic.type == JOINT_STATE:
        _add_joints(page, file, topic)


def _add_tables(page: Page, sensors: Sequence[SensorContents]) -> None:
    columns = [
        Column("sensor", words=True),
        Column("kind", words=True),
        Column("rate", "Hz"),
        Column("latency", "s"),
        Column("mount", words=True),
    ]
    columns += [Column(name) for name in ("late", "skipped", "dropped")]
    rows = [
        [one.name, one.kind, one.rate, one.latency, one.frame, *(one.counts.get(name) for name in ("late", "skipped", "dropped"))]
        for one in sensors
    ]
    page.table(columns, rows)
    topics = [(topic.topic, topic.type, str(topic.messages)) for one in sensors for topic in one.topics]
    page.table([Column("topic", words=True), Column("message", words=True), Column("number")], topics)


def _add_cloud(page: Page, file: SensorFile, topic: TopicInfo, at: float) -> None:
    sample = nearest(file, topic, at)
    if sample is None or not sample.values.size:
        return
    points = sample.values
    returns = int(np.isfinite(points["x"]).sum())
    page.subheading(f"{topic.topic} at {sample.time:.3f} s: {returns} of {points.size} points")
    page.pictures([(picture, f"by {name}") for name, picture in cloud_pictures(points)], kind="png")


def _add_strip(page: Page, file: SensorFile, topic: TopicInfo, at: float | None) -> None:
    samples_shown = spread(file, topic, STRIP) if at is None else [one for one in [nearest(file, topic, at)] if one is not None]
    shown = []
    for sample in samples_shown:
        picture, text = image_picture(sample.values, topic.topic.split("/", 2)[-1])
        shown.append((picture, f"{sample.time:.3f} s{f', {text}' if text else ''}"))
    page.subheading(topic.topic)
    page.pictures(shown, kind="png")


def _add_track(page: Page, file: SensorFile, topic: TopicInfo) -> None:
    fixes = [(NS * one.publish_time, one.fields) for one in file.messages([topic.topic])]
    good = [(time, one["latitude"], one["longitude"], one["altitude"]) for time, one in fixes if math.isfinite(one["latitude"])]
    page.subheading(f"{topic.topic}: {len(good)} fixes, {len(fixes) - len(good)} measurements without a fix")
    if not good:
        return
    t, latitude, longitude, altitude = np.array(good).T
    world, poses = origin_of(topic.metadata), _poses(file)
    if world is None:
        east, north = local_plane(latitude, longitude)
        curves, axes = [Curve("fixes", east, north, RED, points=True, line=False)], (Axis("east", "m"), Axis("north", "m"))
        caption = f"Local plane at {latitude[0]:.7f}, {longitude[0]:.7f} degrees."
    else:
        points = np.array([world.point(*row) for row in zip(np.radians(latitude), np.radians(longitude), altitude, strict=True)])
        axes = Axis("x of the map", "m"), Axis("y of the map", "m")
        curves = [
            Curve("reference point of the vehicle", poses[:, 1], poses[:, 2], GRAY),
            Curve("fixes", points[:, 0], points[:, 1], RED, points=True, line=False),
        ]
        caption = "Fixes on the map of the terrain; the antenna may be away from the reference point."
    height = Panel("height above the ellipsoid", Axis("time", "s"), Axis("height", "m"), [Curve("", t, altitude)])
    page.figure([Panel("track", *axes, curves, equal=True, wide=True), height], caption)


def local_plane(latitude: Array, longitude: Array) -> tuple[Array, Array]:
    """Return east and north [m] of positions [deg] from the first one, with the radii of curvature there; good to 1 mm in 100 m."""
    phi, e2 = math.radians(latitude[0]), FLATTENING * (2.0 - FLATTENING)
    w = 1.0 - e2 * math.sin(phi) ** 2
    across, along = EQUATOR / math.sqrt(w), EQUATOR * (1.0 - e2) / w**1.5
    turn = (longitude - longitude[0] + 180.0) % 360.0 - 180.0
    return across * math.cos(phi) * np.radians(turn), along * np.radians(latitude - latitude[0])


def _poses(file: SensorFile) -> Array:
    """Return times and positions (n, 4) of the vehicle."""
    rows = []
    for one in file.messages([MOVING]) if MOVING in file.topics else ():
        place = one.fields["transforms"][0]["transform"]["translation"]
        rows.append((NS * one.publish_time, place["x"], place["y"], place["z"]))
    return np.array(rows).reshape(-1, 4)


def _add_imu(page: Page, file: SensorFile, topic: TopicInfo) -> None:
    rows = [
        (NS * one.publish_time, *_axes(one.fields["linear_acceleration"]), *_axes(one.fields["angular_velocity"]))
        for one in file.messages([topic.topic])
    ]
    t, *values = np.array(rows).T
    time = Axis("time", "s")
    panels = [
        Panel(title, time, Axis(name, unit), [Curve(axis, t, scale * values[first + k], color) for k, (axis, color) in enumerate(_COLORS)])
        for title, name, unit, scale, first in (
            ("specific force", "force", "m/s2", 1.0, 0),
            ("angular rate", "rate", "deg/s", math.degrees(1.0), 3),
        )
    ]
    page.subheading(topic.topic)
    page.figure(panels)


def _add_joints(page: Page, file: SensorFile, topic: TopicInfo) -> None:
    """Add the speeds of joints, or their angles if they have no speeds."""
    messages = [(NS * one.publish_time, one.fields) for one in file.messages([topic.topic])]
    names = messages[0][1]["name"]
    has_speed = len(messages[0][1]["velocity"]) == len(names)
    t = np.array([time for time, _ in messages])
    values = np.array([one["velocity" if has_speed else "position"] for _, one in messages])
    scale, what, unit = (1.0, "speed", "rad/s") if has_speed else (math.degrees(1.0), "angle", "deg")
    styles = [style_of(n) for n in range(len(names))]
    curves = [Curve(name, t, scale * values[:, n], color, dash) for n, (name, (color, dash)) in enumerate(zip(names, styles, strict=True))]
    page.subheading(topic.topic)
    page.figure([Panel(f"{what} of the joints", Axis("time", "s"), Axis(what, unit), curves, wide=True)])


_COLORS = (("x", BLUE), ("y", GREEN), ("z", RED))


def _axes(vector: dict[str, float]) -> Iterable[float]:
    return (vector["x"], vector["y"], vector["z"])
