"""Records of the contact with objects: parts of the vehicle, pairs that are close to each other, and collisions.

All positions of the narrow phase are relative to the chassis reference point, in world axes: the digits do not depend on the place on the map.
"""

from __future__ import annotations

from simulator.base.records import dtype_of
from terrain.objects.pose import POSE
from terrain.objects.records import DEEPEST, MAX_HULL_VERTICES

MAX_PARTS = 8
MAX_PART_POINTS = 24
"""Maximum numbers of parts of the body, and of vertices of a part."""
MAX_WHEELS = 32
"""Wheels beyond this number do not touch objects."""
PAIRS = 256
"""Maximum number of pairs of a part and an object, or a triangle of a mesh, that are tracked."""
TRIANGLES = 64
"""Maximum number of these pairs that are with triangles; of more, an even sample."""
PATCH = 8
"""Maximum number of vertices of a contact patch."""
RING = 256
"""Number of collisions that are stored until the session reads them."""

POINTS, CYLINDER_Z, BALL, SEGMENT_Z = range(4)
"""Kinds of convex bodies: hull of points, cylinder about its axis z, ball, segment along z with a radius."""

CONVEX = (
    # name     shape   unit  description
    ("kind", (), "1", "POINTS, CYLINDER_Z, BALL or SEGMENT_Z", "i8"),
    ("count", (), "1", "number of points", "i8"),
    ("center", (3,), "m", "origin of the own frame"),
    ("R", (3, 3), "1", "axes of the own frame"),
    ("size", (2,), "m", "radius, half the height of a cylinder or half the length of a segment"),
    ("points", (MAX_HULL_VERTICES, 3), "m", "points, in the own frame"),
)
"""A convex body for the narrow phase."""

PART = (
    # name     shape                 unit  description
    ("count", (), "1", "number of points", "i8"),
    ("points", (MAX_PART_POINTS, 3), "m", "vertices, in B"),
    ("center", (3,), "m", "center of the bounding box, in B"),
    ("half", (3,), "m", "half the edges of the bounding box"),
    ("radius", (), "m", "radius of the bounding sphere about the center"),
)

OBJECT_CONTACT = (
    # name        shape        unit     description
    ("kernel", (), "", "address of the contact kernel; 0 = not loaded", "u8"),
    ("parts", (MAX_PARTS,), "", "convex parts of the body", PART),
    ("count", (), "1", "number of these parts", "i8"),
    ("wheels", (MAX_WHEELS, 2), "m", "radius and half the width of each wheel"),
    ("reach", (), "m", "distance of the farthest point of parts and wheels from the chassis reference point"),
    ("stiffness", (), "N/m", "stiffness of the crushed body"),
    ("strength", (), "N", "force at which the body yields"),
    ("mass", (), "kg", "mass of the chassis"),
    ("com", (3,), "m", "center of mass of the chassis, in B"),
    ("inverse_inertia", (3, 3), "1/(kg m2)", "inverse of the inertia of the chassis about its center of mass, in B"),
    ("slowest_turn", (), "1/(kg m2)", "largest eigenvalue of the inverse inertia"),
)

PAIR = (
    # name        shape  unit     description
    ("live", (), "1", "1 = in use", "i8"),
    ("part", (), "1", "part of the body, or number of parts + wheel", "i8"),
    ("row", (), "1", "row of the object", "i8"),
    ("body", (), "1", "the same; of a vehicle minus its number, for all its parts", "i8"),
    ("triangle", (), "1", "row of the triangle of a mesh; else -1", "i8"),
    ("seen", (), "1", "1 = found by the look-up of this step", "i8"),
    ("n_W", (3,), "1", "contact normal, from the object to the vehicle; kept while the two overlap"),
    ("depth", (), "m", "overlap along the normal; negative: distance"),
    ("origin", (), "m", "depth at which the crush curve begins; above 0 for a vehicle that starts inside the object"),
    ("dent", (), "m", "part of the depth that the spring does not return"),
    ("steepness", (), "1", "stiffness of the spring divided by that of the crush curve"),
    ("r_W", (3,), "m", "contact point, from the chassis reference point, in world axes"),
    ("r_B", (3,), "m", "the same point in B"),
    ("v_W", (3,), "m/s", "velocity of the vehicle relative to the object at the contact point"),
    ("v_O_W", (3,), "m/s", "velocity of the object at the contact point"),
    ("u_W", (3,), "m", "tangential deflection of the bristle"),
    ("spin", (), "rad/s", "angular velocity of the vehicle relative to the object, about the normal"),
    ("twist", (), "rad", "angle of the bristle about the normal"),
    ("area", (), "m2", "area of the contact patch"),
    ("weight", (), "m3", "weight of the pair in the share"),
    ("share", (), "1", "share of the pair in the force of all pairs with a similar normal"),
    ("own_share", (), "1", "the same among the pairs of the same object"),
    ("normal_force", (), "N", "normal force of the last step"),
    ("force_W", (3,), "N", "force on the vehicle in the last step"),
    ("mass", (), "kg", "effective mass along the normal in the last step"),
    ("drift", (), "m/s", "change of the separation speed by all other forces in the last step"),
    ("elastic", (), "J", "energy of which the pair returns more than of the rest"),
    ("energy", (), "J", "part of the work that the vehicle has done on the pair along the normal that is still in the spring"),
    ("rebound", (), "J", "part of this work that the pair will return as the bodies separate"),
)
"""A part of the vehicle close to an object."""

