"""Mechanisms that are hard to follow over time, as mappings in the format of mechanism files: dead points, flat positions, redundant rows.

Everything is built from points in the world at the design position, where all coordinates are zero and all loops are closed.
"""

import math

import numpy as np

Z = [0.0, 0.0, 1.0]
DOWN = [0.0, -9.81, 0.0]


def points(*values):
    """Plain lists of numbers, as a YAML file has them."""
    return [[float(x) for x in value] for value in values]


def rod(a, b, mass=1.0):
    """A uniform rod with some thickness, so that it turns about its own axis too."""
    return {"mass": mass, "rod": points(a, b), "radius": 0.02}


def hinge(parent, child, point, axis=Z):
    """A revolute joint of the tree."""
    return {"type": "revolute", "parent": parent, "child": child, "point": points(point)[0], "axis": points(axis)[0]}


def chain(name, hinges, axes, gravity, loop="revolute", state=None):
    """A closed chain of rods: hinge k joins link k to link k + 1, the last one closes the chain on the world."""
    bodies, joints = {}, {}
    below = "world"
    for k in range(len(hinges) - 1):
        link = f"link {k + 1}"
        bodies[link] = rod(hinges[k], hinges[k + 1])
        joints[f"hinge {k + 1}"] = hinge(below, link, hinges[k], axes[k])
        below = link
    end = {"type": loop, "predecessor": below, "successor": "world", "point": points(hinges[-1])[0]}
    if loop == "revolute":
        end["axis"] = points(axes[-1])[0]
    out = {"name": name, "gravity": list(map(float, gravity)), "bodies": bodies, "joints": joints, "loops": {f"hinge {len(hinges)}": end}}
    return out | ({"state": state} if state else {})


