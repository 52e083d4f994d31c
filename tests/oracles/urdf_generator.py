"""URDF+ mechanisms of many shapes, as texts and as plain data for `urdf_reference`, including the test models of the published library."""

from __future__ import annotations

from dataclasses import dataclass, field

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0), "-y": (0.0, -1.0, 0.0)}


@dataclass
class Link:
    name: str
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]
    """ixx, iyy, izz, ixy, ixz, iyz about the center of mass."""


@dataclass
class Hinge:
    name: str
    parent: str
    child: str
    xyz: tuple[float, float, float]
    axis: str = "z"
    independent: bool = True
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass
class Closure:
    name: str
    predecessor: str
    p_predecessor: tuple[float, float, float]
    successor: str
    p_successor: tuple[float, float, float]


@dataclass
class Gear:
    name: str
    predecessor: str
    successor: str
    ratio: float = 1.0


@dataclass
class Robot:
    """A mechanism on the root link `ground`; one that floats has its first link on a floating joint."""

    name: str
    floating: bool = False
    links: list[Link] = field(default_factory=list)
    hinges: list[Hinge] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)

    root = "ground"
    base_joint = "ground to base"

    def hang(self, link: Link, parent: str, xyz: tuple[float, float, float], axis: str = "z", **more: object) -> str:
        """Add a link on a hinge of its own; returns the link's name."""
        self.links.append(link)
        self.hinges.append(Hinge(f"joint_{link.name}", parent, link.name, xyz, axis, **more))
        return link.name

    def text(self) -> str:
        """The URDF+ file."""

        def row(values) -> str:
            return " ".join(repr(float(value)) for value in values)

        out = [f'<robot name="{self.name}">', f'<link name="{self.root}"/>']
        if self.floating:
            base = self.links[0].name
            out.append(f'<joint name="{self.base_joint}" type="floating"><parent link="{self.root}"/><child link="{base}"/></joint>')
        for link in self.links:
            moments = " ".join(
                f'{key}="{value!r}"' for key, value in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), link.inertia, strict=True)
            )
            out.append(
                f'<link name="{link.name}"><inertial><mass value="{link.mass!r}"/><origin xyz="{row(link.com)}"/><inertia {moments}/></inertial></link>'
            )
        for hinge in self.hinges:
            out.append(
                f'<joint name="{hinge.name}" type="revolute" independent="{str(hinge.independent).lower()}"><parent link="{hinge.parent}"/>'
                f'<child link="{hinge.child}"/><origin xyz="{row(hinge.xyz)}" rpy="{row(hinge.rpy)}"/><axis xyz="{row(AXES[hinge.axis])}"/></joint>'
            )
        for loop in self.closures:
            out.append(
                f'<loop name="{loop.name}" type="revolute"><predecessor link="{loop.predecessor}"><origin xyz="{row(loop.p_predecessor)}"/>'
                f'</predecessor><successor link="{loop.successor}"><origin xyz="{row(loop.p_successor)}"/></successor><axis xyz="0 0 1"/></loop>'
            )
        for gear in self.gears:
            out.append(
                f'<coupling name="{gear.name}"><predecessor link="{gear.predecessor}"/><successor link="{gear.successor}"/>'
                f'<ratio value="{gear.ratio!r}"/></coupling>'
            )
        return "\n".join([*out, "</robot>"])


BAR = (0.011253, 0.036203, 0.042673, 0.0, 0.0, 0.0)
CHAIN_LINK = (0.01, 0.1, 0.01, 0.0, 0.0, 0.0)
ROTOR = (0.0, (0.0, 0.0, 0.0), (1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0))
FLAT_ROTOR = (0.5, (0.0, 0.0, 0.0), (1e-4, 1e-4, 4e-4, 0.0, 0.0, 0.0))


def four_bar_branches(branches: int, bars: int, floating: bool = True) -> Robot:
    """Branches of parallelogram four-bars, each hanging on the one before: branches x bars loops, 3 bodies each."""
    robot = Robot(f"four_bar_branch_{branches}_{bars}", floating)
    root = robot.root
    if floating:
        robot.links.append(Link("base", 5.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)))
        root = "base"
    for b in range(branches):
        on = root
        for i in range(bars):
            name = f"{b}_{i}"
            for part in ("a", "b", "c"):
                robot.links.append(Link(part + name, 3.3, (0.1, 0.02, 0.03), BAR))
            at = 0.0 if i == 0 else 0.5
            robot.hinges += [
                Hinge(f"q_a{name}", on, f"a{name}", (at + 1.0, 0.0, 0.0), independent=False),
                Hinge(f"q_b{name}", on, f"b{name}", (at, 0.0, 0.0)),
                Hinge(f"q_c{name}", f"b{name}", f"c{name}", (0.5, 0.0, 0.0), independent=False),
            ]
            robot.closures.append(Closure(f"loop {name}", f"a{name}", (0.5, 0.0, 0.0), f"c{name}", (1.0, 0.0, 0.0)))
            on = f"c{name}"
    return robot