COLLISION = (
    # name           shape  unit   description
    ("number", (), "1", "number of the collision, from 1", "i8"),
    ("object", (), "1", "number of the object", "i8"),
    ("label", (), "1", "number of its label", "i8"),
    ("time", (), "s", "time of the first force"),
    ("end", (), "s", "time of the last force of the impact"),
    ("last", (), "s", "time of the last force"),
    ("p_WC", (3,), "m", "contact point at the first force"),
    ("n_W", (3,), "1", "contact normal at the first force, from the object to the vehicle"),
    ("closing_speed", (), "m/s", "speed of approach along the normal at the first force"),
    ("impulse_W", (3,), "N s", "impulse of the object on the vehicle in the impact"),
    ("touch_impulse_W", (3,), "N s", "the same, with that of leaning and pushing afterwards"),
    ("peak_force", (), "N", "largest force in the impact"),
    ("phase", (), "1", "APPROACH, REBOUND or LEANING", "i8"),
    ("force_W", (3,), "N", "force in this step"),
    ("normal_force", (), "N", "sum of the normal forces in this step"),
    ("power", (), "W", "power of these forces on the vehicle; above 0: the bodies separate"),
    ("moved", (), "s", "last time at which they approached or separated"),
    ("closing", (), "m/s", "speed of approach in this step"),
)
"""One collision with an object; see `vehicles.contact.collisions`."""

OBJECT_CONTACT_STATE = (
    # name         shape    unit   description
    ("p_WB", (3,), "m", "input: chassis reference point"),
    ("R_WB", (3, 3), "1", "input: axes of B"),
    ("v_WB_B", (3,), "m/s", "input: velocity of the chassis reference point"),
    ("w_WB_B", (3,), "rad/s", "input: angular velocity of the chassis"),
    ("time", (), "s", "input: simulated time"),
    ("vehicle", (), "1", "input: number of the vehicle; it meets the vehicles with higher numbers", "i8"),
    ("impulse_W", (3,), "N s", "input: impulse of the vehicles with lower numbers in this step"),
    ("angular_impulse_W", (3,), "N m s", "input: angular impulse of these about the center of mass of the chassis"),
    ("away", (), "m", "distance that vehicle and objects can still move before they can be close"),
    ("live", (), "1", "number of pairs in use", "i8"),
    ("top", (), "1", "no pair from this row on is in use", "i8"),
    ("lost", (), "1", "number of times that a close object was left out because no pair was free", "i8"),
    ("force_B", (3,), "N", "force of the objects on the vehicle, in B"),
    ("couple_B", (3,), "N m", "moment of this force about the chassis reference point, in B"),
    (
        "ahead_B",
        (2, 3),
        "m/s, rad/s",
        "velocity of the center of mass and angular velocity that the pairs computed so far add to the drift of the others",
    ),
    ("wheels_B", (MAX_WHEELS, 2, 3), "m, 1", "center and axis of each wheel in B, as the objects meet it"),
    ("lags_B", (MAX_WHEELS, 2, 3), "m, 1", "the same minus the present center and axis"),
    ("collisions", (), "1", "number of collisions so far", "i8"),
    ("pairs", (PAIRS,), "", "tracked pairs", PAIR),
    ("ring", (RING,), "", "the last collisions; collision number k is in row (k - 1) % RING", COLLISION),
    ("pose", (1,), "", "scratch: pose of an object", POSE),
    ("a", (1,), "", "scratch: a part of the vehicle", CONVEX),
    ("b", (1,), "", "scratch: an object", CONVEX),
    ("simplex", (4, 3), "m", "scratch: vertices of the simplex"),
    ("corners", (2, 4, 3), "m", "scratch: corners of the contact patch on the part and on the object: along, across, height"),
    ("patch", (2, PATCH, 3), "m", "scratch: vertices of the contact patch"),
    ("stack", (2 * DEEPEST,), "1", "scratch: nodes of a tree of a mesh", "i8"),
)

OBJECT_CONTACT_TYPE, OBJECT_CONTACT_STATE_TYPE = map(dtype_of, (OBJECT_CONTACT, OBJECT_CONTACT_STATE))
