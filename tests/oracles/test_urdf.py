"""Are URDF and URDF+ read correctly: published poses, loops and couplings, and a message for each error?"""

from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import load_mechanism
from tests.oracles.tree_poses import loop_gap, poses
from vehicles.multibody.description.urdf import mechanism_from_urdf

DATA = Path(__file__).parents[1] / "data/urdfplus"
SHIPPED = ["four_bar_branch_1_1", "implicit_depth5_loop_size5"]


def shipped(name):
    """Mechanism and recorded states of a file."""
    path = DATA / f"{name}.urdf"
    return mechanism_from_urdf(path.read_text(), path), np.load(DATA / f"{name}.npz")


def positions(states, i):
    """Joint coordinates of state i by name."""
    q = {name: [value] for name, value in zip(states["joint_names"], states["q"][i], strict=True)}
    if "base_joint" in states:
        x, y, z, w = states["base_quat_xyzw"][i]
        q[str(states["base_joint"])] = [*states["base_pos"][i], w, x, y, z]
    return q


@pytest.mark.parametrize("name", SHIPPED)
def test_bodies_joints_and_loops_come_in_the_order_of_the_file(name):
    mechanism, states = shipped(name)
    hinges = [joint for joint in mechanism.joints if joint.kind == "revolute"]
    assert [body.name for body in mechanism.bodies] == list(states["link_names"])
    assert [joint.name for joint in hinges] == list(states["joint_names"])
    assert [joint.child for joint in hinges] == list(states["joint_child_link"])
    assert [joint.independent for joint in hinges] == list(states["joint_independent"])
    assert [loop.name for loop in mechanism.loops] == list(states["loop_names"])
    assert {loop.kind for loop in mechanism.loops} == {"ball"}
    assert len(mechanism.couplings) == len(states["coupling_names"]) == 0


@pytest.mark.parametrize("name", SHIPPED)
def test_links_stand_where_the_recorded_states_have_them(name):
    mechanism, states = shipped(name)
    for i in range(len(states["q"])):
        placed = poses(mechanism, positions(states, i))
        for k, link in enumerate(states["link_names"]):
            assert np.abs(placed[link][0] - states["link_pos_world"][i, k]).max() < 1e-13
            assert np.abs(placed[link][1] - states["link_R_world"][i, k]).max() < 1e-13


@pytest.mark.parametrize("name", SHIPPED)
def test_loops_close_in_the_recorded_states(name):
    mechanism, states = shipped(name)
    for i in range(len(states["q"])):
        for loop in mechanism.loops:
            assert np.abs(loop_gap(mechanism, loop, positions(states, i))).max() < 1e-12


@pytest.mark.parametrize("name", SHIPPED)
def test_masses_give_the_recorded_potential_energy(name):
    mechanism, states = shipped(name)
    for i in range(len(states["q"])):
        placed = poses(mechanism, positions(states, i))
        potential = sum(
            -body.mass * mechanism.gravity @ (placed[body.name][0] + placed[body.name][1] @ body.p_BoBcm) for body in mechanism.bodies
        )
        assert abs(potential - states["potential_energy"][i]) < 1e-12 * max(1.0, abs(potential))


LINKS = "".join(f"<link name='{name}'/>" for name in ("base", "a", "b", "c"))


def hinge(name, parent, child, inside="", attributes="type='revolute'"):
    return f"<joint name='{name}' {attributes}><parent link='{parent}'/><child link='{child}'/>{inside}</joint>"


CHAIN = LINKS + hinge("1", "base", "a") + hinge("2", "a", "b") + hinge("3", "base", "c")


def read(content):
    return mechanism_from_urdf(f"<robot name='r'>{content}</robot>", "r.urdf")


def test_coupling_of_a_rotor_on_the_base_counts_the_joints_of_both_paths():
    """The rotor of the second link turns by six times the sum of both joint angles."""
    coupling = "<coupling name='gear'><predecessor link='b'/><successor link='c'/><ratio value='6'/></coupling>"
    assert read(CHAIN + coupling).couplings[0].terms == (("1", 6.0), ("2", 6.0), ("3", -1.0))


def test_coupling_starts_below_the_nearest_common_ancestor():
    content = LINKS + hinge("1", "base", "a") + hinge("2", "a", "b") + hinge("3", "a", "c")
    coupling = "<coupling name='gear'><predecessor link='b'/><successor link='c'/></coupling>"
    assert read(content + coupling).couplings[0].terms == (("2", 1.0), ("3", -1.0))


