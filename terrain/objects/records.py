"""Records of objects for kernels: one table of objects, their vertices, triangles and paths, and a grid of bins for look-up.

The records of one world are reached from one record of `WORLD`, which contains their addresses. A kernel that takes a ground therefore has
one signature for all worlds: more objects, another mesh or another generator need no compilation. An address is valid only in this process
and as long as the `terrain.objects.object_set.ObjectSet` exists.

Frame O of an object is described in `terrain.objects.shapes`.
"""

from __future__ import annotations

import numpy as np

from simulator.base.records import Record, dtype_of, record

BOX, CYLINDER, SPHERE, CAPSULE, HULL, MESH = range(6)
"""Shapes; those before HULL have closed forms."""
MAX_HULL_VERTICES = 64
"""Maximum number of vertices of a hull."""
STATIC, PATH, BREAKAWAY = range(3)
"""Motions."""

OBJECT = (
    # name         shape   unit    description
    ("number", (), "1", "number of the object, 1 or larger, never used again in a session; 0 is the ground", "i8"),
    ("shape", (), "1", "number of the shape", "i8"),
    ("label", (), "1", "number of the label", "i8"),
    ("motion", (), "1", "STATIC, PATH or BREAKAWAY", "i8"),
    ("present", (), "1", "0 = removed", "i8"),
    ("size", (3,), "m", "half the edges of a box; radius and half the length, without round ends, of a round shape"),
    ("p_WO", (3,), "m", "origin of O, in W; of a moving object at time 0"),
    ("R_WO", (3, 3), "1", "axes of O, in W; of a moving object at time 0"),
    ("center_O", (3,), "m", "center of the bounding box, in O"),
    ("half_O", (3,), "m", "half the edges of the bounding box, in O"),
    ("reach", (), "m", "radius of the bounding sphere about the center of the bounding box"),
    ("low", (3,), "m", "minimum x, y, z in W, over all motion; of a breakaway object before it breaks"),
    ("high", (3,), "m", "maximum x, y, z in W, over all motion; of a breakaway object before it breaks"),
    ("first", (), "1", "hull: first row of `vertices`; mesh: row of `nodes` of the root", "i8"),
    ("count", (), "1", "hull: number of vertices; mesh: number of nodes", "i8"),
    ("first_segment", (), "1", "first row of `segments` of a path", "i8"),
    ("segments", (), "1", "number of segments of a path", "i8"),
    ("repeats", (), "1", "path after its end: 0 = stands, 1 = begins again", "i8"),
    ("state", (), "1", "row of `states` and `bodies` of an object with a mass", "i8"),
    ("mass", (), "kg", "mass of an object that breaks off or leaves its path; 0 = it does neither"),
    ("break_force", (), "N", "force at which an object with a mass breaks off or leaves its path"),
    ("friction", (), "1", "friction coefficient"),
    ("restitution", (), "1", "coefficient of restitution"),
    ("stiffness", (), "N/m", "stiffness of the object; the vehicle has its own"),
    ("color", (3,), "1", "red, green, blue, 0 to 1"),
    ("reflectance", (), "1", "diffuse reflectance for lidar, 0 to 1"),
    ("extinction", (), "1/m", "weakening of a ray inside; 0 = solid"),
    ("radar_cross_section", (), "m2", "radar cross section"),
)

SEGMENT = (
    # name   shape  unit     description
    ("time", (2,), "s", "start and end"),
    ("p_WO", (2, 3), "m", "origin of O at start and end, in W"),
    ("v_WO", (2, 3), "m/s", "velocity at start and end, in W"),
    ("yaw", (2,), "rad", "yaw at start and end"),
    ("yaw_rate", (2,), "rad/s", "yaw rate at start and end"),
)
"""Part of a path: cubic polynomials of time with these values and rates at both ends."""

STATE = (
    # name               shape   unit    description
    ("broken", (), "1", "1 = broken off", "i8"),
    ("vehicle", (), "1", "number of the vehicle of which the object is a part, which then moves it; 0 = none", "i8"),
    ("p_WO", (3,), "m", "origin of O, in W"),
    ("q_WO", (4,), "1", "attitude of O, a unit quaternion; of a broken object"),
    ("R_WO", (3, 3), "1", "axes of O, in W"),
    ("v_WO", (3,), "m/s", "velocity of the origin of O, in W"),
    ("w_WO", (3,), "rad/s", "angular velocity, in W"),
    ("impulse_W", (3,), "N s", "impulse of the vehicle in this step"),
    ("angular_impulse_W", (3,), "N m s", "angular impulse of the vehicle about the center of mass in this step"),
    ("rest", (), "s", "time for which the object has been at rest on the ground"),
)
"""State of an object with a mass. After it has broken off or left its path, it is a rigid body."""

