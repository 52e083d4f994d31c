"""Do the examples of the page about rays run?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_run_in_order() -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / "rays.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, "rays.md", "exec"), names)
    assert np.isfinite(names["hits"].range).mean() > 0.5
    assert names["points"].shape == (1800, 3)
    assert names["free"].shape == names["found"].state.shape == (160, 160)
