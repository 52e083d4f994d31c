"""The verbs that look at one part of a drive: terrain, tire, cueing."""

from __future__ import annotations

import argparse

from simulator.base.argument_types import Commands, number_between
from simulator.cli.commands.options import add_plugin


def add_terrain(commands: Commands) -> None:
    """The verb `terrain`."""
    terrain = commands.add_parser("terrain", help="files of heights of others, and terrains made of them: what they hold, pictures, import")
    verbs = terrain.add_subparsers(title="what", metavar="WHAT", required=True)

    p = verbs.add_parser("info", help="size, spacing, range, voids and reference system of a file, and heights at points")
    _add_heights_file(
        p, "terrain by name or file (.yaml), or a file of heights: .tif, .hgt, .asc, .raw, .png, .npy, .crg, .obj, .gltf, .glb"
    )
    p.add_argument(
        "--at",
        metavar="POINTS.csv",
        help="heights at points: columns x,y (those of the file, of a terrain its own in m), easting,northing, lon,lat, or u,v along a road",
    )
    p.add_argument(
        "--raw", action="store_true", help="of a terrain the heights of its base grid alone; of an OpenCRG road those of the header"
    )
    p.add_argument(
        "--roughness",
        action="store_true",
        help="class of ISO 8608 in every octave, of a terrain ahead and across from where a drive begins and along its roads, or of a profile (.csv "
        "with columns x,z in m)",
    )
    p.add_argument(
        "--plot", metavar="OUT.png", help="with --roughness: a picture of the spectra, of a terrain of left and right together too"
    )
    p.set_defaults(run=_terrain_info)

    p = verbs.add_parser("import", help="make a terrain (.yaml and .npy) of a file of heights; voids are filled, and said")
    _add_heights_file(p, "file of heights")
    p.add_argument("--out", metavar="NAME", required=True, help="terrain to make: NAME.yaml and NAME.npy")
    p.add_argument("--crs", metavar="EPSG:N", help="reference system of the terrain, in m (default: the file's, of degrees their UTM zone)")
    p.add_argument("--spacing", type=number_between(0.01, 1000.0), metavar="M", help="distance of nodes (default: of the samples)")
    p.add_argument(
        "--window",
        nargs=4,
        type=number_between(-1e9, 1e9),
        metavar=("XMIN", "YMIN", "XMAX", "YMAX"),
        help="a part of the file alone, in its coordinates",
    )
    of = p.add_mutually_exclusive_group()
    of.add_argument("--surface", metavar="NAME", default="asphalt", help="hard surface all over (default: asphalt)")
    of.add_argument("--soil", metavar="NAME", help="soil all over")
    p.set_defaults(run=_terrain_import)

    p = verbs.add_parser("make", help="make a terrain by a seed: a proving ground, eroded hills, blocks of a town, dunes and mud")
    p.add_argument(
        "kind", choices=("proving_ground", "hills", "town", "dunes"), metavar="KIND", help="proving_ground, hills, town or dunes"
    )
    p.add_argument("--out", metavar="NAME", required=True, help="terrain to make: NAME.yaml, NAME_heights.png, NAME_soils.png")
    p.add_argument(
        "--seed", type=number_between(0, 2**31, whole=True), metavar="N", default=1, help="one of the possible ones (default: 1)"
    )
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a number of its kind, for example size_m=400 (docs/made_terrains.md)",
    )
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_terrain_make)

    p = verbs.add_parser("show", help="a picture of a terrain or a file of heights, lit from the north-west")
    _add_heights_file(p, "terrain by name or file (.yaml), or a file of heights")
    p.add_argument("--out", metavar="OUT.png", help="where to draw it (default: the file's name in the current folder)")
    p.set_defaults(run=_terrain_show)


def _add_heights_file(p: argparse.ArgumentParser, what: str) -> None:
    """A file of heights and what can be said of it."""
    p.add_argument("file", metavar="FILE", help=what)
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what a file of heights does not say of itself, a key of the section heights of a terrain file, for example spacing=[0.5,0.5], "
        "up=z or 'ignore=[roof*]'; may be given again",
    )
    p.add_argument("--json", action="store_true", help="print one JSON object")


def _terrain_info(arguments: argparse.Namespace) -> int:
    if arguments.roughness:
        from simulator.tools.terrain.roughness_info import main_roughness

        return main_roughness(arguments)
    from simulator.tools.terrain.info_command import main_info

    return main_info(arguments)


def _terrain_import(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.import_command import main_import

    return main_import(arguments)


def _terrain_make(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.make_command import main_make

    return main_make(arguments)


def _terrain_show(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.show_command import main_show

    return main_show(arguments)


def add_tire(commands: Commands) -> None:
    """The verb `tire`."""
    p = commands.add_parser("tire", help="curves of a tire as a picture, and a table of its stiffnesses, peaks and relaxation")
    p.add_argument("file", metavar="FILE", help="tire by name or file (.yaml), or a tire property file (.tir)")
    add_plugin(p)
    p.add_argument("--out", metavar="OUT.png", help="where to draw the curves (default: the tire's name in the current folder)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_tire)


def _tire(arguments: argparse.Namespace) -> int:
    from simulator.tools.tires.command import main_tire

    return main_tire(arguments)


def add_cueing(commands: Commands) -> None:
    """The verb `cueing`."""
    p = commands.add_parser(
        "cueing",
        help="what a head feels of a washout on its platform: the objective test, or recorded drives through washouts side by side; "
        "`cueing tune RUN ...` finds a set",
    )
    p.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="folder of a run or drive, or its log, recorded with --log-rate 1000 (default: no drive, the objective test); the word tune "
        "before them looks for a set of numbers of the washout that suits them",
    )
    p.add_argument("--washout", nargs="+", metavar="NAME", help="washouts by name or file (default: small_hexapod)")
    p.add_argument("--platform", nargs="+", metavar="NAME", help="a platform for all, or one for each washout (default: small_hexapod)")
    p.add_argument(
        "--gain",
        type=number_between(0.01, 2.0),
        metavar="K",
        help="drives: scale of the car's force that is held against (default: the force_gain of each washout)",
    )
    p.add_argument(
        "--amplitude",
        nargs="+",
        type=number_between(1e-4, 20.0),
        metavar="A",
        help="objective test: sizes of the sines, 1 being 1 m/s2 and 6 degrees or 1 degree a second (default: 1 0.25)",
    )
    p.add_argument(
        "--sets",
        type=number_between(10, 1e6),
        default=600,
        metavar="N",
        help="tune: sets of numbers to try, beginning with those of the washout (default: 600)",
    )
    p.add_argument("--attendant-gravity", action="store_true", help="objective test: roll and pitch come with their share of gravity")
    add_plugin(p)
    p.add_argument("--out", metavar="DIR", help="folder to write into (default: a new one under runs/)")
    p.add_argument("--json", action="store_true", help="print one JSON object")
    p.set_defaults(run=_cueing)


def _cueing(arguments: argparse.Namespace) -> int:
    if arguments.runs[:1] == ["tune"]:
        from simulator.tools.cueing.tune_command import main_tune

        return main_tune(arguments)
    from simulator.tools.cueing.command import main_cueing

    return main_cueing(arguments)