RIGID_BODY = (
    # name             shape   unit         description
    ("com_O", (3,), "m", "center of mass, in O"),
    ("inertia", (6,), "kg m2", "moments of inertia xx, yy, zz, xy, xz, yz about the center of mass, in O"),
    ("inverse_inertia", (6,), "1/(kg m2)", "inverse of the inertia, in O"),
    ("reach", (), "m", "distance of the farthest point from the center of mass"),
    ("first", (), "1", "first row of `vertices` of the points that touch the ground; a cylinder has none", "i8"),
    ("count", (), "1", "number of these points", "i8"),
    ("margin", (), "m", "radius of the ball about each of these points"),
    ("rolling_arm", (), "m", "arm of the ground force that resists the rolling of a round object"),
)
"""Mass distribution and outline of an object with a mass."""

GROUND_POINT = (
    # name           shape   unit    description
    ("r_W", (3,), "m", "point of an object that may touch the ground, from the center of mass"),
    ("n_W", (3,), "1", "ground normal"),
    ("gap", (), "m", "distance from the ground along the normal"),
    ("impulse_W", (3,), "N s", "impulse of the ground in this step"),
    ("step_W", (3,), "N s", "last change of the impulse"),
    ("search_W", (3,), "N s", "direction in which the impulse changes"),
    ("normal_answer", (), "1/kg", "change of the velocity along the normal by an impulse along it"),
    ("slide_answer", (), "1/kg", "largest change of the velocity across the normal by an impulse across it"),
    ("lowest", (), "m/s", "lowest separation speed at the end of the step: the point then reaches the ground"),
    ("bounce", (), "m/s", "the same with the coefficient of restitution"),
)
"""Scratch of the contact of one object with the ground."""
MAX_GROUND_POINTS = 64
"""Maximum number of points of an object that touch the ground."""

NODE = (
    # name    shape  unit  description
    ("low", (3,), "m", "minimum x, y, z, in O"),
    ("high", (3,), "m", "maximum x, y, z, in O"),
    ("first", (), "1", "leaf: first row of `triangles`; else row of the first child; the second child is the next row", "i8"),
    ("count", (), "1", "leaf: number of triangles; else 0", "i8"),
)
"""Node of the tree of bounding boxes of a mesh; the tree is at most `DEEPEST` nodes deep."""
DEEPEST = 64
"""Maximum depth of a tree: more than enough for the triangles of any mesh that fits into memory."""

TRIANGLE = (
    # name   shape   unit  description
    ("a", (3,), "m", "first corner, in O"),
    ("ab", (3,), "m", "second corner minus the first"),
    ("ac", (3,), "m", "third corner minus the first"),
)

VERTEX = (("r_O", (3,), "m", "vertex, in O"),)

WORLD = (
    # name     shape  unit  description
    ("count", (), "1", "number of rows of `objects`; 0 = no objects", "i8"),
    ("origin", (2,), "m", "x, y of the south-west corner of the bins"),
    ("size", (), "m", "side length of a bin"),
    ("bins", (2,), "1", "number of bins along x and y", "i8"),
    ("low", (3,), "m", "minimum x, y, z of all objects in bins"),
    ("high", (3,), "m", "maximum x, y, z of all objects in bins"),
    ("movers", (), "1", "number of objects that are not in the bins", "i8"),
    ("fastest", (), "m/s", "bound on the speed of any point of the objects on paths"),
    ("broken", (), "1", "number of broken objects", "i8"),
    ("vehicles", (), "1", "number of vehicles that are objects for others", "i8"),
    ("vehicle_parts", (), "1", "number of their objects, whose rows are the first of `broken_rows`", "i8"),
    ("fastest_vehicle", (), "m/s", "bound on the speed of any point of these objects"),
    ("items", (), "1", "number of rows of `item_rows`", "i8"),
    ("objects", (), "", "address of records of OBJECT", "u8"),
    ("starts", (), "", "address of int64 (bins + 1,): index in `item_rows` of the start of each bin, row by row from the south-west", "u8"),
    ("item_rows", (), "", "address of int64: rows of `objects`, bin by bin", "u8"),
    ("mover_rows", (), "", "address of int64: rows of `objects` that are not in the bins", "u8"),
    ("broken_rows", (), "", "address of int64: rows of `objects` of broken objects, in the order in which they broke", "u8"),
    ("vertices", (), "", "address of records of VERTEX", "u8"),
    ("nodes", (), "", "address of records of NODE", "u8"),
    ("triangles", (), "", "address of records of TRIANGLE", "u8"),
    ("segments", (), "", "address of records of SEGMENT", "u8"),
    ("states", (), "", "address of records of STATE", "u8"),
    ("bodies", (), "", "address of records of RIGID_BODY, in the rows of `states`", "u8"),
    ("ground_points", (), "", "address of MAX_GROUND_POINTS records of GROUND_POINT, scratch", "u8"),
)
"""All objects of one session. Counts of the records behind an address follow from the rows that refer to them."""

OBJECT_TYPE, SEGMENT_TYPE, STATE_TYPE, RIGID_BODY_TYPE, GROUND_POINT_TYPE, NODE_TYPE, TRIANGLE_TYPE, VERTEX_TYPE, WORLD_TYPE = map(
    dtype_of, (OBJECT, SEGMENT, STATE, RIGID_BODY, GROUND_POINT, NODE, TRIANGLE, VERTEX, WORLD)
)
ROW_TYPE = np.dtype(np.int64)


def no_world() -> Record:
    """Return the record of a world without objects."""
    return record(WORLD)
