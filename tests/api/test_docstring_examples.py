"""Do the examples in the docstrings of the public names run?"""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import simulator


@pytest.mark.parametrize("name", [name for name in simulator.__all__ if name != "__version__"])
def test_an_example_of_a_public_name_runs(name):
    found = getattr(simulator, name)
    module = importlib.import_module(found.__module__)
    names = {**vars(module), name: found}
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in finder.find(inspect.unwrap(found), name, module=module, globs=names):
        if test.examples:
            runner.run(test)
    assert runner.failures == 0


def test_the_class_of_a_simulation_has_an_example():
    assert ">>>" in inspect.getdoc(simulator.Simulation)