def test_coupling_of_a_link_with_one_further_out_has_joints_on_one_side_only():
    coupling = "<coupling name='gear'><predecessor link='a'/><successor link='b'/></coupling>"
    assert read(CHAIN + coupling).couplings[0].terms == (("2", -1.0),)


def test_fixed_joints_do_not_enter_a_coupling():
    content = LINKS + hinge("1", "base", "a") + hinge("2", "a", "b", attributes="type='fixed'") + hinge("3", "base", "c")
    coupling = "<coupling name='gear'><predecessor link='b'/><successor link='c'/></coupling>"
    assert read(content + coupling).couplings[0].terms == (("1", 1.0), ("3", -1.0))


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar", "fixed"])
def test_a_loop_of_any_type_is_a_ball_closure_of_the_two_origins(kind):
    ends = "<predecessor link='b'><origin xyz='1 2 3' rpy='1 1 1'/></predecessor><successor link='base'/>"
    loop = read(CHAIN + f"<loop name='l' type='{kind}'>{ends}<axis xyz='0 1 0'/></loop>").loops[0]
    assert (loop.kind, loop.predecessor, loop.successor) == ("ball", "b", "world")
    assert loop.p_predecessor.tolist() == [1.0, 2.0, 3.0]
    assert loop.p_successor.tolist() == [0.0, 0.0, 0.0]


def test_independent_is_what_the_text_says_and_open_when_it_says_nothing():
    assert {joint.independent for joint in read(CHAIN).joints} == {None}
    texts = {"true": True, "True": True, "false": False, "TRUE": False, "yes": False, "1": False}
    for text, wanted in texts.items():
        content = LINKS + hinge("1", "base", "a", attributes=f"type='revolute' independent='{text}'")
        content += hinge("2", "a", "b") + hinge("3", "base", "c", attributes="type='fixed'")
        assert [joint.independent for joint in read(content).joints] == [wanted, True, None]


def test_axes_keep_their_sign_and_are_made_unit_vectors():
    axes = {"": [1, 0, 0], "<axis xyz='0 -1 0'/>": [0, -1, 0], "<axis xyz='0 0 -7'/>": [0, 0, -1], "<axis xyz='3 0 4'/>": [0.6, 0, 0.8]}
    for text, wanted in axes.items():
        content = LINKS + hinge("1", "base", "a", text) + hinge("2", "a", "b") + hinge("3", "base", "c")
        assert read(content).joints[0].axes[0] == pytest.approx(wanted, abs=1e-15)


def test_rpy_turns_about_the_fixed_axes_x_y_z_in_this_order():
    origin = "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>"
    joint = read(LINKS + hinge("1", "base", "a", origin) + hinge("2", "a", "b") + hinge("3", "base", "c")).joints[0]
    c, s = np.cos([0.1, 0.2, 0.3]), np.sin([0.1, 0.2, 0.3])
    X = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    Y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    Z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    assert np.abs(joint.R_PF - Z @ Y @ X).max() < 1e-15
    assert joint.p_PF.tolist() == [1.0, 2.0, 3.0]


def test_inertia_in_turned_axes_is_turned_back():
    """Turned by 90 degrees about z, the moments about x and y change places."""
    inertia = "<inertia ixx='1' iyy='2' izz='3' ixy='0' ixz='0' iyz='0'/>"
    link = f"<link name='base'/><link name='a'><inertial><origin rpy='0 0 {np.pi / 2!r}' xyz='4 5 6'/><mass value='7'/>{inertia}</inertial></link>"
    body = read(link + hinge("1", "base", "a")).bodies[0]
    assert np.abs(body.I_BBcm - np.diag([2.0, 1.0, 3.0])).max() < 1e-15
    assert (body.mass, body.p_BoBcm.tolist()) == (7.0, [4.0, 5.0, 6.0])


def test_mimic_of_plain_urdf_is_a_coupling_and_its_joint_dependent():
    content = (
        LINKS + hinge("1", "base", "a") + hinge("2", "a", "b", "<mimic joint='1' multiplier='-2' offset='0.5'/>") + hinge("3", "base", "c")
    )
    mechanism = read(content)
    assert mechanism.couplings[0].terms == (("2", 1.0), ("1", 2.0))
    assert mechanism.couplings[0].offset == 0.5
    assert [joint.independent for joint in mechanism.joints] == [None, False, None]


def test_every_joint_type_and_whatever_else_a_robot_has():
    content = "<material name='x'/><gazebo/>" + LINKS
    content += hinge("1", "base", "a", attributes="type='floating'") + hinge("2", "a", "b", attributes="type='prismatic'")
    content += hinge("3", "b", "c", "<limit lower='-1' upper='1'/><dynamics damping='1'/>", attributes="type='continuous'")
    mechanism = read(content)
    assert [joint.kind for joint in mechanism.joints] == ["free", "prismatic", "revolute"]
    assert mechanism.joints[0].parent == "world"
    assert [body.mass for body in mechanism.bodies] == [0.0, 0.0, 0.0]


