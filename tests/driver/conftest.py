import os

import pytest

from simulator.driver.input_devices.device_profiles import load_profiles, shipped_profiles_folder
from simulator.driver.input_devices.devices import DeviceHub
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS

os.environ["SDL_VIDEODRIVER"] = "dummy"


@pytest.fixture(autouse=True)
def only_our_sources(monkeypatch):
    """A person with any device has those of Jounce: other tests register sources of their own."""
    names = INPUT_SOURCE_KINDS.names
    monkeypatch.setattr(INPUT_SOURCE_KINDS, "names", lambda: tuple(name for name in names() if INPUT_SOURCE_KINDS.is_builtin(name)))


@pytest.fixture(scope="session")
def profiles():
    """Shipped device profiles."""
    return load_profiles((shipped_profiles_folder(),))[0]


@pytest.fixture(scope="session")
def keyboard_profile():
    """Shipped keyboard profile."""
    return load_profiles((shipped_profiles_folder(),))[1]


@pytest.fixture
def hub(profiles):
    """SDL started, with the shipped profiles."""
    hub = DeviceHub(profiles)
    yield hub
    hub.close()


@pytest.fixture
def plug():
    """plug(name, ...) plugs in a virtual device; all are unplugged at the end."""
    from virtual_stick import VirtualStick, load_sdl

    sdl = load_sdl()
    if sdl is None:
        pytest.skip("this SDL has no virtual joysticks")
    sticks = []

    def make(*args, **kwargs):
        sticks.append(VirtualStick(sdl, *args, **kwargs))
        return sticks[-1]

    yield make
    for stick in sticks:
        stick.unplug()
