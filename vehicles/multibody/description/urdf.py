"""Mechanisms from URDF and from URDF+, its extension for closed loops.

The reader follows the ROS definition of URDF: the root link is fixed at the origin of the world, each other link is the child of one
joint, limits and shapes are ignored, `<mimic>` becomes a coupling. The extensions of URDF+ follow the library generalized_rbda:

- `<loop>`: the origins of the `<predecessor>` and `<successor>` frames coincide; its type and axis have no effect
- `<coupling>`: ratio x (sum of q from the nearest common ancestor to the predecessor) = sum of q from there to the successor
- `independent` of a joint: `true`, `True` or no attribute means independent; any other text means dependent
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.xml_file import XmlElement, parse_xml
from vehicles.multibody.description.attitude import direction, rotation_of_angles
from vehicles.multibody.description.mechanism import WORLD, Coupling, Joint, Loop, Mechanism
from vehicles.multibody.description.rigid_body import RigidBody

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "floating": "free"}
"""Supported joint types of URDF; `planar` is not supported."""

LOOP_TYPES = ("revolute", "continuous", "prismatic", "planar", "fixed")


def mechanism_from_urdf(text: str, file: object) -> Mechanism:
    """Return the mechanism of a URDF or URDF+ text; bodies, joints, loops and couplings in the order of the text.

    Raises ConfigError : not XML, a missing or invalid element or attribute, links or joints that do not form a tree. The
    key is a path such as ``robot/joint[@name='knee']/axis``.
    """
    robot = _parse(text, file)
    links = robot.named("link")
    joints = robot.named("joint")
    constraints = robot.named("loop", "coupling")
    root = _root(robot, links, joints)
    tree = _Tree(root, {joint.link("child", links): joint for joint in joints.values()}, links)
    uses_independent = any("independent" in joint.element.attrib for joint in joints.values())
    return Mechanism(
        name=robot.attribute("name"),
        bodies=tuple(_body(link) for name, link in links.items() if name != root),
        joints=tuple(_joint(joint, tree, uses_independent) for joint in joints.values()),
        loops=tuple(_loop(loop, tree) for loop in constraints.values() if loop.element.tag == "loop"),
        couplings=tuple(_coupling(coupling, tree) for coupling in constraints.values() if coupling.element.tag == "coupling")
        + tuple(_mimic(joint, joints) for joint in joints.values() if joint.child("mimic") is not None),
        file=str(file),
    )


class _Node:
    """An element of the text with its path, for messages."""

    def __init__(self, element: XmlElement, path: str, file: object) -> None:
        self.element, self.path, self.file = element, path, str(file)

    def refuse(self, key: str, value: object, expected: str) -> NoReturn:
        raise ConfigError(self.file, f"{self.path}/{key}" if key else self.path, value, expected)

    def attribute(self, name: str, default: str | None = None) -> str:
        text = self.element.get(name, default)
        if text is None or not text.strip():
            self.refuse(f"@{name}", "none" if text is None else text, "a text")
        return text

    def child(self, tag: str) -> _Node | None:
        """Return the child element with this tag, or None."""
        children = self.element.all(tag)
        if len(children) > 1:
            self.refuse(tag, f"{len(children)} elements", f"one <{tag}>")
        return _Node(children[0], f"{self.path}/{tag}", self.file) if children else None

    def needed(self, tag: str) -> _Node:
        """Return the required child element with this tag."""
        node = self.child(tag)
        if node is None:
            self.refuse(tag, "none", f"an element <{tag}>")
        return node

    def named(self, *tags: str) -> dict[str, _Node]:
        """Return the elements with these tags by their unique names, in the order of the text."""
        nodes: dict[str, _Node] = {}
        for element in self.element.children():
            if element.tag in tags:
                name = _Node(element, f"{self.path}/{element.tag}", self.file).attribute("name")
                node = _Node(element, f"{self.path}/{element.tag}[@name={name!r}]", self.file)
                if name in nodes:
                    node.refuse("@name", name, "a unique name")
                nodes[name] = node
        return nodes

    def number(self, name: str, default: str | None = None) -> float:
        return float(self.numbers(name, 1, default)[0])

    def numbers(self, name: str, count: int, default: str | None = None) -> Vector:
        """Return `count` finite numbers of an attribute, separated by blanks."""
        text = self.attribute(name, default)
        expected = "a number" if count == 1 else f"{count} numbers"
        try:
            values = np.array([float(word) for word in text.split()])
        except ValueError:
            self.refuse(f"@{name}", text, expected)
        if len(values) != count or not np.isfinite(values).all() or "_" in text:
            self.refuse(f"@{name}", text, expected)
        return values

    def origin(self) -> tuple[Vector, Vector]:
        """Return position (3,) and attitude (3, 3) of the <origin>; default: identity."""
        origin = self.child("origin")
        if origin is None:
            return np.zeros(3), np.eye(3)
        return origin.numbers("xyz", 3, "0 0 0"), rotation_of_angles(*origin.numbers("rpy", 3, "0 0 0"))

    def link(self, tag: str, links: Any) -> str:
        """Return the link named by the element with this tag."""
        end = self.needed(tag)
        name = end.attribute("link")
        if name not in links:
            end.refuse("@link", name, "one of the links")
        return name


def _parse(text: str, file: object) -> _Node:
    """Parse a text and return its <robot>."""
    element = parse_xml(text, file, "well-formed XML")
    if element.tag != "robot":
        raise ConfigError(file, element.tag, f"<{element.tag}>", "a file with the root element <robot>")
    return _Node(element, "robot", file)


def _root(robot: _Node, links: dict[str, _Node], joints: dict[str, _Node]) -> str:
    """Return the only link that is not a child."""
    children: dict[str, str] = {}
    for name, joint in joints.items():
        child = joint.link("child", links)
        joint.link("parent", links)
        if child in children:
            joint.refuse(
                "child/@link", child, f"a link that is not yet the child of {children[child]!r}; hint: close kinematic loops with <loop>"
            )
        children[child] = name
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        robot.refuse("link", roots, "exactly one link that is not the child of a joint")
    if WORLD in children:
        links[WORLD].refuse("@name", WORLD, "another name; only the root link may have this one")
    return roots[0]


class _Tree:
    """The joint of each link, outward from the root."""

    def __init__(self, root: str, carriers: dict[str, _Node], links: dict[str, _Node]) -> None:
        self.root, self.links, self.carriers = root, links, carriers
        self.parents = {link: joint.link("parent", links) for link, joint in carriers.items()}
        grown = {root}
        for link in carriers:
            branch: set[str] = set()
            at = link
            while at not in grown:
                if at in branch:
                    carriers[at].refuse(
                        "parent/@link",
                        self.parents[at],
                        f"joints that form a tree with the root {root!r}; hint: close kinematic loops with <loop>",
                    )
                branch.add(at)
                at = self.parents[at]
            grown |= branch

    def body(self, link: str) -> str:
        """Return the body of a link; the body of the root is the world."""
        return WORLD if link == self.root else link

    def path(self, link: str) -> list[str]:
        """Return the links from below the root outward to `link`."""
        path: list[str] = []
        while link != self.root:
            path.append(link)
            link = self.parents[link]
        return path[::-1]

    def branches(self, link_1: str, link_2: str) -> tuple[list[str], list[str]]:
        """Return the links from below the nearest common ancestor outward to each of two links."""
        path_1, path_2 = self.path(link_1), self.path(link_2)
        shared = 0
        while shared < min(len(path_1), len(path_2)) and path_1[shared] == path_2[shared]:
            shared += 1
        return path_1[shared:], path_2[shared:]


def _body(link: _Node) -> RigidBody:
    """Read a link, with the inertia rotated into the link axes; without <inertial> the link has no mass."""
    name, inertial = link.attribute("name"), link.child("inertial")
    if inertial is None:
        return RigidBody(name, 0.0)
    p_BoBcm, R_BI = inertial.origin()
    mass = inertial.needed("mass")
    value = mass.number("value")
    if value < 0.0:
        mass.refuse("@value", value, "a number, at least 0")
    inertia = inertial.needed("inertia")
    xx, yy, zz, xy, xz, yz = (inertia.number(key) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    I_BBcm = R_BI @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R_BI.T
    return RigidBody(name, value, p_BoBcm, (I_BBcm + I_BBcm.T) / 2.0)


def _joint(joint: _Node, tree: _Tree, uses_independent: bool) -> Joint:
    """Read a joint; the child frame is the joint frame after its motion."""
    kind = KINDS.get(joint.attribute("type"))
    if kind is None:
        joint.refuse("@type", joint.attribute("type"), "one of " + ", ".join(KINDS))
    parent, child = joint.link("parent", tree.links), joint.link("child", tree.links)
    if kind == "free" and parent != tree.root:
        joint.refuse("parent/@link", parent, f"the root link {tree.root!r}, because a floating joint is relative to the world")
    p_PF, R_PF = joint.origin()
    return Joint(
        joint.attribute("name"),
        kind,
        tree.body(parent),
        tree.body(child),
        p_PF=p_PF,
        R_PF=R_PF,
        axes=_axis(joint)[None, :] if kind in ("revolute", "prismatic") else np.zeros((0, 3)),
        independent=_is_independent(joint, kind, uses_independent),
    )


def _axis(joint: _Node) -> Vector:
    """Return the unit vector of the <axis>, with its sign; default: x."""
    axis = joint.child("axis")
    given = np.array([1.0, 0.0, 0.0]) if axis is None else axis.numbers("xyz", 3)
    unit = direction(given)
    if unit is None:
        joint.refuse("axis/@xyz", given, "3 numbers, not all of them zero")
    return unit


def _is_independent(joint: _Node, kind: str, uses_independent: bool) -> bool | None:
    """Return the independence from the text; None (the program chooses) if no joint has the attribute."""
    if kind == "fixed":
        return None
    if joint.child("mimic") is not None:
        return False
    return joint.element.get("independent", "true") in ("true", "True") if uses_independent else None


def _loop(loop: _Node, tree: _Tree) -> Loop:
    """Read a loop as a ball closure; its type is ignored, only the points are used."""
    kind = loop.attribute("type")
    if kind not in LOOP_TYPES:
        loop.refuse("@type", kind, "one of " + ", ".join(LOOP_TYPES))
    ends = [loop.link(end, tree.links) for end in ("predecessor", "successor")]
    if ends[0] == ends[1]:
        loop.refuse("successor/@link", ends[1], "a link other than the predecessor")
    points = [loop.needed(end).origin()[0] for end in ("predecessor", "successor")]
    return Loop(loop.attribute("name"), "ball", tree.body(ends[0]), tree.body(ends[1]), points[0], points[1])


def _coupling(coupling: _Node, tree: _Tree) -> Coupling:
    """Read ratio x (sum over the joints to the predecessor) - (sum over those to the successor) = 0, from their nearest common ancestor."""
    predecessor, successor = (coupling.link(end, tree.links) for end in ("predecessor", "successor"))
    if predecessor == successor:
        coupling.refuse("successor/@link", successor, "a link other than the predecessor")
    ratio = coupling.child("ratio")
    factor = 1.0 if ratio is None else ratio.number("value")
    terms: list[tuple[str, float]] = []
    for end, branch, coefficient in zip(("predecessor", "successor"), tree.branches(predecessor, successor), (factor, -1.0), strict=True):
        for carrier in (tree.carriers[link] for link in branch):
            kind = KINDS.get(carrier.attribute("type"))
            if kind == "free":
                coupling.refuse(end, carrier.attribute("name"), "a link with only revolute and prismatic joints on the path to it")
            if kind != "fixed":
                terms.append((carrier.attribute("name"), coefficient))
    return Coupling(coupling.attribute("name"), tuple(terms))


def _mimic(joint: _Node, joints: dict[str, _Node]) -> Coupling:
    """Read q - multiplier x q of the other joint = offset."""
    name, mimic = joint.attribute("name"), joint.needed("mimic")
    other = mimic.attribute("joint")
    if other not in joints or other == name:
        mimic.refuse("@joint", other, "another joint")
    for node in (joint, joints[other]):
        if KINDS.get(node.attribute("type")) not in ("revolute", "prismatic"):
            mimic.refuse("@joint", other, "a revolute or prismatic joint that mimics another one")
    multiplier, offset = mimic.number("multiplier", "1"), mimic.number("offset", "0")
    return Coupling(f"{name} mimics {other}", ((name, 1.0), (other, -multiplier)), offset)
