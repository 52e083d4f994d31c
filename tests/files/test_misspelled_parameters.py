"""Is a parameter refused that no key of the maneuver uses, wherever it is set, and accepted if a key uses it?"""

from __future__ import annotations

import pytest

import jounce
from simulator.base.errors import ConfigError
from simulator.builder.builder import build_maneuver
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes, read_settings

KNOWN = r"a parameter of iso_7401_step: speed_kph, angle_deg, direction; got 'sped_kph'; hint: did you mean speed_kph\?$"
MANEUVER, WRONG = {"maneuver": "iso_7401_step"}, {"maneuver.parameters.sped_kph": 100}


def file_of(tmp_path, text):
    file = tmp_path / "own.yaml"
    file.write_text(text)
    return file


def test_a_setting_of_the_command_line():
    with pytest.raises(ConfigError, match=rf"^--set maneuver\.parameters\.sped_kph: .*{KNOWN}"):
        configuration(None, [*changes(MANEUVER), *read_settings(["maneuver.parameters.sped_kph=100"])])


def test_changes_of_the_library(tmp_path):
    with pytest.raises(ConfigError, match=KNOWN):
        jounce.simulate(**MANEUVER, changes=WRONG)
    with pytest.raises(jounce.JounceError, match=KNOWN):
        jounce.run_sweep(MANEUVER, [WRONG], tmp_path / "sweep")


def test_changes_of_a_read_configuration_as_of_a_fit():
    one = configuration(None, changes(MANEUVER))
    one.expand_all()
    with pytest.raises(ConfigError, match=KNOWN):
        one.with_changes([(each, each.origin) for each in changes(WRONG)])


def test_a_maneuver_with_a_base_and_a_session(tmp_path):
    with pytest.raises(ConfigError, match=rf"own\.yaml:2: parameters\.sped_kph: .*{KNOWN}"):
        build_maneuver(str(file_of(tmp_path, "base: iso_7401_step\nparameters: {sped_kph: 100}\n")))
    session = file_of(tmp_path, "maneuver:\n  base: iso_7401_step\n  parameters:\n    sped_kph: 100\n")
    with pytest.raises(ConfigError, match=rf"own\.yaml:4: maneuver\.parameters\.sped_kph: .*{KNOWN}"):
        jounce.Simulation(session=str(session))


def test_a_maneuver_without_parameters():
    with pytest.raises(ConfigError, match="a parameter of creep: "):
        configuration(None, changes({"maneuver": "creep", "maneuver.parameters.x_kph": 1}))


def test_a_new_parameter_that_a_key_uses_is_accepted(tmp_path):
    one = configuration(None, changes({**MANEUVER, "maneuver.title": "$who", "maneuver.parameters.who": "me"}))
    assert one.raw("maneuver.parameters.who") == "me"
    file = file_of(tmp_path, "base: iso_7401_step\nparameters: {who: me}\ntitle: by $who\n")
    assert build_maneuver(str(file)).title == "by me"
