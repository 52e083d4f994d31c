"""Papers that Jounce implements, and a row for each of their tables and figures: what reproduces it, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from research.papers import tables
from research.papers.compared import Compared
from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean

TABLE, FIGURE = "table", "figure"
SHOWN = "drawing of the model"


class Item(NamedTuple):
    """A table or figure of a paper."""

    kind: str
    number: str
    subject: str
    command: str
    """Command that reproduces it; empty for a drawing."""
    page: str
    """Page in docs."""
    code: str
    """Module or file."""
    differs: str
    minutes: float
    """Duration of the command with compiled kernels on two cores of an x86 machine, rounded up; 0: seconds."""
    compare: Callable[[], list[Compared]] | None = None
    """Returns the numbers of the paper and of Jounce."""
    measured: tuple[str, str, str] | None = None
    """Heading of the page, column of Jounce and of the paper, for times, which the page of the paper does not measure again."""
    picture: str = ""
    """Picture in docs that the command has made."""

    @property
    def name(self) -> str:
        """Name in a command: `table 1`."""
        return f"{self.kind} {self.number}"


class Paper(NamedTuple):
    """A paper: number in commands, key of its citations, title, items."""

    number: str
    key: str
    title: str
    items: tuple[Item, ...]


JAIN = Paper(
    "000",
    "Jain 2016",
    "Constraint embedding for vehicle suspension dynamics",
    (
        Item(FIGURE, "1", "fully augmented, tree-augmented and embedded model", "python -m research bench formulations", "formulations.md",
             "vehicles/multibody/formulations", "numbers are those of [Cameron 2013]", 5,
             picture="formulations.png"),
        Item(FIGURE, "2", f"{SHOWN}: HMMWV", "jounce mechanism hmmwv", "double_wishbone.md", "configs/vehicles/hmmwv.yaml",
             "hardpoints of Project Chrono; three-dimensional", 0),
        Item(FIGURE, "4", f"{SHOWN}: front suspensions and steering", "jounce mechanism hmmwv", "double_wishbone.md",
             "vehicles/steering/pitman_arm.py", "", 0),
        Item(FIGURE, "5", "double wishbone: points A to G", "jounce kc hmmwv", "double_wishbone.md",
             "vehicles/suspension/double_wishbone/kinematics.py", "hinge axes need not be parallel", 1),
        Item(FIGURE, "6", "Pitman steering", "jounce kc hmmwv", "double_wishbone.md", "vehicles/steering/pitman_arm.py",
             "the coupling to the tie rods is three-dimensional", 1),
    ),
)  # fmt: skip
CAMERON = Paper(
    "001",
    "Cameron 2013",
    "Real-time and high-fidelity simulation environment for autonomous ground vehicle dynamics",
    (
        Item(TABLE, "1", "coordinates and constraints of the formulations (first columns of the only table)", "python -m research bench formulations",
             "formulations.md", "research/benchmarks/formulations.py", "loops are spatial, those of the paper planar: eight more in TA",
             0, tables.formulation_sizes),
        Item(TABLE, "2", "time of the formulations (last column of the only table)", "python -m research bench formulations", "formulations.md",
             "research/benchmarks/formulations.py", "closed form with vector lanes; sparse solver of FA", 3, tables.formulation_times,
             ("### Vehicle: cost", "to the closed form", "[Cameron 2013]")),
        Item(FIGURE, "1", "quarter car", "python -m research bench formulations", "formulations.md", "research/benchmarks/wheel_load_cases.py",
             "all formulations agree; differences on the page", 5),
        Item(FIGURE, "2", f"{SHOWN}: HMMWV", "jounce mechanism hmmwv", "double_wishbone.md", "configs/vehicles/hmmwv.yaml", "hardpoints of Project Chrono", 0),
        Item(FIGURE, "3", "closed chain with its cut", "jounce mechanism four_bar", "mechanisms.md", "vehicles/multibody", "", 0),
        Item(FIGURE, "4", "FA, TA and CE of one system", "python -m research bench formulations", "formulations.md", "vehicles/multibody/formulations", "", 5),
        Item(FIGURE, "5", "town", "jounce terrain make town --out town", "generated_terrains.md", "terrain/generators/town.py",
             "generator of Jounce instead of CityEngine", 1, picture="gallery/town.jpg"),
        Item(FIGURE, "6", "depth map of the town", "jounce terrain show streets --plot town.png", "terrain_files.md",
             "simulator/tools/terrain/show_command.py", "heights from the generator, not from rendered depth", 1),
        Item(FIGURE, "7", "off-road terrain", "jounce terrain show jacksboro --plot off_road.png", "terrain_files.md", "configs/terrains", "another place", 1),
        Item(FIGURE, "8", "lidar", "jounce run urban_navigation --frames", "lidar.md", "simulator/sensors/lidar", "rays instead of the depth buffer", 2),
        Item(FIGURE, "9", "scenario 1, urban navigation", "jounce run urban_navigation --figure", "autonomy.md#figure-of-a-drive",
             "configs/maneuvers/urban_navigation.yaml", "streets, speed and obstacles are assumed", 3, picture="urban_navigation.png"),
        Item(FIGURE, "10", "scenario 2, double lane change: path", "jounce run double_lane_change", "proving_ground.md",
             "configs/maneuvers/double_lane_change.yaml", "width and length of the change are assumed", 1),
        Item(FIGURE, "11", "scenario 2: speed", "jounce run double_lane_change", "proving_ground.md", "configs/maneuvers/double_lane_change.yaml",
             "the paper prints curves, no numbers", 1),
        Item(FIGURE, "12", "scenario 2: roll, pitch, yaw", "jounce run double_lane_change", "proving_ground.md",
             "configs/maneuvers/double_lane_change.yaml", "the paper prints curves, no numbers", 1),
        Item(FIGURE, "13", "scenario 2: lateral acceleration", "jounce run double_lane_change", "proving_ground.md",
             "configs/maneuvers/double_lane_change.yaml", "the paper prints curves, no numbers", 1),
        Item(FIGURE, "14", "scenario 2: yaw rate", "jounce run double_lane_change", "proving_ground.md", "configs/maneuvers/double_lane_change.yaml",
             "the paper prints curves, no numbers", 1),
        Item(FIGURE, "15", "scenario 3, off-road driving by a person", "jounce drive --session off_road", "driving.md",
             "configs/sessions/off_road.yaml", "another place; keyboard, gamepad or wheel", 0),
    ),
)  # fmt: skip
DEYO = Paper(
    "002",
    "Deyo 1989",
    "Notes on Real-Time Vehicle Simulation",
    (
        Item(TABLE, "3.1", "coordinates of the sports sedan", "jounce mechanism sedan_paper", "macpherson.md", "configs/vehicles/sedan_paper.yaml",
             "", 0, tables.sedan_size),
        Item(TABLE, "3.2", "time of the recursive algorithm", "python -m research bench formulations", "formulations.md",
             "vehicles/multibody/formulations/recursive.py", "computers of 1989 and another vehicle: not compared", 1),
        Item(FIGURE, "1.1", "parts of a driving simulator", "jounce drive", "driving.md", "simulator/host/drive.py", "", 0),
        Item(FIGURE, "2.3", "MacPherson strut as a constrained system", "jounce kc sedan_paper", "macpherson.md", "vehicles/suspension/macpherson", "", 1),
        Item(FIGURE, "3.6", "graph of the vehicle with its cuts", "jounce mechanism sedan_paper", "mechanisms.md",
             "vehicles/multibody/description/topology.py", "", 0),
        Item(FIGURE, "3.8", "MacPherson front suspension", "jounce kc sedan_paper", "macpherson.md", "vehicles/suspension/macpherson", "", 1),
        Item(FIGURE, "3.10", "forces and moments of a tire", "jounce tire measured_mxv8 --plot tire.png", "tires.md", "vehicles/tires",
             "TMeasy, Magic Formula or measured tables", 1),
        Item(FIGURE, "3.11", "parallel tasks of the recursive algorithm", "", "formulations.md", "vehicles/multibody/formulations/recursive.py",
             "not parallel: a step takes microseconds", 0),
        Item(FIGURE, "4.1", "semicircular canals", "jounce cueing test", "cueing.md", "washout/vestibular.py", "", 1),
        Item(FIGURE, "4.4", "frequency response of the otolith model", "jounce cueing test", "cueing.md", "washout/vestibular.py", "tested, not drawn", 1),
        Item(FIGURE, "4.5", "linear washout filter", "jounce cueing test", "theory/washouts.md", "washout/classical.py", "filters are exact for linear input", 1),
        Item(FIGURE, "4.6", "false cue of a high-pass after a step", "jounce cueing test", "theory/washouts.md",
             "simulator/tools/cueing/step_response.py", "", 1),
    ),
)  # fmt: skip
INTERPOLATION = Paper(
    "003",
    "Suspension interpolation",
    "(title unknown) interpolated pose of a wheel carrier",
    (
        Item(FIGURE, "1", f"{SHOWN}: double wishbone", "jounce kc hmmwv", "suspension_interpolation.md",
             "vehicles/suspension/double_wishbone/build_pose_table.py", "another car", 1),
        Item(TABLE, "1", "largest errors of position and rotation (text at the end)", "python -m research paper 003 table 1", "suspension_interpolation.md",
             "vehicles/suspension/tables/pose_table.py", "another car; the paper does not print the number of nodes", 0, tables.interpolation_errors),
    ),
)  # fmt: skip
UCHIDA = Paper(
    "004",
    "Uchida 2012",
    "Using Gröbner bases to generate efficient kinematic solutions for the dynamic simulation of multi-loop mechanisms",
    (
        Item(TABLE, "1", "time of the Gough-Stewart platform, ms per s", "python -m research bench mechanisms", "mechanism_benchmarks.md",
             "research/benchmarks/stewart_methods.py", "initial pose assumed; another computer", 1, tables.stewart_times,
             ("## Gough-Stewart platform", "ms/s", "paper, ms/s")),
        Item(TABLE, "2", "triangular system of a link of the five-link suspension", "python -m research triangularize five_link_loop",
             "triangularize.md", "research/triangular/problems/five_link_loop.yaml", "digits belong to other hardpoints", 0, tables.five_link_polynomials),
        Item(TABLE, "3", "time of the five-link suspension, ms per s", "python -m research bench mechanisms", "mechanism_benchmarks.md",
             "research/benchmarks/five_link_methods.py", "other hardpoints; another computer", 1, tables.five_link_times,
             ("## Five-link suspension", "ms/s", "paper, ms/s"), "mechanism_benchmarks.png"),
        Item(TABLE, "4", "triangular system of the landing gear", "python -m research triangularize landing_gear", "triangularize.md",
             "research/triangular/problems/landing_gear.yaml", "equal", 0, tables.landing_gear_polynomials),
        Item(FIGURE, "1", f"{SHOWN}: Gough-Stewart platform", "jounce mechanism stewart", "mechanisms.md", "configs/mechanisms/stewart.yaml",
             "initial pose assumed", 0),
        Item(FIGURE, "2", "order of the solution", "python -m research bench mechanisms", "mechanism_benchmarks.md", "simulator/validation/linkages/stewart.py", "", 1),
        Item(FIGURE, "3", f"{SHOWN}: five-link suspension", "jounce mechanism five_link", "mechanisms.md", "configs/mechanisms/five_link.yaml",
             "other hardpoints", 0),
        Item(FIGURE, "7", "motion of the landing gear", "jounce mechanism landing_gear", "mechanisms.md", "configs/mechanisms/landing_gear.yaml", "", 0),
        Item(FIGURE, "8", "topology of the landing gear", "jounce mechanism landing_gear", "mechanisms.md", "configs/mechanisms/landing_gear.yaml", "", 0),
    ),
)  # fmt: skip
PAPERS = (JAIN, CAMERON, DEYO, INTERPOLATION, UCHIDA)


def paper_of(name: str) -> Paper:
    """Return a paper by its number (`001`, `1`) or its key in any case (`cameron 2013`). Raises JounceError."""
    for paper in PAPERS:
        if name.lower() == paper.key.lower() or (name.isdecimal() and int(name) == int(paper.number)):
            return paper
    numbers = [paper.number for paper in PAPERS]
    keys = [paper.key for paper in PAPERS]
    raise JounceError(f"paper: unknown paper; expected one of {', '.join((*numbers, *keys))}; got {name!r}{did_you_mean(name, keys)}")


def item_of(paper: Paper, words: tuple[str, ...]) -> Item:
    """Return a table or figure by kind and number. Raises JounceError."""
    name = " ".join(words).lower()
    found = next((item for item in paper.items if item.name == name), None)
    if found is None:
        known = ", ".join(item.name for item in paper.items)
        raise JounceError(f"paper {paper.number}: unknown table or figure; expected one of {known}; got {name!r}")
    return found