def test_names_may_hold_blanks_and_the_root_may_be_called_world():
    content = "<link name='world'/><link name='Floating Base'/>" + hinge("world to base", "world", "Floating Base")
    mechanism = read(content)
    assert (mechanism.bodies[0].name, mechanism.joints[0].name) == ("Floating Base", "world to base")


INERTIA = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"


def link_with(inertial):
    return f"<link name='base'/><link name='a'><inertial>{inertial}</inertial></link>" + hinge("1", "base", "a")


def loop_with(inside, attributes="type='revolute'"):
    return CHAIN + f"<loop name='l' {attributes}>{inside}</loop>"


def gear_with(inside):
    return CHAIN + f"<coupling name='g'>{inside}</coupling>"


def mimic_with(inside, attributes="type='revolute'"):
    return LINKS + hinge("1", "base", "a", attributes=attributes) + hinge("2", "a", "b", inside) + hinge("3", "base", "c")


def first_joint(inside="", attributes="type='revolute'"):
    return LINKS + hinge("1", "base", "a", inside, attributes) + hinge("2", "a", "b") + hinge("3", "base", "c")


PREDECESSOR, SUCCESSOR = "<predecessor link='b'/>", "<successor link='c'/>"
BROKEN = {
    "no name of a link": ("<link/>", "robot/link/@name"),
    "link twice": (CHAIN + "<link name='a'/>", "robot/link[@name='a']/@name"),
    "joint twice": (CHAIN + hinge("1", "a", "b"), "robot/joint[@name='1']/@name"),
    "loop and coupling of one name": (
        CHAIN + f"<loop name='x' type='fixed'>{PREDECESSOR}{SUCCESSOR}</loop><coupling name='x'>{PREDECESSOR}{SUCCESSOR}</coupling>",
        "robot/coupling[@name='x']/@name",
    ),
    "nothing": ("", "robot/link"),
    "two roots": (LINKS + hinge("1", "base", "a"), "robot/link"),
    "ring beside the root": (LINKS + hinge("1", "a", "b") + hinge("2", "b", "c") + hinge("3", "c", "a"), "parent/@link"),
    "two joints carry a link": (CHAIN + hinge("4", "base", "b"), "robot/joint[@name='4']/child/@link"),
    "world is not the root": (
        "<link name='base'/><link name='world'/>" + hinge("1", "base", "world"),
        "robot/link[@name='world']/@name",
    ),
    "no parent": (LINKS + "<joint name='1' type='fixed'><child link='a'/></joint>", "robot/joint[@name='1']/parent"),
    "no child": (LINKS + "<joint name='1' type='fixed'><parent link='a'/></joint>", "robot/joint[@name='1']/child"),
    "no link of the parent": (
        LINKS + "<joint name='1' type='fixed'><child link='a'/><parent/></joint>",
        "robot/joint[@name='1']/parent/@link",
    ),
    "unknown parent": (LINKS + hinge("1", "x", "a"), "robot/joint[@name='1']/parent/@link"),
    "unknown child": (LINKS + hinge("1", "a", "x"), "robot/joint[@name='1']/child/@link"),
    "two parents": (first_joint("<parent link='b'/>"), "robot/joint[@name='1']/parent"),
    "no type": (first_joint(attributes=""), "robot/joint[@name='1']/@type"),
    "planar": (first_joint(attributes="type='planar'"), "robot/joint[@name='1']/@type"),
    "floating far out": (
        LINKS + hinge("1", "base", "a") + hinge("2", "a", "b", attributes="type='floating'") + hinge("3", "base", "c"),
        "parent/@link",
    ),
    "axis of words": (first_joint("<axis xyz='a b c'/>"), "robot/joint[@name='1']/axis/@xyz"),
    "axis of two numbers": (first_joint("<axis xyz='1 0'/>"), "robot/joint[@name='1']/axis/@xyz"),
    "axis of zeros": (first_joint("<axis xyz='0 0 0'/>"), "robot/joint[@name='1']/axis/@xyz"),
    "axis of nothing": (first_joint("<axis/>"), "robot/joint[@name='1']/axis/@xyz"),
    "not finite": (first_joint("<origin xyz='nan 0 0'/>"), "robot/joint[@name='1']/origin/@xyz"),
    "infinite": (first_joint("<origin rpy='inf 0 0'/>"), "robot/joint[@name='1']/origin/@rpy"),
    "a number of Python": (first_joint("<origin xyz='1_0 0 0'/>"), "robot/joint[@name='1']/origin/@xyz"),
    "no mass": (link_with(INERTIA), "robot/link[@name='a']/inertial/mass"),
    "no value of the mass": (link_with("<mass/>" + INERTIA), "robot/link[@name='a']/inertial/mass/@value"),
    "mass below zero": (link_with("<mass value='-1'/>" + INERTIA), "robot/link[@name='a']/inertial/mass/@value"),
    "no inertia": (link_with("<mass value='1'/>"), "robot/link[@name='a']/inertial/inertia"),
    "half an inertia": (link_with("<mass value='1'/><inertia ixx='1'/>"), "robot/link[@name='a']/inertial/inertia/@iyy"),
    "inertia below zero": (link_with("<mass value='1'/>" + INERTIA.replace("ixx='1'", "ixx='-1'")), "bodies.a.inertia"),
    "loop of no type": (loop_with(PREDECESSOR + SUCCESSOR, ""), "robot/loop[@name='l']/@type"),
    "spherical loop": (loop_with(PREDECESSOR + SUCCESSOR, "type='spherical'"), "robot/loop[@name='l']/@type"),
    "loop without a predecessor": (loop_with(SUCCESSOR), "robot/loop[@name='l']/predecessor"),
    "loop to an unknown link": (loop_with(PREDECESSOR + "<successor link='x'/>"), "robot/loop[@name='l']/successor/@link"),
    "loop to itself": (loop_with(PREDECESSOR + "<successor link='b'/>"), "robot/loop[@name='l']/successor/@link"),
    "coupling without a successor": (gear_with(PREDECESSOR), "robot/coupling[@name='g']/successor"),
    "coupling to itself": (gear_with(PREDECESSOR + "<successor link='b'/>"), "robot/coupling[@name='g']/successor/@link"),
    "ratio of words": (gear_with(PREDECESSOR + SUCCESSOR + "<ratio value='x'/>"), "robot/coupling[@name='g']/ratio/@value"),
    "coupling over a floating joint": (
        first_joint(attributes="type='floating'") + f"<coupling name='g'>{PREDECESSOR}{SUCCESSOR}</coupling>",
        "robot/coupling[@name='g']/predecessor",
    ),
    "mimic of nothing": (mimic_with("<mimic/>"), "robot/joint[@name='2']/mimic/@joint"),
    "mimic of an unknown joint": (mimic_with("<mimic joint='x'/>"), "robot/joint[@name='2']/mimic/@joint"),
    "mimic of itself": (mimic_with("<mimic joint='2'/>"), "robot/joint[@name='2']/mimic/@joint"),
    "mimic of a fixed joint": (mimic_with("<mimic joint='1'/>", "type='fixed'"), "robot/joint[@name='2']/mimic/@joint"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_named_by_its_path(case):
    content, key = BROKEN[case]
    with pytest.raises(ConfigError) as caught:
        read(content)
    assert caught.value.file == "r.urdf"
    assert key in caught.value.key
    assert caught.value.expected
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no XML",
        "<robot name='r'>",
        "<robot>" + CHAIN + "</robot>",
        "<sdf name='r'/>",
        "<robot name='r'/>\0",
        "<!DOCTYPE robot><robot name='r'/>",
        "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>",
        "<robot name='&x;'/>",
        "\ud800",
    ],
)
def test_no_robot_at_all_is_refused(text):
    with pytest.raises(ConfigError) as caught:
        mechanism_from_urdf(text, "r.urdf")
    assert caught.value.file == "r.urdf"


def test_a_long_chain_in_reverse_order_is_a_file_like_any_other():
    content = "".join(f"<link name='{i}'/>" for i in range(1001))
    content += "".join(hinge(str(i), str(i - 1), str(i)) for i in range(1000, 0, -1))
    assert len(read(content).joints) == 1000


@pytest.mark.parametrize(("encoding", "declared"), [("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("cp1252", "iso-8859-1")])
def test_a_file_in_another_encoding(tmp_path, encoding, declared):
    text = (DATA / f"{SHIPPED[0]}.urdf").read_text().partition("?>")[2]
    (tmp_path / "size.urdf").write_bytes(f'<?xml version="1.0" encoding="{declared}"?>\n<!-- Größe -->{text}'.encode(encoding))
    assert len(load_mechanism(str(tmp_path / "size.urdf"))[0].bodies) == len(shipped(SHIPPED[0])[0].bodies)
