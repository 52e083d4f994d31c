"""Files of published values: their contents, and the errors of invalid files."""

import math
import re

import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.configuration.file_lookup import data_folder
from simulator.validation.datasheet.definitions import ITEMS
from simulator.validation.datasheet.published_file import TOLERANCE, load_published, published_of

SHIPPED = data_folder("configs") / "datasheets" / "hmmwv.yaml"
GOOD = {
    "vehicle": "a truck",
    "sources": {"brochure": "Brochure of the maker, 2021"},
    "figures": {
        "mass": {"value": 2.4, "unit": "t", "sources": ["brochure"]},
        "top_speed": {"min": 36.0, "max": 72.0, "unit": "kph", "sources": ["brochure"], "remark": "by variant"},
        "toe_front_left": {"min": -0.5, "max": 0.5, "unit": "deg", "mark": "mem"},
        "grade_60": {"value": "climbed", "sources": ["brochure"]},
        "wheelbase": {"value": 3.4, "mark": "std"},
    },
}


def written(tmp_path, content):
    file = tmp_path / "truck.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def test_figures_are_in_the_units_of_their_facts(tmp_path):
    published = load_published(written(tmp_path, GOOD))
    figures = published.figures
    assert published.name == "truck" and published.vehicle == "a truck"
    assert figures["mass"].value == pytest.approx(2400.0)
    assert (figures["top_speed"].least, figures["top_speed"].most) == pytest.approx((10.0, 20.0))
    assert figures["toe_front_left"].most == pytest.approx(math.radians(0.5))
    assert figures["grade_60"].value == 1.0
    assert figures["mass"].sources == ("Brochure of the maker, 2021",)
    assert (figures["mass"].written, figures["top_speed"].written, figures["grade_60"].written) == ("2400", "36 to 72", "climbed")


def test_tolerance_and_ranges(tmp_path):
    figures = load_published(written(tmp_path, GOOD)).figures
    mass = 2400.0
    assert figures["mass"].holds(mass * (1.0 + 0.99 * TOLERANCE)) and not figures["mass"].holds(mass * (1.0 + 1.01 * TOLERANCE))
    assert figures["top_speed"].holds(10.0) and figures["top_speed"].holds(20.0)
    assert not figures["top_speed"].holds(9.99) and not figures["top_speed"].holds(20.01)
    assert figures["grade_60"].holds(1.0) and not figures["grade_60"].holds(0.0)


BROKEN = [
    # figure                                                     key of the complaint            what it says
    ({"masss": {"value": 1.0, "mark": "mem"}}, "figures.masss", "did you mean mass?"),
    ({"mass": {"value": 1.0, "unit": "kph", "mark": "mem"}}, "figures.mass.unit", "kg, t, lb, slug"),
    ({"mass": {"value": 1.0, "unit": "stone", "mark": "mem"}}, "figures.mass.unit", "a unit"),
    ({"mass": {"value": 1.0, "sources": ["brochures"]}}, "figures.mass.sources[0]", "did you mean brochure?"),
    ({"mass": {"value": 1.0}}, "figures.mass.sources", "a source, or a mark"),
    ({"mass": {"mark": "mem"}}, "figures.mass", "value, min or max"),
    ({"mass": {"min": 3.0, "max": 2.0, "mark": "mem"}}, "figures.mass.max", "a number of at least `min`"),
    ({"mass": {"value": 1.0, "min": 2.0, "mark": "mem"}}, "figures.mass.value", "a number from `min` to `max`"),
    ({"load": {"value": 0.0, "mark": "mem"}}, "figures.load.value", "`min` and `max` around 0"),
    ({"grade_60": {"value": "climbed", "max": 2.0, "mark": "mem"}}, "figures.grade_60.max", "no limit"),
    ({"mass": {"value": "heavy", "mark": "mem"}}, "figures.mass.value", "a number"),
    ({"mass": {"value": 1.0, "mark": "guess"}}, "figures.mass.mark", "mem"),
    ({"grade_60": {"value": "flown", "mark": "mem"}}, "figures.grade_60.value", "rolled back, climbed"),
    ({"grade_60": {"min": 1.0, "mark": "mem"}}, "figures.grade_60.value", "rolled back, climbed"),
    ({"mass": {"valeu": 1.0, "mark": "mem"}}, "figures.mass.valeu", "value"),
    ({"mass": [1.0]}, "figures.mass", "mapping"),
]


