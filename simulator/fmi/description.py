"""modelDescription.xml of a co-simulation unit, for FMI 2.0 and FMI 3.0, from one list of variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from simulator.fmi.variables import INTEGER, OUTPUT, PARAMETER, Variable, base_exponents, offset_of

FMI = (2, 3)
"""Versions of the standard."""
CATEGORY = "logAll"
"""Category of all messages."""


@dataclass(frozen=True)
class Description:
    """Contents of a model description."""

    name: str
    identifier: str
    """Name of the binaries, an identifier of C."""
    meaning: str
    token: str
    """Text that differs between different units."""
    generator: str
    step: float
    """Tick [s]."""
    variables: Sequence[Variable]


def describe(about: Description, fmi: int) -> bytes:
    """Return the XML for a version of FMI."""
    three = fmi == 3
    root = Element(
        "fmiModelDescription",
        {
            "fmiVersion": f"{fmi}.0",
            "modelName": about.name,
            "instantiationToken" if three else "guid": about.token,
            "description": about.meaning,
            "generationTool": about.generator,
            "variableNamingConvention": "flat",
        },
    )
    abilities = {
        "modelIdentifier": about.identifier,
        "needsExecutionTool": "true",
        "canHandleVariableCommunicationStepSize": "false",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        "canGetAndSetFMUState" if three else "canGetAndSetFMUstate": "false",
        **({"fixedInternalStepSize": _number(about.step)} if three else {"canNotUseMemoryManagementFunctions": "true"}),
    }
    SubElement(root, "CoSimulation", abilities)
    units = SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(["s", *(one.unit for one in about.variables if one.kind != INTEGER)]):
        _add_unit(units, unit)
    categories = SubElement(root, "LogCategories")
    SubElement(categories, "Category", {"name": CATEGORY, "description": "all messages"})
    SubElement(root, "DefaultExperiment", {"stepSize": _number(about.step)})
    variables = SubElement(root, "ModelVariables")
    if three:
        time = {"name": "time", "valueReference": "0", "causality": "independent", "variability": "continuous", "unit": "s"}
        SubElement(variables, "Float64", {**time, "description": "simulated time"})
    for reference, one in enumerate(about.variables, 1):
        (_add_variable_3 if three else _add_variable_2)(variables, reference, one)
    structure = SubElement(root, "ModelStructure")
    outputs = [reference for reference, one in enumerate(about.variables, 1) if one.causality == OUTPUT]
    if three:
        for tag in ("Output", "InitialUnknown"):
            for reference in outputs:
                SubElement(structure, tag, {"valueReference": str(reference), "dependencies": ""})
    else:
        for tag in ("Outputs", "InitialUnknowns"):
            unknowns = SubElement(structure, tag)
            for reference in outputs:
                SubElement(unknowns, "Unknown", {"index": str(reference), "dependencies": ""})
    indent(root)
    return tostring(root, "UTF-8", xml_declaration=True)


def _add_unit(units: Element, unit: str) -> None:
    """Add the definition of a unit; a unit that base units cannot express has only its name."""
    element, exponents = SubElement(units, "Unit", {"name": unit}), base_exponents(unit)
    if exponents is not None:
        base = {name: str(exponent) for name, exponent in exponents.items()}
        SubElement(element, "BaseUnit", {**base, **({"offset": _number(offset_of(unit))} if offset_of(unit) else {})})


def _shared(reference: int, one: Variable) -> dict[str, str]:
    """Return the attributes that both versions have."""
    changes = "fixed" if one.causality == PARAMETER else "discrete" if one.kind == INTEGER else "continuous"
    initial = {"initial": "calculated"} if one.causality == OUTPUT else {"initial": "exact"} if one.causality == PARAMETER else {}
    about = {"name": one.name, "valueReference": str(reference), "description": one.meaning}
    return {**about, "causality": one.causality, "variability": changes, **initial}


def _value(one: Variable) -> dict[str, str]:
    """Return the attributes of the type: unit, range and start value."""
    out = {} if one.kind == INTEGER else {"unit": one.unit}
    for key, limit in (("min", one.low), ("max", one.high)):
        if math.isfinite(limit):
            out[key] = _number(limit, one.kind)
    return out if one.causality == OUTPUT else {**out, "start": _number(one.start, one.kind)}


def _add_variable_2(variables: Element, reference: int, one: Variable) -> None:
    scalar = SubElement(variables, "ScalarVariable", _shared(reference, one))
    SubElement(scalar, "Integer" if one.kind == INTEGER else "Real", _value(one))


def _add_variable_3(variables: Element, reference: int, one: Variable) -> None:
    SubElement(variables, "Int32" if one.kind == INTEGER else "Float64", {**_shared(reference, one), **_value(one)})


def _number(value: float, kind: str = "") -> str:
    """Return a number from which a reader gets the same bits."""
    return str(int(value)) if kind == INTEGER else repr(float(value))
