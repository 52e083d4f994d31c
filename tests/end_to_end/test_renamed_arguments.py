"""Do old verbs and options work with one warning that names the new one, and do other words stay as they are?"""

import argparse
import warnings
from pathlib import Path

import pytest

from simulator.base import renamed
from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.cli import main as program
from simulator.cli.output_options import move_old_file, named_file, output_folder, single_file, split_old_file
from simulator.cli.parser import parser_of
from simulator.cli.renamed_arguments import present_arguments

REST = {
    "optimize": ["FILE"],
    "datasheet": ["hmmwv"],
    "mechanism": ["four_bar"],
    "run": ["avtp_lane_change"],
}
"""Further arguments of a verb."""
SUBCOMMANDS = {"--sets": ["tune", "RUN"]}
"""Subcommand of an option."""
VALUES = {
    "--plots": ["none"],
    "--evaluations": ["100"],
    "--reference": ["NAME"],
    "--stabilization": ["none"],
    "--integrator": ["rk4"],
    "--plot": ["FILE.png"],
}
"""Value of an option; no value for a flag."""


@pytest.fixture
def parsed(monkeypatch, capsys):
    """Return a function: exit code, arguments and lines on stderr of a command line that is parsed, but not run."""
    found = {}

    def run(arguments):
        found["arguments"] = arguments
        return 0

    def parser(*words):
        made = parser_of(*words)
        parse = made.parse_known_args

        def parse_only(argv):
            arguments, unknown = parse(argv)
            arguments.run = run
            return arguments, unknown

        made.parse_known_args = parse_only
        return made

    monkeypatch.setattr(program, "parser_of", parser)

    def call(*words):
        code = program.main(list(words))
        return code, found["arguments"], capsys.readouterr().err.splitlines()

    return call


@pytest.mark.parametrize(("old", "new"), renamed.COMMANDS.items())
def test_an_old_verb_is_the_new_one_with_a_warning(old, new, parsed):
    rest = REST.get(" ".join(new), [])
    code, arguments, lines = parsed(*old, *rest)
    assert code == 0
    assert lines == [f"jounce: {' '.join(old)}: deprecated; use {' '.join(new)}"]
    assert parsed(*new, *rest) == (0, arguments, [])


@pytest.mark.parametrize(("verb", "old", "new"), [(*key, new) for key, new in renamed.OPTIONS.items()])
@pytest.mark.parametrize("joined", [False, True])
def test_an_old_option_is_the_new_one_with_a_warning(verb, old, new, joined, parsed):
    words = [verb, *SUBCOMMANDS.get(old, REST.get(verb, []))]
    value = VALUES.get(new, [])

    def with_value(option):
        return [f"{option}={value[0]}"] if joined and value else [option, *value]

    code, arguments, lines = parsed(*words, *with_value(old))
    assert code == 0
    assert lines == [f"jounce: {old}: deprecated; use {new}"]
    assert parsed(*words, *with_value(new)) == (0, arguments, [])


def test_an_old_verb_with_an_old_option_gives_two_warnings(parsed):
    _, arguments, lines = parsed("facts", "hmmwv", "--figures", "mine")
    assert [line.removeprefix("jounce: ") for line in lines] == [
        "facts: deprecated; use datasheet",
        "--figures: deprecated; use --reference",
    ]
    assert arguments.reference == "mine"


def test_json_output_has_no_warning_beside_it(parsed):
    assert parsed("facts", "hmmwv", "--json")[2] == []


