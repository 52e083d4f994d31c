"""Kernels that are called by their address: can a compiled caller call them without recompilation, and does an edit take effect?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.base.callbacks import callback
from tests.end_to_end.program import environment

HOST = """
import numpy as np
from simulator.base.jit import kernel
from simulator.base.callbacks import call

@kernel
def run(table, h, n):
    for _ in range(n):
        call(table[0], table[1], table[2], table[2], table[2], 1, 2, h)
"""
PLUGIN = """
from sibling import SHARE
from simulator.base.callbacks import callback, record_at
from simulator.base.records import dtype_of

PARAMETERS = (("c", (), "1/s", "rate"),)
STATE = (("u", (3, 4), "1", "what grows"),)
P, S = dtype_of(PARAMETERS), dtype_of(STATE)

@callback
def grow(parameters, state, seen, result, first, count, h):
    p, s = record_at(parameters, P), record_at(state, S)
    for i in range(first, first + count):
        s[0]["u"][1, i] += SHARE * h * p[0]["c"]
"""
MAIN = """
import numpy as np
from simulator.base import compile_events as compiling
from simulator.base.records import record
compiled = []
with compiling.on_compile(lambda name, begins: compiled.append(name) if begins else None):
    import host, plugin
    from simulator.base.callbacks import address_of
    p, s = record(plugin.PARAMETERS), record(plugin.STATE)
    p[0]["c"] = 2.0
    host.run(np.array([plugin.grow.address, address_of(p), address_of(s)], np.uintp), 0.5, 3)
print(s[0]["u"].sum(axis=0), compiled)
"""


def say(folder: Path, **variables: str) -> str:
    """Return the output of a process that runs the plugin in `folder`."""
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=folder,
        env={**environment(), "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_plugin_kernel_is_compiled_alone_and_again_when_it_or_its_sibling_is_edited(tmp_path: Path) -> None:
    for name, text in (("host", HOST), ("plugin", PLUGIN), ("sibling", "SHARE = 1.0\n"), ("main", MAIN)):
        (tmp_path / f"{name}.py").write_text(text)
    # the host is in the same folder as the plugin here, so it is recompiled with it; kernels of a package are not
    assert say(tmp_path) == "[0. 3. 3. 0.] ['grow', 'run']\n"
    assert say(tmp_path) == "[0. 3. 3. 0.] []\n"
    (tmp_path / "sibling.py").write_text("SHARE = 2.0\n")
    assert say(tmp_path).startswith("[0. 6. 6. 0.] ['grow'")
    (tmp_path / "plugin.py").write_text(PLUGIN.replace("+= SHARE", "-= SHARE"))
    assert say(tmp_path).startswith("[ 0. -6. -6.  0.] ['grow'")
    assert say(tmp_path, NUMBA_DISABLE_JIT="1") == "[ 0. -6. -6.  0.] []\n"


def test_a_plugin_kernel_has_the_arguments_of_the_contract() -> None:
    with pytest.raises(TypeError, match="parameters, state, seen, result, first, count, h"):

        @callback
        def wrong(parameters, state, h):
            pass
