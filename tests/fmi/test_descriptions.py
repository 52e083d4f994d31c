"""Units of measure and model descriptions of FMUs, without a host."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from simulator.fmi.description import Description, describe
from simulator.fmi.variables import INPUT, INTEGER, OUTPUT, PARAMETER, Variable, base_exponents


def test_units_have_the_exponents_of_the_base_units():
    assert base_exponents("N m/rad") == {"kg": 1, "m": 2, "s": -2, "rad": -1}
    assert base_exponents("kg m2") == {"kg": 1, "m": 2}
    assert base_exponents("1/s") == {"s": -1}
    assert base_exponents("1") == {}
    assert base_exponents("m/s1.5") is None
    assert base_exponents("m, rad") is None


def test_both_versions_describe_the_same_variables():
    variables = (
        Variable("pedal", INPUT, "1", "a pedal", 0.1 + 0.2, 0.0, 1.0),
        Variable("gear", INPUT, "1", "a gear", 1, -1, 8, INTEGER),
        Variable("mass", PARAMETER, "kg", "a mass", 1500.0),
        Variable("heat", OUTPUT, "degC", "a <temperature>"),
    )
    about = Description("car", "jounce_vehicle_car", "a car", "{token}", "Jounce", 0.001, variables)
    two, three = (ET.fromstring(describe(about, fmi)) for fmi in (2, 3))
    assert two.find("CoSimulation").get("canHandleVariableCommunicationStepSize") == "false"
    assert three.find("CoSimulation").get("fixedInternalStepSize") == "0.001"
    old = {one.get("name"): {**one.attrib, **one[0].attrib} for one in two.find("ModelVariables")}
    new = {one.get("name"): one.attrib for one in three.find("ModelVariables") if one.get("name") != "time"}
    assert old == new
    assert float(old["pedal"]["start"]) == 0.1 + 0.2
    assert (old["gear"]["variability"], old["mass"]["variability"], old["heat"]["initial"]) == ("discrete", "fixed", "calculated")
    assert old["heat"]["description"] == "a <temperature>"
    for root in (two, three):
        base = next(one for one in root.iter("Unit") if one.get("name") == "degC").find("BaseUnit")
        assert base.attrib == {"K": "1", "offset": "273.15"}
    assert [one.get("index") for one in two.iter("Unknown")] == ["4", "4"]
    assert [one.get("valueReference") for one in three.find("ModelStructure")] == ["4", "4"]
