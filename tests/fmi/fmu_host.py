"""A host of co-simulation units by FMPy, with the same calls for FMI 2.0 and FMI 3.0."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave


class Instance:
    """An instance of an FMU that has been unpacked into a folder."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.about = fmpy.read_model_description(str(file))
        self._three = self.about.fmiVersion.startswith("3")
        self._variables = {one.name: one for one in self.about.modelVariables}
        arguments = {"guid": self.about.guid, "unzipDirectory": fmpy.extract(str(file), str(folder)), "instanceName": "one"}
        kind = FMU3Slave if self._three else FMU2Slave
        self.fmu = kind(modelIdentifier=self.about.coSimulation.modelIdentifier, **arguments)
        self.fmu.instantiate(loggingOn=True)
        self.time = 0.0

    def begin(self, **values: float) -> None:
        """Initialize with values."""
        if self._three:
            self.fmu.enterInitializationMode(startTime=0.0)
        else:
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        self.set(values)
        self.fmu.exitInitializationMode()
        self.time = 0.0

    def set(self, values: Mapping[str, float]) -> None:
        """Set variables by name."""
        for name, value in values.items():
            kind = self._variables[name].type
            call = {"Real": "setReal", "Integer": "setInteger", "Float64": "setFloat64", "Int32": "setInt32"}[kind]
            getattr(self.fmu, call)([self._variables[name].valueReference], [value])

    def get(self, *names: str) -> list[float]:
        """Return variables by name."""
        calls = {"Real": "getReal", "Integer": "getInteger", "Float64": "getFloat64", "Int32": "getInt32"}
        return [getattr(self.fmu, calls[self._variables[one].type])([self._variables[one].valueReference])[0] for one in names]

    def step(self, seconds: float, **values: float) -> None:
        """Advance with inputs."""
        self.set(values)
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=seconds)
        self.time += seconds

    def reset(self) -> None:
        """Reset to the state after instantiation."""
        self.fmu.reset()

    def end(self) -> None:
        """Terminate and free the instance."""
        self.fmu.terminate()
        self.fmu.freeInstance()