@pytest.mark.parametrize(
    ("words", "new", "warning"),
    [
        (["cueing"], ["cueing", "test"], "cueing: deprecated; use cueing test"),
        (["cueing", "--washout", "a", "b"], ["cueing", "test", "--washout", "a", "b"], "cueing: deprecated; use cueing test"),
        (["cueing", "run1", "run2"], ["cueing", "compare", "run1", "run2"], "cueing RUN: deprecated; use cueing compare RUN"),
        (["cueing", "--gain", "1", "r"], ["cueing", "compare", "--gain", "1", "r"], "cueing RUN: deprecated; use cueing compare RUN"),
        (
            ["cueing", "--washout", "a", "--", "r"],
            ["cueing", "compare", "--washout", "a", "--", "r"],
            "cueing RUN: deprecated; use cueing compare RUN",
        ),
        (["cueing", "--out", "test", "r"], ["cueing", "compare", "--out", "test", "r"], "cueing RUN: deprecated; use cueing compare RUN"),
        (["cueing", "tune", "r"], ["cueing", "tune", "r"], ""),
        (["cueing", "--json", "tune", "r"], ["cueing", "tune", "--json", "r"], ""),
        (["cueing", "--help"], ["cueing", "--help"], ""),
        (["cueing", "compare", "r"], ["cueing", "compare", "r"], ""),
    ],
)
def test_cueing_without_a_subcommand(words, new, warning):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert present_arguments(words) == new
    assert [str(one.message) for one in found] == [warning] * bool(warning)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "facts"],
        ["run", "optimise", "--out", "triangularize"],
        ["info", "facts"],
        ["check", "--", "--pictures"],
        ["run", "--", "--pictures"],
        ["sweep", "facts", "--pictures", "x"],  # the option of another verb
        ["terrain", "show", "--picture", "x"],
        ["--version"],
        [],
    ],
)
def test_other_words_stay_as_they_are(words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert present_arguments(words) == words


def test_no_parser_takes_abbreviations():
    def check(parser):
        assert not parser.allow_abbrev
        for action in parser._actions:
            for inner in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
                check(inner)

    check(parser_of())


def arguments(**given):
    return argparse.Namespace(**{"out": None, "html": None, "plot": None, "name": None, **given})


@pytest.mark.parametrize(("option", "file"), [("html", "p.html"), ("html", "P.HTM"), ("plot", "a/b.png")])
def test_a_file_in_out_moves_to_its_option_with_a_warning(option, file):
    with pytest.warns(UserWarning, match=f"^--out FILE: deprecated; use --{option} FILE$"):
        move_old_file(found := arguments(out=file), option)
    assert (found.out, getattr(found, option)) == (None, file)


@pytest.mark.parametrize("given", [{"plot": "a.pdf"}, {"plot": "a"}])
def test_a_single_file_has_the_suffix_of_its_kind(given):
    with pytest.raises(ConfigError, match=r"--plot: .*ends in \.png"):
        move_old_file(arguments(**given), "plot")


def test_out_is_a_folder_for_a_single_file(tmp_path):
    with single_file(found := arguments(out=str(tmp_path / "a" / "b")), "plot"):
        assert found.output_file("x.png") == tmp_path / "a" / "b" / "x.png"
        assert (tmp_path / "a" / "b").is_dir()
    with single_file(found := arguments(plot="c.png"), "plot"):
        assert found.output_file("x.png") == Path("c.png")
    with single_file(found := arguments(), "plot"):
        assert found.output_file("x.png") == Path("x.png")
    (tmp_path / "old.png").mkdir()
    with single_file(found := arguments(out=str(tmp_path / "old.png")), "plot"):
        assert found.output_file("x.png").parent.name == "old.png", "a folder that exists is no file"


def test_the_folder_of_a_command_that_fails_goes_again(tmp_path):
    with pytest.raises(JounceError, match="no tire"), output_folder(tmp_path / "a" / "b"):
        raise JounceError("no tire")
    assert not list(tmp_path.iterdir())
    with pytest.raises(JounceError), output_folder(tmp_path / "c"):
        (tmp_path / "c" / "result").write_text("")
        raise JounceError("late")
    assert (tmp_path / "c" / "result").exists()


def test_a_folder_that_cannot_be_created_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError), output_folder(tmp_path / "file" / "a"):
        pass
    assert program.main(["tire", "tmeasy_chrono", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"jounce: {tmp_path / 'file'}: cannot create the folder: File exists\n"


def test_a_terrain_is_named_like_its_folder(tmp_path):
    assert named_file(arguments(out="a/hills")) == Path("a/hills/hills.yaml")
    assert named_file(arguments(out="a/hills/")) == Path("a/hills/hills.yaml")
    assert named_file(arguments(out="a/hills", name="mine")) == Path("a/hills/mine.yaml")
    assert named_file(arguments(out=".")).name == f"{Path.cwd().name}.yaml"
    with pytest.raises(ConfigError, match="--name"):
        named_file(arguments(out="/"))
    with pytest.warns(UserWarning, match="^--out FILE: deprecated; use --out FOLDER --name NAME$"):
        assert named_file(arguments(out="a/hills.yaml")) == Path("a/hills.yaml")
    with pytest.raises(JounceError, match="exclude each other"):
        named_file(arguments(out="hills.yaml", name="mine"))


def test_a_profile_file_in_out_is_split_with_a_warning():
    with pytest.warns(UserWarning, match="^--out FILE: deprecated; use --out FOLDER --name NAME$"):
        split_old_file(found := arguments(out=Path("a/wheel.yaml")))
    assert (found.out, found.name) == (Path("a"), "wheel.yaml")
    split_old_file(found := arguments(out=Path("a/wheel")))
    assert (found.out, found.name) == (Path("a/wheel"), None)
