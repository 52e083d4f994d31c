"""Every command on a narrow and on a wide terminal: no traceback, and the exit code that it has elsewhere.

The commands of one width run in one process, which saves most of the time; `jounce run` also as its users start it.
"""

import json
import sys

import pytest
import yaml
from program import ROOT

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

from terminal import jounce, on_terminal

DATA = ROOT / "tests" / "data"
MECHANISMS = ROOT / "configs" / "mechanisms"
ACCELERATIONS = DATA / "hmmwv_accelerations"
FOUR_BAR = MECHANISMS / "four_bar.yaml"
WIDE_TOO = (20, pytest.param(200, marks=pytest.mark.full("an error in a column or a bar that a narrow terminal does not get")))

HELP = ("drive", "view", "run", "tire", "stream", "platform", "devices", "info", "mechanism", "validate", "bench")
KINDS = ("all", "accelerations", "kinematics", "mechanism", "tire", "trajectory")
VERBS = {
    "nothing": ([], 0),
    "help": (["--help"], 0),
    **{f"{verb} --help": ([verb, "--help"], 0) for verb in HELP},
    **{f"validate {kind} --help": (["validate", kind, "--help"], 0) for kind in KINDS},
    "unknown": (["fly"], 2),
    "run": (["run", "short.yaml", "--out", "run [b]"], 0),
    "run a limit that is not kept": (["run", "limited.yaml", "--out", "limited"], 1),
    "run --json": (["run", "short.yaml", "--out", "run", "--json"], 0),
    "run nothing": (["run", "no_such_maneuver"], 2),
    "drive": (["drive", "--no-view", "--no-motion", "--maneuver", "short.yaml", "--duration", "0.5", "--out", "drive"], 0),
    "stream": (["stream", "--maneuver", "short.yaml", "--duration", "0.2", "--to", "127.0.0.1:9", "--out", "stream"], 0),
    "platform": (["platform", "--duration", "0.3", "--port", "0"], 0),
    "platform --json": (["platform", "--duration", "0.3", "--port", "0", "--json"], 0),
    "devices": (["devices"], 0),
    "view": (["view"], 2),
    "info": (["info", "run [b]"], 0),
    "info nothing": (["info", "none"], 2),
    "mechanism": (["mechanism", str(FOUR_BAR)], 0),
    "mechanism --formulation ce": (["mechanism", str(FOUR_BAR), "--formulation", "ce"], 0),
    "mechanism --sweep": (["mechanism", str(FOUR_BAR), "--sweep", "crank on ground=-120deg:120deg:11"], 0),
    "mechanism --run": (["mechanism", str(FOUR_BAR), "--run", "0.02"], 0),
    "tire": (["tire", "tmeasy_chrono", "--plot", "tire.png"], 0),
    "tire nothing": (["tire", "no_such_tire"], 2),
    "paper": (["paper", "001", "table", "2"], 2),
    "mechanism triangularize": (["mechanism", "triangularize", "stewart_leg"], 2),
    "bench": (["bench", "--repeats", "1"], 2),
    "validate kinematics": (["validate", "kinematics", str(DATA / "mechanisms" / "hmmwv_front_kinematics.csv")], 0),
    "validate trajectory": (["validate", "trajectory", str(DATA / "chrono" / "a_settle.csv.gz")], None),
    "validate accelerations": (
        ["validate", "accelerations", str(ACCELERATIONS / "quarter.npz"), "--model", str(ACCELERATIONS / "hmmwv_model.yaml")],
        None,
    ),
    "validate mechanism": (
        ["validate", "mechanism", str(MECHANISMS / "landing_gear.yaml"), str(DATA / "mechanisms" / "landing_gear_sweep.csv")],
        None,
    ),
    "validate tire": (["validate", "tire", str(DATA / "tires" / "mf_shared.csv"), str(ROOT / "configs" / "tires" / "hmmwv_pac02.tir")], 0),
    "validate nothing": (["validate", "mechanism", str(FOUR_BAR), "none.npz"], 2),
}
"""What is typed, and the exit code; None for one that is 0 or 1."""

PROGRAM = """
import json, sys
from simulator.cli.main import main
from simulator.base.compile_messages import report_compilation
for name, arguments in json.loads(sys.argv[1]).items():
    print(f"<<<{name}>>>", flush=True)
    try:
        with report_compilation():
            code = main(arguments)
    except SystemExit as end:
        code = end.code
    except BaseException:
        import traceback
        traceback.print_exc()
        code = 99
    sys.stderr.flush()
    print(f"<<<code {code}>>>", flush=True)
"""


def shortened(folder, name, **changes):
    """A lane change cut short, which drives anywhere in no time."""
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    (folder / name).write_text(yaml.safe_dump({**mapping, "terrain": "flat", "duration_s": 1.5, "limits": {}, **changes}))


@pytest.fixture(scope="module", params=WIDE_TOO)
def said(request, tmp_path_factory):
    """{verb: (exit code, what the terminal was sent)} on a terminal of one width."""
    folder = tmp_path_factory.mktemp(f"terminal{request.param}")
    shortened(folder, "short.yaml")
    shortened(folder, "limited.yaml", limits={"speed_end_mps": {"min": 60.0}})
    arguments = json.dumps({name: typed for name, (typed, _) in VERBS.items()})
    _, text = on_terminal([sys.executable, "-c", PROGRAM, arguments], request.param, folder, timeout=580.0)
    found = {}
    for name in VERBS:
        part = text.partition(f"<<<{name}>>>")[2]
        said, _, rest = part.partition("<<<code ")
        found[name] = (rest.partition(">>>")[0], said)
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_on_a_terminal(said, verb):
    code, text = said[verb]
    wanted = VERBS[verb][1]
    assert "Traceback" not in text, text
    assert code in ({"0", "1"} if wanted is None else {str(wanted)}), text
    assert text.strip(), "it says something"


@pytest.mark.parametrize("columns", (200, pytest.param(20, marks=pytest.mark.full("a narrow terminal on which the program itself fails"))))
def test_run_as_its_users_start_it(tmp_path, columns):
    """The README's second command ended with a TypeError of the progress bar on every real terminal."""
    shortened(tmp_path, "short.yaml")
    code, text = on_terminal(jounce("run", "short.yaml", "--out", "out"), columns, tmp_path)
    assert code == 0, text
    assert "Traceback" not in text
    assert "no limits given" in " ".join(text.split())
    assert "drawing plots" in " ".join(text.split()) or columns < 80, "the bar says what it waits for"
    assert (tmp_path / "out" / "metrics.json").exists()
