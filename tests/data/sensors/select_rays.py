"""Copy a part of reference ray scenes: every set of special rays, every KEEP-th column of a scan, all scans of moving lidars, and all maps.

    python select_rays.py FOLDER

FOLDER has the folders rays, scan and maps with all data; the parts are written next to this file.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np

KEEP = 12
HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Write the parts."""
    for name in ("rays", "scan", "maps"):
        (HERE / name).mkdir(exist_ok=True)
    for file in [*folder.glob("rays/*.obj"), *folder.glob("rays/*.npy"), *folder.glob("scan/*"), *folder.glob("maps/*"), folder / "rays/wall.json"]:
        shutil.copyfile(file, HERE / file.relative_to(folder))
    text = (folder / "rays/sensors.json").read_text()
    (HERE / "rays/sensors.json").write_text(json.dumps(json.loads(text)) + "\n")
    rings = {name: len(sensor["elevation_deg"]) for name, sensor in json.loads(text)["sensors"].items()}
    for file in sorted(folder.glob("rays/[0-9]*.json")):
        scene, data = json.loads(file.read_text()), dict(np.load(file.with_suffix(".npz")))
        for rays in scene["rays"]:
            if "sensor" not in rays:
                continue
            azimuth = rays["azimuth_deg"]
            columns = np.arange(0, azimuth["count"], KEEP)
            azimuth["step"], azimuth["count"] = azimuth["step"] * KEEP, len(columns)
            beams = (columns[:, None] * rings[rays["sensor"]] + np.arange(rings[rays["sensor"]])).ravel()
            data |= {key: value[beams] for key, value in data.items() if key.startswith(rays["set"] + "_")}
        (HERE / "rays" / file.name).write_text(json.dumps(scene) + "\n")
        np.savez_compressed(HERE / "rays" / file.with_suffix(".npz").name, **data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
