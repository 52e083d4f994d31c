"""Circles of imports between the modules of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("simulator", "vehicles", "terrain", "washout", "research")
MAX_CIRCLES = 2
"""Largest number of circles that imports inside functions or under TYPE_CHECKING may form."""

Graph = dict[str, set[str]]


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Syntax trees of all modules by dotted name."""
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    parts = {file: file.relative_to(ROOT).with_suffix("").parts for file in files}
    return {".".join(p[:-1] if p[-1] == "__init__" else p): ast.parse(file.read_text("utf-8")) for file, p in parts.items()}


def all_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a module."""
    yield from ast.walk(tree)


def nodes_at_load(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module that run when it is loaded: not those of functions, and not those under TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        yield node
        yield from nodes_at_load(node)


def graph_of(trees: dict[str, ast.Module], nodes=all_nodes) -> Graph:
    """Return the modules of the program that each module imports."""
    graph: Graph = {name: set() for name in trees}
    for name, tree in trees.items():
        for node in nodes(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                own = (f"{node.module}.{alias.name}" for alias in node.names)
                graph[name] |= {module if module in trees else node.module for module in own}
            elif isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names}
        graph[name] &= trees.keys() - {name}
    return graph


def circles_of(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(one: str) -> None:
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in sorted(graph[one]):
            if other not in number:
                visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], number[other])
        if low[one] == number[one]:
            at = stack.index(one)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for one in sorted(graph):
        if one not in number:
            visit(one)
    return found


def test_circles_are_found() -> None:
    assert circles_of({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "e"}, "e": {"d"}, "f": set()}) == [["b", "c"], ["d", "e"]]


def test_few_modules_import_each_other(trees: dict[str, ast.Module]) -> None:
    circles = circles_of(graph_of(trees))
    assert len(circles) <= MAX_CIRCLES, circles


def test_no_modules_import_each_other_at_load_time(trees: dict[str, ast.Module]) -> None:
    assert circles_of(graph_of(trees, nodes_at_load)) == []