def ladder(rungs: int, geared: bool) -> Robot:
    """Cranks side by side, each tied to the next one by a bar: one aggregated body of 2 x rungs + 1 links with one degree of freedom,
    and with gears a motor that turns the first crank."""
    robot = Robot(f"ladder_{rungs}")
    inertia = (0.01, 0.02, 0.03, 0.0, 0.0, 0.001)
    robot.hang(Link("crank 0", 1.0, (0.4, 0.0, 0.05), inertia), robot.root, (0.0, 0.0, 0.0))
    for i in range(1, rungs + 1):
        robot.hang(Link(f"bar {i}", 0.5, (0.8, 0.1, 0.0), inertia), f"crank {i - 1}", (1.0, 0.0, 0.0), independent=False)
        robot.hang(Link(f"crank {i}", 1.0, (0.4, 0.0, -0.05), inertia), robot.root, (1.5 * i, 0.0, 0.0), independent=False)
        robot.closures.append(Closure(f"rung {i}", f"bar {i}", (1.6, 0.0, 0.0), f"crank {i}", (1.1, 0.0, 0.0)))
    if geared:
        robot.hang(Link("motor", 0.2, (0.0, 0.0, 0.0), (1e-4, 1e-4, 2e-4, 0.0, 0.0, 0.0)), robot.root, (0.0, -0.5, 0.0), independent=False)
        robot.gears.append(Gear("belt", "crank 0", "motor", 9.0))
    return robot


def hooked_arm() -> Robot:
    """An arm of five spatial hinges whose tip is held by a point of the ground: a loop with one branch only."""
    robot = Robot("hooked_arm")
    parent, at = robot.root, (0.1, 0.0, 0.2)
    for i, axis in enumerate(("x", "y", "z", "y", "z")):
        name = f"arm {i}"
        robot.hang(Link(name, 1.0, (0.15, 0.02, 0.0), (0.01, 0.02, 0.02, 0.001, 0.0, 0.0)), parent, at, axis, independent=i < 2)
        parent, at = name, (0.4, 0.05, 0.1)
    robot.closures.append(Closure("hook", parent, (0.4, 0.0, 0.1), robot.root, (0.9, 0.3, 0.5)))
    return robot