@pytest.mark.parametrize(("figures", "key", "expected"), BROKEN, ids=[f"{n}-{key}" for n, (_, key, _) in enumerate(BROKEN)])
def test_a_broken_file_names_file_key_and_what_was_expected(figures, key, expected, tmp_path):
    file = written(tmp_path, {**GOOD, "figures": figures})
    with pytest.raises(ConfigError) as caught:
        load_published(file)
    assert caught.value.key == key
    assert str(file) in str(caught.value) and expected in str(caught.value)


def test_a_value_replaces_that_of_the_base_as_a_whole(tmp_path):
    """Neither the range nor the sources of the base belong to it; the other values of the base stay."""
    base = written(tmp_path, GOOD)
    file = tmp_path / "own.yaml"
    file.write_text("base: truck.yaml\nvehicle: mine\nfigures:\n  top_speed: {value: 10, mark: mem}\n  wheelbase: null\n", encoding="utf-8")
    figures, of_base = load_published(file).figures, load_published(base).figures
    speed = figures["top_speed"]
    assert (speed.value, speed.least, speed.most, speed.sources, speed.remark) == (10.0, None, None, (), "")
    assert figures["mass"] == of_base["mass"] and set(figures) == set(of_base) - {"wheelbase"}


def test_an_unknown_item_is_reported_next_to_other_errors(tmp_path):
    figures = {"mass": {"valeu": 1.0, "mark": "mem"}, "mas": {"value": 1.0, "mark": "mem"}}
    with pytest.raises(ConfigError) as caught:
        load_published(written(tmp_path, {**GOOD, "figures": figures}))
    assert {error.key for error in caught.value.errors} == {"figures.mass.valeu", "figures.mas"}


def test_all_errors_are_reported_at_once(tmp_path):
    figures = {"mass": {"value": 1.0}, "top_speed": {"mark": "mem"}}
    with pytest.raises(ConfigError) as caught:
        load_published(written(tmp_path, {**GOOD, "figures": figures}))
    assert [error.key for error in caught.value.errors] == ["figures.mass.sources", "figures.top_speed"]


def test_the_shipped_file_says_where_its_figures_are_from():
    published = load_published(SHIPPED)
    assert set(published.figures) <= {fact.name for fact in ITEMS}
    for name, figure in published.figures.items():
        assert figure.sources or figure.mark, name
    assert not re.search(r"/(home|root|tmp|work)/", SHIPPED.read_text(encoding="utf-8"))
    # figures of the sheets that were read, in other units
    assert published.figures["mass_unladen"].most == pytest.approx(5200 * 0.45359237, abs=1.0)
    assert published.figures["ground_clearance"].value == pytest.approx(16 * 0.0254)
    assert published.figures["top_speed"].least == pytest.approx(65 * 0.44704, rel=1e-3)
    assert published.figures["top_speed"].most == pytest.approx(70 * 0.44704, rel=1e-3)
    assert published.figures["turning_circle_curb_left"].value == pytest.approx(2 * 7.62)


def test_the_file_is_found_by_the_vehicle_or_by_its_base(tmp_path):
    assert published_of("hmmwv") == SHIPPED
    (tmp_path / "mine.yaml").write_text("base: hmmwv\nname: mine\n", encoding="utf-8")
    (tmp_path / "heavier.yaml").write_text("base: mine\nname: heavier\n", encoding="utf-8")
    assert published_of(str(tmp_path / "heavier.yaml")) == SHIPPED
    assert published_of("hmmwv_chrono") is None
