"""Make jacksboro_dem.png out of the elevation data that matplotlib's sample data carries.

Run `python assets/terrain/make_jacksboro.py` from the top of the repository. The samples are copied as they are, one count per meter; only
the window is chosen here. README.md beside this file tells where the data come from.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data

from terrain.readers.png import write_png16

ROWS = slice(131, 160)
COLUMNS = slice(284, 318)


def main() -> None:
    with get_sample_data("jacksboro_fault_dem.npz") as data:
        elevation = data["elevation"][ROWS, COLUMNS]
    write_png16(Path(__file__).with_name("jacksboro_dem.png"), elevation.astype(np.uint16))


if __name__ == "__main__":
    main()
