"""Are folders and single files of a command named, created and removed as they should be?"""

import argparse
from pathlib import Path

import pytest

from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.cli import main as program
from simulator.cli.output_options import check_named_file, check_single_file, named_file, output_folder, single_file
from simulator.cli.parser import parser_of


def test_no_parser_takes_abbreviations():
    def check(parser):
        assert not parser.allow_abbrev
        for action in parser._actions:
            for inner in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
                check(inner)

    check(parser_of())
    check(parser_of("mechanism"))


def arguments(**given):
    return argparse.Namespace(**{"out": None, "html": None, "plot": None, "name": None, **given})


@pytest.mark.parametrize(
    ("check", "option", "out", "hint"),
    [
        (check_single_file, "html", "p.html", "--html p.html"),
        (check_single_file, "html", "P.HTM", "--html P.HTM"),
        (check_single_file, "plot", "a/b.png", "--plot a/b.png"),
        (check_named_file, None, "a/hills.yaml", "--out a --name hills.yaml"),
        (check_named_file, None, Path("wheel.yml"), "--out . --name wheel.yml"),
    ],
)
def test_a_file_in_out_is_refused_with_the_option_that_writes_it(check, option, out, hint):
    with pytest.raises(ConfigError) as error:
        check(arguments(out=out), *([option] if option else []))
    assert str(error.value) == f"--out: invalid value; expected a folder; got {str(out)!r}; hint: is {hint} meant?"


def test_a_folder_that_exists_may_be_called_like_a_file(tmp_path):
    folder = tmp_path / "old.png"
    folder.mkdir()
    with single_file(found := arguments(out=str(folder)), "plot"):
        assert found.output_file("x.png") == folder / "x.png"


@pytest.mark.parametrize("given", [{"plot": "a.pdf"}, {"plot": "a"}])
def test_a_single_file_has_the_suffix_of_its_kind(given):
    with pytest.raises(ConfigError, match=r"--plot: .*ends in \.png"):
        check_single_file(arguments(**given), "plot")


def test_out_is_a_folder_for_a_single_file(tmp_path):
    with single_file(found := arguments(out=str(tmp_path / "a" / "b")), "plot"):
        assert found.output_file("x.png") == tmp_path / "a" / "b" / "x.png"
        assert (tmp_path / "a" / "b").is_dir()
    with single_file(found := arguments(plot="c.png"), "plot"):
        assert found.output_file("x.png") == Path("c.png")
    with single_file(found := arguments(), "plot"):
        assert found.output_file("x.png") == Path("x.png")


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


def test_a_terrain_is_named_like_its_folder():
    assert named_file(arguments(out="a/hills")) == Path("a/hills/hills.yaml")
    assert named_file(arguments(out="a/hills/")) == Path("a/hills/hills.yaml")
    assert named_file(arguments(out="a/hills", name="mine")) == Path("a/hills/mine.yaml")
    assert named_file(arguments(out=".")).name == f"{Path.cwd().name}.yaml"
    with pytest.raises(ConfigError, match="--name"):
        named_file(arguments(out="/"))
