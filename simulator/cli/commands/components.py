"""Verbs of single components: terrain, vehicle, tire, cueing."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from simulator.base.argument_types import Commands, number_between
from simulator.cli.commands.options import add_json, add_out, add_plugin, add_session_file, command
from simulator.cli.output_options import add_single_file, named_file, output_folder, single_file


def add_terrain(commands: Commands) -> None:
    """Add the verb `terrain`."""
    terrain = commands.add_parser("terrain", help="inspect, plot, import and generate elevation data and terrains")
    verbs = terrain.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    _add_terrain_info(verbs)
    _add_terrain_import(verbs)
    _add_terrain_make(verbs)
    _add_terrain_show(verbs)


def _add_terrain_info(verbs: Commands) -> None:
    p = verbs.add_parser("info", help="show size, spacing, range and reference system; heights at points")
    _add_elevation_file(p, "terrain name or file (.yaml), or elevation data: .tif, .hgt, .asc, .raw, .png, .npy, .crg, .obj, .gltf, .glb")
    p.add_argument(
        "--at",
        metavar="POINTS.csv",
        help="points for heights: columns x,y (coordinates of the file, of a terrain in m), easting,northing, lon,lat, or u,v along a road (default: none)",
    )
    p.add_argument("--raw", action="store_true", help="terrain: heights of its base grid only; OpenCRG road: heights without the modifiers")
    p.add_argument(
        "--roughness",
        action="store_true",
        help="ISO 8608 class in each octave: of a terrain along its roads and ahead and across from the start, or of a profile (.csv "
        "with columns x,z in m)",
    )
    p.add_argument(
        "--plot",
        metavar="FILE",
        help="--roughness: PNG file of the spectra, of a terrain with the coherence of left and right (default: none)",
    )
    add_plugin(p)
    p.set_defaults(run=_terrain_info)


def _add_terrain_import(verbs: Commands) -> None:
    p = verbs.add_parser("import", help="create a terrain from elevation data, a mesh, or a world of a benchmark")
    _add_elevation_file(p, "file of elevation data; or verti_bench, barn: a world of this benchmark (docs/benchmark_worlds.md)")
    p.add_argument("path", metavar="PATH", nargs="?", help="verti_bench, barn: folder of the worlds")
    _add_terrain_folder(p, "NAME.yaml and the files that it names")
    p.add_argument("--world", type=number_between(0, 1e6, whole=True), metavar="N", help="verti_bench, barn: number of the world")
    p.add_argument(
        "--variant",
        choices=("as_simulated", "as_written"),
        help="verti_bench: soils and friction as its simulator uses them, or as its files say (default: as_simulated)",
    )
    p.add_argument("--scale", type=number_between(0.01, 100.0), metavar="S", help="barn: factor on all lengths (default: 1)")
    p.add_argument(
        "--crs", metavar="EPSG:N", help="reference system of the terrain, in m (default: that of the file, for degrees its UTM zone)"
    )
    p.add_argument("--spacing", type=number_between(0.01, 1000.0), metavar="M", help="node spacing [m] (default: sample spacing)")
    p.add_argument(
        "--window",
        nargs=4,
        type=number_between(-1e9, 1e9),
        metavar=("XMIN", "YMIN", "XMAX", "YMAX"),
        help="section of the file, in its coordinates (default: complete file)",
    )
    p.add_argument("--objects", action="store_true", help="mesh: import the drivable surface, and all other parts as objects on it")
    p.add_argument(
        "--clearance", type=number_between(0.1, 100.0), metavar="M", help="--objects: free height above the surface [m] (default: 3.5)"
    )
    of = p.add_mutually_exclusive_group()
    of.add_argument("--surface", metavar="NAME", default="asphalt", help="hard surface of the terrain (default: asphalt)")
    of.add_argument("--soil", metavar="NAME", help="soil of the terrain, instead of a hard surface (default: none)")
    p.set_defaults(run=_terrain_import)


def _add_terrain_make(verbs: Commands) -> None:
    p = verbs.add_parser("make", help="generate a terrain: proving ground, circuit, hills, town and others")
    kinds = ("proving_ground", "circuit", "hills", "town", "dunes", "forest", "rocks", "obstacle_field")
    p.add_argument("kind", choices=kinds, metavar="KIND", help=f"kind: {', '.join(kinds)}")
    _add_terrain_folder(p, "NAME.yaml, NAME_heights.png, NAME_soils.png, NAME_objects.csv")
    p.add_argument("--seed", type=number_between(0, 2**31, whole=True), metavar="N", default=1, help="random seed (default: 1)")
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="parameter of the kind, for example size_m=400 (docs/generated_terrains.md); repeatable",
    )
    add_json(p)
    p.set_defaults(run=_terrain_make)


def _add_terrain_show(verbs: Commands) -> None:
    p = verbs.add_parser("show", help="plot a terrain or elevation data as a hillshade")
    _add_elevation_file(p, "terrain name or file (.yaml), or a file of elevation data")
    add_single_file(p, "plot", "PNG file", "NAME.png in the current folder", "folder of NAME.png (default: none)")
    add_plugin(p)
    p.set_defaults(run=_terrain_show)


def _add_elevation_file(p: argparse.ArgumentParser, file: str) -> None:
    """Add the file of elevation data, described by `file`, --set and --json."""
    p.add_argument("file", metavar="FILE", help=file)
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="property that the elevation data lack, a key of the section heights of a terrain file, for example spacing=[0.5,0.5], "
        "up=z or 'ignore=[roof*]'; repeatable",
    )
    add_json(p)


def _add_terrain_folder(p: argparse.ArgumentParser, files: str) -> None:
    """Add --out and --name of a new terrain."""
    p.add_argument("--out", metavar="FOLDER", required=True, help=f"folder of the terrain: {files}")
    p.add_argument("--name", metavar="NAME", help="name of the terrain (default: last part of FOLDER)")


def _terrain_info(arguments: argparse.Namespace) -> int:
    if arguments.roughness:
        from simulator.tools.terrain.roughness_info import main_roughness

        return main_roughness(arguments)
    from simulator.tools.terrain.info_command import main_info

    return main_info(arguments)


def _terrain_import(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.benchmarks.command import BENCHMARKS, main_benchmark

    if arguments.file in BENCHMARKS:
        return _create_terrain(arguments, main_benchmark)
    from simulator.tools.terrain.import_command import main_import

    return _create_terrain(arguments, main_import)


def _terrain_make(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.make_command import main_make

    return _create_terrain(arguments, main_make)


def _create_terrain(arguments: argparse.Namespace, command: Callable[[argparse.Namespace], int]) -> int:
    """Run a command that writes a terrain into the folder of --out."""
    file = named_file(arguments)
    arguments.out = str(file)
    with output_folder(file.parent):
        return command(arguments)


def _terrain_show(arguments: argparse.Namespace) -> int:
    from simulator.tools.terrain.show_command import main_show

    with single_file(arguments, "plot"):
        return main_show(arguments)


def add_vehicle(commands: Commands) -> None:
    """Add the verb `vehicle`."""
    vehicle = commands.add_parser("vehicle", help="write a vehicle as a file for other programs")
    p = vehicle.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True).add_parser(
        "urdf", help="write a vehicle as a URDF for ROS: joints, masses, shapes, frames of sensors"
    )
    p.add_argument("vehicle", nargs="?", metavar="NAME", help="vehicle name or file (default: that of the session)")
    p.add_argument("--out", metavar="FILE", help="URDF file (default: standard output)")
    p.add_argument("--overwrite", action="store_true", help="permission to replace an existing file")
    add_session_file(p)
    add_plugin(p)
    p.set_defaults(run=command("simulator.tools.vehicle.urdf_command:main_urdf"))


def add_tire(commands: Commands) -> None:
    """Add the verb `tire`."""
    p = commands.add_parser("tire", help="plot the curves of a tire; list stiffnesses, peaks and relaxation")
    p.add_argument("file", metavar="FILE", help="tire name or file (.yaml), or a tire property file (.tir)")
    add_plugin(p)
    add_single_file(p, "plot", "PNG file of the curves", "NAME.png in the current folder", "folder of NAME.png (default: none)")
    add_json(p)
    p.set_defaults(run=_tire)


def _tire(arguments: argparse.Namespace) -> int:
    from simulator.tools.tires.command import main_tire

    with single_file(arguments, "plot"):
        return main_tire(arguments)


def add_cueing(commands: Commands) -> None:
    """Add the verb `cueing`."""
    cueing = commands.add_parser("cueing", help="test, compare and tune motion cueing (washouts) on a platform")
    verbs = cueing.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    _add_cueing_test(verbs)
    _add_cueing_compare(verbs)
    _add_cueing_tune(verbs)


def _add_cueing_test(verbs: Commands) -> None:
    p = verbs.add_parser("test", help="run the objective motion cueing test of washouts")
    _add_washouts(p)
    p.add_argument(
        "--amplitude",
        nargs="+",
        type=number_between(1e-4, 20.0),
        metavar="A",
        help="amplitude factors of the sines, 1 for 1 m/s2, 6 deg and 1 deg/s (default: 1 0.25)",
    )
    p.add_argument("--attendant-gravity", action="store_true", help="roll and pitch with the components of gravity")
    _add_output(p)
    p.set_defaults(run=command("simulator.tools.cueing.command:main_cueing"), runs=[], gain=None, preview=0.0)


def _add_cueing_compare(verbs: Commands) -> None:
    p = verbs.add_parser("compare", help="compare washouts on recorded drives")
    _add_runs(p)
    _add_washouts(p)
    p.add_argument(
        "--gain",
        type=number_between(0.01, 2.0),
        metavar="K",
        help="scale of the vehicle's force in the comparison (default: force_gain of each washout)",
    )
    p.add_argument(
        "--preview",
        type=number_between(0.02, 100.0),
        default=0.0,
        metavar="S",
        help="time of the coming motion that washouts with a preview receive [s] (default: none)",
    )
    _add_output(p)
    p.set_defaults(run=command("simulator.tools.cueing.command:main_cueing"))


def _add_cueing_tune(verbs: Commands) -> None:
    p = verbs.add_parser("tune", help="tune the parameters of a washout for recorded drives")
    _add_runs(p)
    p.add_argument("--washout", nargs=1, metavar="NAME", help="washout name or file (default: small_hexapod)")
    p.add_argument("--platform", nargs=1, metavar="NAME", help="platform name or file (default: small_hexapod)")
    p.add_argument(
        "--evaluations",
        type=number_between(10, 1e6),
        default=600,
        metavar="N",
        help="number of parameter sets to evaluate, the first is the washout's own (default: 600)",
    )
    _add_output(p)
    p.set_defaults(run=command("simulator.tools.cueing.tune_command:main_tune"))


def _add_runs(p: argparse.ArgumentParser) -> None:
    p.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run or drive, or its log, recorded with --log-rate 1000")


def _add_washouts(p: argparse.ArgumentParser) -> None:
    p.add_argument("--washout", nargs="+", metavar="NAME", help="washout names or files (default: small_hexapod)")
    p.add_argument("--platform", nargs="+", metavar="NAME", help="one platform, or one for each washout (default: small_hexapod)")


def _add_output(p: argparse.ArgumentParser) -> None:
    add_plugin(p)
    add_out(p)
    add_json(p)
