"""Pictures and clips of docs/gallery: `make gallery` makes all of them with the commands of the program.

Names as arguments make some of them: `python docs/gallery.py tire soil`. A picture of a drive needs OpenGL, which may be software. A picture
of a page needs Chromium, and is left as it is without it.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from PIL import Image

FOLDER = Path(__file__).parent / "gallery"
MAX_BYTES = {".webp": 400_000, ".jpg": 170_000}
"""Size of a clip, of a picture; all of them are part of the repository."""
SIZE = "960x540"
TRAFFIC = "traffic={vehicles: [{vehicle: sedan, count: 40}, {vehicle: light_truck, count: 6}], pedestrians: 40}"
SNOW = "weather={snow: 1, snowfall_mmph: 0.6, clouds: 0.7}"
LIDAR = "{type: lidar, preset: os1_64, name: roof, mount: {position: [0, 0, 1.6]}}"
CAMERA = "{type: camera, rate: 2, preset: hd, name: front, mount: {position: [0.6, 0, 1.4]}}"
BESIDE = "{{vehicle: {0}, position: {1}, color: {2}, speed_kph: 36, maneuver: {{base: constant_speed, vehicle: {0}, parameters: {{speed_kph: 36}}}}}}"
VEHICLES = ", ".join(
    (
        BESIDE.format("light_truck", [1.5, 3.2], [0.55, 0.07, 0.07]),
        BESIDE.format("sedan_e90", [2, -3.2], [0.1, 0.2, 0.45]),
        BESIDE.format("sedan", [-6, 1.6], [0.85, 0.85, 0.86]),
    )
)
RUNS: dict[str, tuple[str, list[str]]] = {
    "lane": ("double_lane_change", []),
    "off_road": ("scripted_drive", []),
    "dunes": ("scripted_drive --terrain dunes", []),
    "convoy": ("convoy", ["maneuver.duration_s=20"]),
    "snow": ("convoy --terrain flat_snow", ["maneuver.duration_s=20", SNOW]),
    "race": ("circuit_race", ["maneuver.duration_s=40"]),
    "hills": ("hill_trial", []),
    "town": ("town_route", ["maneuver.duration_s=40", TRAFFIC]),
    "night": ("town_route", ["maneuver.duration_s=40", TRAFFIC, "weather={time_of_day_h: 20, rain_mmph: 3}"]),
    "together": ("constant_speed --vehicle hmmwv", ["maneuver.duration_s=8", "maneuver.parameters.speed_kph=36", f"vehicles=[{VEHICLES}]"]),
    "planner": ("urban_navigation --figure 30", ["maneuver.mapper={type: lidar, sensor: roof, extent_m: 100}", f"sensors=[{LIDAR}]"]),
    "sensors": ("town_route", ["maneuver.duration_s=5", TRAFFIC, f"sensors=[{LIDAR.replace('type', 'rate: 2, type')}, {CAMERA}]"]),
    "report": ("iso_3888_1 --vehicle sedan --plots all", []),
}
"""Drives by name: arguments of `jounce run`, values of `--set`."""
CLIPS: dict[str, tuple[str, str]] = {
    "lane_change": ("lane", "--from 54 --to 57.5 --fps 8 --no-instruments"),
    "off_road": ("off_road", "--from 11 --to 15 --fps 8 --no-instruments"),
    "race": ("race", "--from 8 --to 12 --fps 8 --camera trackside --no-instruments"),
    "suspension": ("hills", "--from 8 --to 11 --fps 10 --camera suspension --no-instruments"),
    "traffic": ("town", "--from 23 --to 27 --fps 8 --no-instruments"),
}
"""Clips by name: drive and options of `jounce render`."""
PICTURES: dict[str, tuple[str, float, str]] = {
    "drive": ("off_road", 14.0, "--camera trackside --no-instruments"),
    "driver": ("off_road", 14.0, "--camera driver --no-instruments"),
    "wheel": ("off_road", 13.0, "--camera suspension --no-instruments"),
    "platform": ("off_road", 9.5, "--camera platform"),
    "dunes": ("dunes", 12.0, "--no-instruments"),
    "convoy": ("convoy", 12.0, "--no-instruments"),
    "snow": ("snow", 12.0, "--no-instruments"),
    "grid": ("race", 2.5, "--camera trackside --no-instruments"),
    "race_driver": ("race", 6.0, "--camera driver --no-instruments"),
    "hills": ("hills", 20.0, "--no-instruments"),
    "town": ("town", 27.3, "--no-instruments"),
    "night": ("night", 34.0, "--no-instruments"),
    "vehicles": ("together", 3.0, "--camera trackside --no-instruments"),
}
"""Pictures by name: drive, time [s], options of `jounce render`."""
PLOTS: dict[str, list[str]] = {
    "tire": ["tire", "measured_mxv8", "--plot"],
    "soil": ["soil", "dry_sand", "--plot"],
    "streets": ["terrain", "show", "streets", "--plot"],
}
"""Plots by name: command that takes a file."""
PAGES: dict[str, tuple[str, str, str, tuple[int, int]]] = {
    "report": ("report", "report.html", "#h3", (1100, 1200)),
    "lidar": ("sensors", "sensors.html", "#h2", (1100, 1500)),
}
"""Pages by name: drive, file in its folder, section, width and height [pixels]."""
NOTEBOOK = """
import jounce
sim = jounce.Simulation("hmmwv", "hills")
sim.command(throttle=0.5)
sim.advance(6.0)
sim.replay("replay.html")
"""


def jounce(work: Path, words: list[str], *more: object) -> None:
    """Run a command of the program. Raises CalledProcessError."""
    done = subprocess.run([sys.executable, "-m", "simulator", *words, *map(str, more)], cwd=work, stdout=subprocess.DEVNULL, check=False)
    if done.returncode > 1:  # 1: a limit of a maneuver is not met
        raise subprocess.CalledProcessError(done.returncode, words)


@functools.cache
def drive(work: Path, name: str) -> Path:
    """Return the folder of a drive, which runs once."""
    folder = work / name
    words, values = RUNS[name]
    changes = [word for value in values for word in ("--set", value)]
    jounce(work, ["run", "--plots", "none", *words.split(), *changes], "--out", folder)
    return folder


def save(picture: Path, name: str) -> Path:
    """Save a picture as a JPEG file of the gallery and return it."""
    file = FOLDER / f"{name}.jpg"
    with Image.open(picture) as image:
        image.thumbnail((960, 1100))
        image.convert("RGB").save(file, quality=80, optimize=True, progressive=True)
    return file


def screenshot(address: str, file: Path, size: tuple[int, int], wait: float = 6.0) -> None:
    """Write a picture of a page, `wait` seconds after it was opened: Chromium takes it by the DevTools protocol."""
    from websockets.sync.client import connect

    profile = file.parent / "chromium"
    port = profile / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    options = ["--headless", "--hide-scrollbars", "--remote-debugging-port=0", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    options += [f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with subprocess.Popen(["chromium", *options, address], stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + 60.0
            while not port.exists() and time.monotonic() < end:
                time.sleep(0.2)
            with urlopen(f"http://127.0.0.1:{port.read_text().split()[0]}/json") as answer:
                page = next(one for one in json.load(answer) if one["type"] == "page")
            time.sleep(wait)
            with connect(page["webSocketDebuggerUrl"], max_size=None) as link:
                link.send(json.dumps({"id": 1, "method": "Page.captureScreenshot"}))
                while (message := json.loads(link.recv(timeout=60.0))).get("id") != 1:
                    pass
            file.write_bytes(base64.b64decode(message["result"]["data"]))
        finally:
            process.terminate()


@contextlib.contextmanager
def console(work: Path) -> Iterator[str]:
    """Drive with an operator's console and yield the address of its page after some seconds of the drive."""
    words = ["drive", "--no-view", "--driver", "scripted", "--maneuver", "hill_trial", "--console", "0", "--out", str(work / "console")]
    with subprocess.Popen([sys.executable, "-m", "simulator", *words], cwd=work, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = next(line.split()[-1] for line in process.stdout or [] if "http://" in line)
            time.sleep(16.0)
            yield address
        finally:
            process.terminate()


def make_page(name: str, work: Path) -> Path:
    """Make a picture of a page."""
    picture = work / f"{name}.png"
    if name in PAGES:
        of, page, section, size = PAGES[name]
        if of == "sensors":
            jounce(work, ["sensors", str(drive(work, of))])
        screenshot((drive(work, of) / page).as_uri() + section, picture, size)
    elif name == "console":
        with console(work) as address:
            screenshot(address, picture, (1500, 1000), 12.0)
    else:
        subprocess.run([sys.executable, "-c", NOTEBOOK], cwd=work, check=True)
        screenshot((work / "replay.html").as_uri(), picture, (960, 600))
    return save(picture, name)


def make(name: str, work: Path) -> Path:
    """Make a picture or clip and return its file."""
    if name in CLIPS:
        of, options = CLIPS[name]
        file = FOLDER / f"{name}.webp"
        jounce(work, ["render", str(drive(work, of)), *options.split(), "--size", "480x270"], "--video", file)
        return file
    if name == "planner_drive":
        return shrink(drive(work, "planner") / "figure.gif", FOLDER / f"{name}.webp")
    if name == "planner":
        return save(drive(work, "planner") / "figure_30s.png", name)
    if name in PLOTS:
        jounce(work, PLOTS[name], work / f"{name}.png")
        return save(work / f"{name}.png", name)
    if name in PICTURES:
        of, at, options = PICTURES[name]
        images = work / f"images_{name}"
        words = f"{options} --size {SIZE} --from {at} --to {at} --fps 1"
        jounce(work, ["render", str(drive(work, of)), *words.split()], "--video", images)
        return save(min(images.glob("*.png")), name)
    return make_page(name, work)


def shrink(clip: Path, file: Path) -> Path:
    """Write every second image of an animation as a WebP file and return it."""
    with Image.open(clip) as gif:
        images = []
        for number in range(0, gif.n_frames, 2):
            gif.seek(number)
            image = gif.convert("RGB")
            image.thumbnail((600, 480))
            images.append(image)
    images[0].save(file, save_all=True, append_images=images[1:], duration=240, loop=0, quality=50, method=6)
    return file


def main() -> int:
    """Make the files; return 1 if one is too large."""
    FOLDER.mkdir(exist_ok=True)
    large = 0
    pages = [*PAGES, "console", "replay_page"]
    if not shutil.which("chromium"):
        print(f"no chromium: {', '.join(pages)} are left as they are")
        pages = []
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[1:] or [*CLIPS, "planner_drive", *PICTURES, "planner", *PLOTS, *pages]:
            file = make(name, Path(work))
            size = file.stat().st_size
            large += size > MAX_BYTES[file.suffix]
            print(f"{file.name}: {size / 1e3:.0f} kB", flush=True)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