def circle_meeting(a, r_a, b, r_b, side=1.0):
    """The point at the distances r_a from a and r_b from b, on the left of the way from a to b."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    d = float(np.linalg.norm(b - a))
    along = (d * d + r_a * r_a - r_b * r_b) / (2.0 * d)
    across = math.sqrt(r_a * r_a - along * along)
    e = (b - a) / d
    return a + along * e + side * across * np.array([-e[1], e[0]])


def four_bar(ground, crank, coupler, rocker, angle, side=1.0, loop="ball", state=None):
    """A planar four-bar by its lengths, its crank at `angle`; with `loop` "revolute" it is written with five rows, three of them redundant."""
    A, D = np.zeros(2), np.array([ground, 0.0])
    B = crank * np.array([math.cos(angle), math.sin(angle)])
    C = circle_meeting(B, coupler, D, rocker, side)
    hinges = [[*p, 0.0] for p in (A, B, C, D)]
    return chain("four-bar", hinges, [Z] * 4, DOWN, loop, state)


GRASHOF = {
    "crank-rocker": (1.0, 0.3, 0.9, 0.7),
    "double crank": (0.3, 0.8, 0.9, 0.7),
    "double rocker": (1.0, 0.8, 0.3, 0.9),
    "triple rocker": (1.0, 0.6, 0.7, 0.65),
}
"""Lengths of ground, crank, coupler and rocker of every kind of four-bar but those that can lie flat."""


def slider_crank(r, l, offset, angle):
    """A crank about the origin, a rod, and a piston on a line parallel to x."""
    pin = r * np.array([math.cos(angle), math.sin(angle)])
    end = np.array([pin[0] + math.sqrt(l * l - (offset - pin[1]) ** 2), offset])
    O, P, E = ([*p, 0.0] for p in (np.zeros(2), pin, end))
    return {
        "name": "slider-crank",
        "gravity": DOWN,
        "bodies": {"crank": rod(O, P), "rod": rod(P, E), "piston": {"mass": 0.5, "com": points(E)[0], "inertia": [1e-3, 1e-3, 1e-3]}},
        "joints": {
            "bearing": hinge("world", "crank", O),
            "pin": hinge("crank", "rod", P),
            "cylinder": {"type": "prismatic", "parent": "world", "child": "piston", "axis": [1.0, 0.0, 0.0]},
        },
        "loops": {"piston pin": {"type": "ball", "predecessor": "rod", "successor": "piston", "point": points(E)[0]}},
    }


def bennett(a=0.6, alpha=0.7, b=0.9, theta=1.0, loop="revolute"):
    """Bennett's spatial linkage of four hinges, one degree of freedom with three redundant rows; a / sin(alpha) = b / sin(beta).

    The links have the lengths a, b, a, b and the twists alpha, beta, alpha, beta (Bennett, Engineering 76, 1903).
    """
    beta = math.asin(b * math.sin(alpha) / a)
    # Closure: tan(theta1 / 2) tan(theta2 / 2) = sin((alpha + beta) / 2) / sin((beta - alpha) / 2)
    other = 2.0 * math.atan(math.sin(0.5 * (alpha + beta)) / math.sin(0.5 * (beta - alpha)) / math.tan(0.5 * theta))
    angles = [theta, other, 2.0 * math.pi - theta, 2.0 * math.pi - other]
    T, hinges, axes = np.eye(4), [], []
    for k in range(4):
        hinges.append(T[:3, 3].copy())
        axes.append(T[:3, 2].copy())
        length, twist = ((a, alpha), (b, beta))[k % 2]
        T = T @ turn_z(angles[k]) @ screw_x(length, twist)
    assert np.abs(T - np.eye(4)).max() < 1e-9, T
    return chain("Bennett", hinges, axes, [0.0, -7.0, -6.0], loop)


def turn_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def screw_x(length, twist):
    c, s = math.cos(twist), math.sin(twist)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def sarrus(fold=0.6, cardan=False):
    """Sarrus' linkage: two pairs of links that fold in planes square to each other move a platform along z; one redundant row."""
    h, x = math.sin(fold), math.cos(fold)
    legs = {"x": (np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), "y": (np.array([0, 1.0, 0]), np.array([-1.0, 0, 0]))}
    bodies, joints, loops = {}, {}, {}
    for name, (out, axis) in legs.items():
        low, knee, top = out * 0.5, out * (0.5 + x) + np.array([0, 0, h]), out * 0.5 + np.array([0, 0, 2 * h])
        bodies[f"lower {name}"], bodies[f"upper {name}"] = rod(low, knee), rod(knee, top)
        joints[f"base {name}"] = hinge("world", f"lower {name}", low, axis)
        joints[f"knee {name}"] = hinge(f"lower {name}", f"upper {name}", knee, axis)
        if name == "x":
            bodies["platform"] = {"mass": 2.0, "com": [0.0, 0.0, float(2 * h)], "inertia": [0.1, 0.12, 0.15]}
            joints["top x"] = hinge("upper x", "platform", top, axis)
        else:
            at = {"point": points(top)[0], "axis": points(axis)[0]}
            loops["top y"] = {"type": "revolute", "predecessor": "upper y", "successor": "platform"} | at
    out = {"name": "Sarrus", "gravity": [0.0, 0.0, -9.81], "bodies": bodies, "joints": joints, "loops": loops}
    if cardan:
        add_cardan(out, np.array([0.0, 0.0, 2 * h]))
    return out