def parallel_chains(depth: int, loop: int | None, floating: bool = False) -> Robot:
    """Two chains side by side. `loop` closes them by a rod at that depth; without it couplings hold them parallel at several depths."""
    robot = Robot(f"parallel_chain_{depth}_{loop}", floating)
    if floating:
        robot.links.append(Link("base", 5.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)))
    root = "base" if floating else robot.root
    coupled = {depth // 4 + 1, depth // 2 + 1, depth} if loop is None else set()
    for i in range(1, depth + 1):
        for side in (1, 2):
            parent = root if i == 1 else f"{side}_{i - 1}"
            dependent = side == 2 and (i in coupled or (i == 1 and loop is not None))
            at = (float(side - 1), 0.0, 0.0) if i == 1 else (0.0, 1.0, 0.0)
            robot.hang(Link(f"{side}_{i}", 0.25, (0.0, 0.5, 0.0), CHAIN_LINK), parent, at, independent=not dependent)
        if i == loop:
            robot.hang(Link("rod", 0.25, (0.0, 0.5, 0.0), CHAIN_LINK), f"1_{i}", (0.0, 1.0, 0.0), independent=False)
            robot.closures.append(Closure("rod to chain 2", "rod", (1.0, 0.0, 0.0), f"2_{i}", (0.0, 1.0, 0.0)))
    robot.gears += [Gear(f"parallel {i}", f"1_{i}", f"2_{i}") for i in sorted(coupled)]
    return robot


def rotor_pairs(pairs: int) -> Robot:
    """A chain of links driven two by two: the massless rotor of the second sits below the first and turns with the sum of both angles."""
    robot = Robot(f"rotor_pairs_{pairs}")
    on = robot.root
    for i in range(pairs):
        first, second = f"one_{i}", f"two_{i}"
        at = (0.0, 0.0, 0.0) if i == 0 else (0.0, 0.0, -0.4)
        axis = "xyz"[i % 3]
        robot.hang(Link(first, 1.0, (0.0, 0.02, -0.2), (0.02, 0.02, 0.003, 0.0, 0.0, 1e-4)), on, at, axis)
        robot.hang(Link(second, 0.8, (0.01, 0.0, -0.2), (0.02, 0.02, 0.002, 0.0, 0.0, 0.0)), first, (0.0, 0.0, -0.4), axis)
        for rotor, of, place in ((f"rotor_1_{i}", first, (0.05, 0.0, 0.0)), (f"rotor_2_{i}", second, (-0.05, 0.0, 0.0))):
            robot.hang(Link(rotor, *ROTOR), on, place, axis, independent=False)
            robot.gears.append(Gear(f"gear {rotor}", of, rotor, 6.0))
        on = second
    return robot


def leg_linkage() -> Robot:
    """A planar leg: thigh, shank moved by a crank and a rod, foot. Every link has mass and one moment of inertia only."""
    robot = Robot("planar_leg_linkage")

    def link(name: str, mass: float, izz: float, com: tuple[float, float, float] = (0.0, -0.1, 0.0)) -> Link:
        return Link(name, mass, com, (0.0, 0.0, izz, 0.0, 0.0, 0.0))

    robot.hang(link("thigh", 0.8, 4e-3), robot.root, (0.0, 0.0, 0.0))
    robot.hang(link("crank", 0.2, 3e-4, (0.02, 0.0, 0.0)), "thigh", (0.0, -0.05, 0.0))
    robot.hang(link("shank", 0.3, 2e-3), "thigh", (0.0, -0.3, 0.0), independent=False)
    robot.hang(link("rod", 0.1, 5e-4, (0.0, -0.12, 0.0)), "crank", (0.06, 0.0, 0.0), independent=False)
    robot.hang(link("foot", 0.05, 1e-5, (0.02, 0.0, 0.0)), "shank", (0.0, -0.3, 0.0))
    robot.closures.append(Closure("rod to shank", "rod", (0.0, -0.25, 0.0), "shank", (0.06, 0.0, 0.0)))
    return robot


def humanoid(limb: int = 6) -> Robot:
    """A floating trunk with four limbs and a neck, hinges about all axes, a geared rotor of impossible inertia for every joint of the limbs."""
    robot = Robot("humanoid", floating=True)
    robot.links.append(Link("trunk", 20.0, (0.01, 0.0, 0.2), (0.8, 0.7, 0.3, 0.01, 0.02, -0.01)))
    places = {"leg l": (0.0, 0.1, -0.1), "leg r": (0.0, -0.1, -0.1), "arm l": (0.0, 0.2, 0.4), "arm r": (0.0, -0.2, 0.4)}
    for limb_name, place in places.items():
        on, at = "trunk", place
        for i in range(limb):
            axis = ("z", "x", "y", "y", "-y", "x")[i % 6]
            name = f"{limb_name} {i}"
            robot.hang(
                Link(name, 2.0 - 0.2 * i, (0.01, 0.0, -0.08), (0.01, 0.012, 0.003, 0.0, 1e-4, 0.0)), on, at, axis, rpy=(0.1 * i, 0.05, -0.2)
            )
            robot.hang(Link(f"{name} rotor", *FLAT_ROTOR), on, at, axis, independent=False)
            robot.gears.append(Gear(f"{name} gear", name, f"{name} rotor", 12.0 if i == 4 else 6.0))
            on, at = name, (0.0, 0.0, -0.15)
    robot.hang(Link("head", 3.0, (0.0, 0.0, 0.1), (0.02, 0.02, 0.01, 0.0, 0.0, 0.0)), "trunk", (0.0, 0.0, 0.5))
    robot.hang(Link("head rotor", *FLAT_ROTOR), "trunk", (0.0, 0.0, 0.45), independent=False)
    robot.gears.append(Gear("neck gear", "head", "head rotor", 6.0))
    return robot


def spatial_rings(rings: int, floating: bool = True) -> Robot:
    """Rings that no plane holds, each on the one before: two chains of three hinges about different axes, their ends in one point."""
    robot = Robot(f"spatial_rings_{rings}", floating)
    if floating:
        robot.links.append(Link("base", 5.0, (0.02, 0.0, 0.0), (0.1, 0.2, 0.15, 0.01, 0.0, 0.0)))
    on = "base" if floating else robot.root
    moments = (0.02, 0.03, 0.025, 0.001, -0.002, 0.0)
    for r in range(rings):
        for side, free in (("l", 3), ("r", 0)):
            parent, at = on, (0.4 if side == "r" else 0.0, 0.1, 0.0)
            for i in range(3):
                name = f"{side}{r}_{i}"
                link = Link(name, 1.0 + 0.1 * i, (0.2, 0.05, 0.0), moments)
                robot.hang(
                    link,
                    parent,
                    at,
                    ("z", "x", "y")[i] if side == "l" else ("y", "z", "x")[i],
                    independent=i < free,
                    rpy=(0.3 * i, 0.2, -0.1),
                )
                parent, at = name, (0.5, 0.1, 0.2)
        robot.closures.append(Closure(f"ring {r}", f"l{r}_2", (0.4, 0.0, 0.1), f"r{r}_2", (0.3, 0.2, 0.0)))
        on = f"l{r}_0"
    return robot
