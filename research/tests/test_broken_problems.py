"""Is each invalid value in a file of equations refused with its key, and is each schema and table of keys up to date?"""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from research.command import main, parser_of
from research.triangular.file_kind import PROBLEMS
from research.triangular.problem_file import problem_from_mapping
from simulator.base.yaml_reader import read_yaml
from simulator.catalog.file_kinds import kind_named
from simulator.catalog.json_schema import file_schema
from simulator.catalog.pages import page
from tests.end_to_end.test_broken_files import FILE, FREE_NAMES, NEVER_RIGHT, broken, complaint
from tests.key_paths import key_paths

FILES = sorted(PROBLEMS.glob("*.yaml"))
PAGE = Path(__file__).parents[2] / "docs" / "triangularize.md"


@pytest.fixture
def kind():
    parser_of()
    return kind_named("triangular")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_invalid_value_is_refused_with_its_key(file):
    mapping = read_yaml(file)
    assert complaint(lambda m: problem_from_mapping(m, FILE), mapping) is None
    for place in key_paths(mapping):
        for value in NEVER_RIGHT:
            if value == {"a": 1} and (place[-1] in FREE_NAMES or not isinstance(place[-1], str)):
                continue  # mappings of arbitrary names: the error is about their content
            error = complaint(lambda m: problem_from_mapping(m, FILE), broken(mapping, place, value))
            assert error is not None and error.file == FILE, (place, value)
            key = next(step for step in reversed(place) if isinstance(step, str))
            assert any(key in one.key for one in error.errors), (place, value, str(error))


def test_the_schema_describes_every_file_and_refuses_what_the_reader_refuses(kind):
    validator = Draft202012Validator(file_schema(kind.name, kind.description, kind.table, kind.based))
    contents = list(map(read_yaml, FILES))
    assert contents and all(map(validator.is_valid, contents))
    assert not validator.is_valid({**contents[0], "equations": []})


def test_the_page_has_the_table_of_keys(kind):
    rows = [line for line in page(kind).splitlines() if line.startswith("| `")]
    assert len(rows) > 5
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8"), (
        "docs/triangularize.md: insert the rows of `python -m research schema triangular --markdown`"
    )


def test_a_file_is_checked_by_its_keys(tmp_path, capsys):
    copy = tmp_path / "mine.yaml"
    copy.write_text(FILES[0].read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["check", str(copy), str(FILES[1])]) == 0
    assert capsys.readouterr().out == f"{copy}: good (triangular)\n{FILES[1]}: good (triangular)\n"
    assert main(["triangularize", "no_such_problem"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
