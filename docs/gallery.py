"""Pictures and clips of docs/gallery: `make gallery` makes all of them with the commands of the program.

Names as arguments make some of them: `python docs/gallery.py tire soil`. A picture of a drive needs OpenGL, which may be software.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent / "gallery"
MAX_BYTES = 400_000
"""Size of a file; all of them are part of the repository."""
RUNS = {
    "lane": "run double_lane_change --plots none",
    "off_road": "run scripted_drive --plots none",
}
"""Drives by name."""
CLIPS = {
    "lane_change": ("lane", "--from 54 --to 57 --fps 8 --size 320x180"),
}
"""Clips by name: drive and options of `jounce render`."""
PICTURES = {
    "driver": ("off_road", 14.0, "--camera driver"),
}
"""Pictures by name: drive, time [s], options of `jounce render`."""
PLOTS = {
    "tire": "tire measured_mxv8 --plot",
    "soil": "soil dry_sand --plot",
    "streets": "terrain show streets --plot",
}
"""Plots by name: command that takes a file."""


def jounce(work: Path, words: str, *more: object) -> None:
    """Run a command of the program. Raises CalledProcessError."""
    subprocess.run([sys.executable, "-m", "simulator", *words.split(), *map(str, more)], cwd=work, check=True, stdout=subprocess.DEVNULL)


def drive(work: Path, name: str) -> Path:
    """Return the folder of a drive, which runs once."""
    folder = work / name
    if not folder.exists():
        jounce(work, RUNS[name], "--out", folder)
    return folder


def make(name: str, work: Path) -> Path:
    """Make a picture or clip and return its file."""
    if name in CLIPS:
        of, options = CLIPS[name]
        file = FOLDER / f"{name}.gif"
        jounce(work, f"render {drive(work, of)} {options}", "--video", file)
        return file
    file = FOLDER / f"{name}.jpg"
    if name in PLOTS:
        picture = work / f"{name}.png"
        jounce(work, PLOTS[name], picture)
    else:
        of, at, options = PICTURES[name]
        images = work / f"images_{name}"
        jounce(work, f"render {drive(work, of)} {options} --from {at} --to {at + 0.1} --fps 10 --size 960x540", "--video", images)
        picture = min(images.glob("*.png"))
    with Image.open(picture) as image:
        image.thumbnail((960, 720))
        image.convert("RGB").save(file, quality=82, optimize=True)
    return file


def main() -> int:
    """Make the files; return 1 if one is too large."""
    FOLDER.mkdir(exist_ok=True)
    large = 0
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[1:] or [*CLIPS, *PICTURES, *PLOTS]:
            file = make(name, Path(work))
            large += file.stat().st_size > MAX_BYTES
            print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB", flush=True)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
