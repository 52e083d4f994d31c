"""A console for the tests of a file."""

import pytest
from console_rig import Console


@pytest.fixture(scope="module")
def console():
    for package in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(package)
    console = Console()
    yield console
    console.close()
