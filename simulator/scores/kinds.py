"""Registry of benchmarks by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.registry import load_attribute

if TYPE_CHECKING:
    from simulator.scores.contract import Benchmark

BENCHMARKS = {"verti_bench": "simulator.scores.verti_bench:BENCHMARK", "barn": "simulator.scores.barn:BENCHMARK"}
"""Attribute of each benchmark, loaded when it is needed."""


def benchmark_of(name: str) -> Benchmark:
    """Return a benchmark by its name, a key of BENCHMARKS."""
    benchmark: Benchmark = load_attribute(BENCHMARKS[name])
    return benchmark
