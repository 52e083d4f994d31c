"""Makes hud.npz: the glyphs of DejaVu Sans that the instruments use, drawn once at three sizes, so that no font library is needed to drive.

Run it from anywhere: python assets/fonts/make_hud_font.py. Needs Pillow and matplotlib, which carries the font. See README.md.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIZES = ((13, "DejaVuSans.ttf"), (17, "DejaVuSans.ttf"), (50, "DejaVuSans-Bold.ttf"))
TEXT = "".join(chr(c) for c in range(32, 127)) + "".join(chr(c) for c in range(161, 256)) + "\u2013\u2026"
DIGITS = " -0123456789.NRDP"
WIDTH = 512


def main() -> None:
    """Pack the glyphs row by row and write pixels (h, WIDTH) and a table [size, code, x, y, width, height, left, top, advance]."""
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    sheet = Image.new("L", (WIDTH, 512), 0)
    draw = ImageDraw.Draw(sheet)
    table, x, y, row = [], 1, 1, 0
    for size, file in SIZES:
        font = ImageFont.truetype(str(folder / file), size)
        for letter in DIGITS if size > 30 else TEXT:
            left, top, right, bottom = font.getbbox(letter)
            width, height = right - left, bottom - top
            if x + width + 2 > WIDTH:
                x, y, row = 1, y + row + 2, 0
            draw.text((x - left, y - top), letter, 255, font=font)
            table.append((size, ord(letter), x, y, width, height, left, top, font.getlength(letter)))
            x, row = x + width + 2, max(row, height)
    pixels = np.asarray(sheet)[: y + row + 2]
    np.savez_compressed(Path(__file__).parent / "hud.npz", pixels=pixels, glyphs=np.array(table, np.float32))


if __name__ == "__main__":
    main()