def add_cardan(out, top):
    """A shaft hung from a platform: universal joint, telescope, universal joint, and a second shaft in a bearing of the world."""
    low = top + np.array([0.3, 0.2, -0.9])
    d = (low - top) / np.linalg.norm(low - top)
    side = np.cross(d, [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    other = np.cross(d, side)
    mid = 0.5 * (top + low)
    axis = np.array([0.0, 0.0, 1.0])
    out["bodies"] |= {"tube": rod(top, mid, 0.5), "slide": rod(mid, low, 0.5)}
    out["bodies"]["flange"] = {"mass": 0.4, "com": points(low)[0], "inertia": [2e-3, 2e-3, 3e-3]}
    out["joints"] |= {
        "upper cross": {"type": "universal", "parent": "platform", "child": "tube", "point": points(top)[0], "axes": points(side, other)},
        "telescope": {"type": "prismatic", "parent": "tube", "child": "slide", "axis": points(d)[0]},
        "lower cross": {"type": "universal", "parent": "slide", "child": "flange", "point": points(low)[0], "axes": points(other, side)},
    }
    out["loops"]["bearing"] = {
        "type": "revolute",
        "predecessor": "flange",
        "successor": "world",
        "point": points(low)[0],
        "axis": points(axis)[0],
    }


def rssr(spin=0.0):
    """Crank and rocker on skew axes, a coupler with a ball at both ends: one degree of freedom and the coupler's turn about itself."""
    A, B, C, D = np.array([0, 0, 0.0]), np.array([0, 0.0, 0.4]), np.array([1.0, 0.9, 0.3]), np.array([1.0, 0.0, 0.0])
    return {
        "name": "RSSR",
        "gravity": [0.0, -3.0, -9.0],
        "bodies": {"crank": rod(A, B), "coupler": rod(B, C), "rocker": rod(D, C)},
        "joints": {
            "bearing": hinge("world", "crank", A, [1.0, 0.0, 0.0]),
            "ball": {"type": "spherical", "parent": "crank", "child": "coupler", "point": points(B)[0]},
            "pivot": hinge("world", "rocker", D),
        },
        "loops": {"other ball": {"type": "ball", "predecessor": "coupler", "successor": "rocker", "point": points(C)[0]}},
    } | ({"state": {"ball": {"angular_velocity": points(spin * (C - B) / np.linalg.norm(C - B))[0]}}} if spin else {})


def parallelogram(angle=1.2, rate=0.0, bars=2, loop="ball", gravity=DOWN, size=1.0):
    """`bars` equal cranks on a line, joined by one coupler: every crank beyond the second is redundant. It can lie flat."""
    e = 0.5 * size * np.array([math.cos(angle), math.sin(angle), 0.0])
    feet = [np.array([0.8 * size * k, 0.0, 0.0]) for k in range(bars)]
    out = {
        "name": "parallelogram",
        "gravity": list(map(float, gravity)),
        "bodies": {"coupler": rod(feet[0] + e, feet[-1] + e)},
        "joints": {},
        "loops": {},
    }
    state = {}
    for k, foot in enumerate(feet):
        out["bodies"][f"crank {k}"] = rod(foot, foot + e)
        out["joints"][f"foot {k}"] = hinge("world", f"crank {k}", foot)
        state[f"foot {k}"] = [0.0, rate]
        if k == 0:
            out["joints"]["head 0"] = hinge("crank 0", "coupler", foot + e)
            state["head 0"] = [0.0, -rate]
        else:
            end = {"type": loop, "predecessor": f"crank {k}", "successor": "coupler", "point": points(foot + e)[0]}
            out["loops"][f"head {k}"] = end | ({"axis": Z} if loop == "revolute" else {})
    return out | ({"state": state} if rate else {})


def watt(loop="ball"):
    """Two four-bars in a row, the rocker of the first is the crank of the second: two loops in one aggregated body."""
    A, B, C, D = np.array([0, 0.0]), np.array([0.25, 0.35]), np.array([0.9, 0.8]), np.array([1.0, 0.0])
    E, F, G = np.array([1.15, 0.5]), np.array([1.9, 0.9]), np.array([2.1, 0.1])
    A, B, C, D, E, F, G = ([*p, 0.0] for p in (A, B, C, D, E, F, G))
    end = {"axis": Z} if loop == "revolute" else {}
    return {
        "name": "Watt",
        "gravity": DOWN,
        "bodies": {"crank": rod(A, B), "coupler": rod(B, C), "rocker": rod(D, C), "second coupler": rod(E, F), "second rocker": rod(G, F)},
        "joints": {
            "A": hinge("world", "crank", A),
            "B": hinge("crank", "coupler", B),
            "D": hinge("world", "rocker", D),
            "E": hinge("rocker", "second coupler", E),
            "G": hinge("world", "second rocker", G),
        },
        "loops": {
            "C": {"type": loop, "predecessor": "coupler", "successor": "rocker", "point": points(C)[0]} | end,
            "F": {"type": loop, "predecessor": "second coupler", "successor": "second rocker", "point": points(F)[0]} | end,
        },
    }


def twins(mapping, n=2):
    """The same mechanism n times side by side: all of them come to their dead points in the same step."""
    out = {"name": f"{n} times {mapping['name']}", "gravity": mapping["gravity"], "bodies": {}, "joints": {}, "loops": {}, "state": {}}
    for k in range(n):
        for part in ("bodies", "joints", "loops", "state"):
            for key, value in mapping.get(part, {}).items():
                out[part][f"{key} of {k}"] = renamed(value, k) if isinstance(value, dict) else value
    if not out["state"]:
        del out["state"]
    return out


def renamed(part, k):
    """A joint or a loop between the bodies of copy k."""
    ends = ("parent", "child", "predecessor", "successor")
    return {key: f"{value} of {k}" if key in ends and value != "world" else value for key, value in part.items()}
