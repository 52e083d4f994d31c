"""Preview of a washout from the plan of a drive to a goal: a single-track model follows the present path at its speeds.

The model is the linear single track of `simulator.driver.steering.macadam`, steered by the default steering controller along the path of the plan, with
the identified internal model of the vehicle. With v, w the lateral velocity and the yaw rate at the center of mass, u the forward speed, and a the
forward acceleration:

    f_x = a - v w - x_H w^2,     f_y = v' + u w + x_H w'          specific force at the head, x_H ahead of the center of mass
    d'  = target speed, within the limits of the plan,   a' = (d' + Kp (d - u) - a) / LAG          speed control

The difference of the present force from that of a steady turn, smooth over REMAINS, continues over the whole preview: the ground may be inclined.

The roll-out runs in a thread of its own, from the state at the last call; no tick waits for it in real time. Shocks of the ground, roll and pitch are not
predicted: the adaptive part of a washout reproduces them.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.plan_follower import RESPONSE, STANDSTILL_SPEED, Course
from simulator.base.jit import kernel
from simulator.base.plugin_thread import PluginThread
from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path_kernels import Line
from simulator.driver.steering.course_following import course_following
from simulator.driver.steering.kinds import DEFAULT, LAWS
from simulator.driver.steering.macadam import MIN_SLIP
from simulator.driver.steering.observation import LOW_SPEED, SEEN, car_of, notice

LAG = 0.2
"""s. Lag of the acceleration behind the pedals."""
REMAINS = 2.0
"""s. Time over which the difference of the force from that of a steady turn is smoothed."""
PARTS = 2
"""Steps of the model between two points of the preview."""
SPARE = 5
"""Points beyond the end, for the time that passes before a roll-out is used."""
SMOOTH = 0.1
"""s. Time over which the acceleration at the start is smoothed."""
LONGEST_PAUSE = 0.5
"""s. Time between two calls after which nothing is known about the motion before."""
WHEEL_RATE = 17.5
"""rad/s. Largest rate of the steering wheel, that of the default driver."""
AT_REST = 0.05
"""m/s. Below this speed a vehicle whose target is zero stands."""
NOTHING = np.zeros((0, 6))
"""Motion that is not known: of a state or a plan with values that are not finite."""

ROLLED = (
    # name             shape unit      meaning
    ("step", (), "s", "time between two points"),
    ("speed_limit_up", (), "m/s2", "largest rise of the demanded speed"),
    ("speed_limit_down", (), "m/s2", "largest fall of the demanded speed"),
    ("proportional", (), "1/s", "Kp"),
    ("demand", (), "m/s", "demanded speed at the start"),
    ("acceleration", (), "m/s2", "forward acceleration at the start"),
    ("stop", (), "m", "way after which the vehicle stands"),
    ("deceleration", (), "m/s2", "deceleration toward the stop"),
    ("wheel_rate", (), "rad/s", "largest rate of the road-wheel angle"),
    ("ahead", (), "m", "x_H: position of the head ahead of the center of mass"),
)


class Drive(Protocol):
    """What a preview needs of the session."""

    @property
    def driver(self) -> object:
        """Present driver."""

    @property
    def readout(self) -> Record:
        """READOUT of the vehicle."""

    @property
    def clock(self) -> object:
        """None if the ticks wait for all results, so that a run has the same bits."""


class Motion(NamedTuple):
    """Rolled-out motion."""

    time: float
    """s, of the state at the start"""
    rows: NDArray[np.float64]
    """(n, 6) specific force at the head less gravity [m/s2] and angular velocity [rad/s] at time, time + step ..."""


@kernel
def roll_out(r, law, car, seen, line, stations, speeds, out):
    """Write the motion (n, 6) of a single track that follows a path to `out`, as in `Motion`.

    r : ROLLED; law : parameters of the default steering controller; car : CAR; seen : SEEN of the point that follows the path, changed;
    line : Line; stations [m] and speeds [m/s] (m,) : target of the speed
    """
    p, c, s = r[0], car[0], seen[0]
    h = p["step"] / PARTS
    front, rear = c["front"], c["rear"]
    length = front + rear
    slip_r = max(c["rear_slip"], MIN_SLIP)
    slip_f = max(c["understeer"] + slip_r, MIN_SLIP)
    demand, a, angle = p["demand"], p["acceleration"], s["angle"]
    first = s["station"]
    # the lateral velocity of the steady turn at the yaw rate: the measured one contains the motion of the body on its springs
    v = (rear - slip_r * s["v_x"] * s["v_x"]) * s["w"]
    s["v_y"] = v - c["center"] * s["w"]
    for i in range((len(out) - 1) * PARTS + 1):
        u = s["v_x"]
        # lateral: accelerations of the linear single track
        low = max(u, 0.5 * LOW_SPEED)
        alpha_f, alpha_r = (v + front * s["w"]) / low - angle, (v - rear * s["w"]) / low
        side, turn = -(rear * alpha_f / slip_f + front * alpha_r / slip_r) / length, -(alpha_f / slip_f - alpha_r / slip_r) / length
        if i % PARTS == 0:
            w, row = s["w"], out[i // PARTS]
            row[0], row[1], row[5] = a - v * w - p["ahead"] * w * w, side + p["ahead"] * turn, w
        # speed control
        way = s["station"] + RESPONSE * u
        target = _interpolated(way, stations, speeds)
        if p["stop"] < math.inf:
            target = min(target, math.sqrt(2.0 * p["deceleration"] * max(p["stop"] - (s["station"] - first) - RESPONSE * u, 0.0)))
        change = min(max(target - demand, -p["speed_limit_down"] * h), p["speed_limit_up"] * h)
        demand += change
        wanted = min(max(change / h + p["proportional"] * (demand - u), -p["speed_limit_down"]), p["speed_limit_up"])
        a += h / (LAG + h) * (wanted - a)
        if u + h * a < AT_REST and target < AT_REST:
            s["v_x"], a, v, s["w"] = 0.0, 0.0, 0.0, 0.0
            continue
        # steering, then one implicit step of the linear single track
        course_following(law, car, seen, line)
        angle += min(max(s["wanted"] - angle, -p["wheel_rate"] * h), p["wheel_rate"] * h)
        s["angle"] = angle
        m11, m12 = -(rear / slip_f + front / slip_r) / (length * low), -(rear * front / slip_f - front * rear / slip_r) / (length * low) - u
        m21, m22 = -(1.0 / slip_f - 1.0 / slip_r) / (length * low), -(front / slip_f + rear / slip_r) / (length * low)
        b1, b2 = v + h * rear / (slip_f * length) * angle, s["w"] + h / (slip_f * length) * angle
        det = (1.0 - h * m11) * (1.0 - h * m22) - h * h * m12 * m21
        v, w = ((1.0 - h * m22) * b1 + h * m12 * b2) / det, (h * m21 * b1 + (1.0 - h * m11) * b2) / det
        s["v_x"] = max(u + h * a, 0.0)
        s["w"] = w
        s["v_y"] = v - c["center"] * w
        middle = s["yaw"] + 0.5 * h * w
        cy, sy = math.cos(middle), math.sin(middle)
        s["x"] += h * (cy * s["v_x"] - sy * s["v_y"])
        s["y"] += h * (sy * s["v_x"] + cy * s["v_y"])
        s["yaw"] += h * w
        s["station"] += h * s["v_x"]


@kernel
def _interpolated(x, xs, ys):
    """Return (xs, ys) at x, xs rising; constant before the start, zero beyond the end, where the vehicle stands. NaN where the plan has NaN, unlike
    `human_limits.interpolated`."""
    last = len(xs) - 1
    if x <= xs[0]:
        return ys[0]
    if x >= xs[last]:
        return 0.0
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= x:
            low = middle
        else:
            high = middle
    return ys[low] + (x - xs[low]) * (ys[high] - ys[low]) / max(xs[low + 1] - xs[low], 1e-9)


class PlanPreview:
    """Preview from the plan that the driver of a session follows; without a plan forward, or while the vehicle rolls backward, there is none.

    Parameters
    ----------
    drive : the session, or an object with its driver, readout and clock
    head : x of the driver's head from the reference point, in B [m]
    gravity : m/s2
    step : time between two points [s]
    points : number of points
    """

    def __init__(self, drive: Drive, head: float, gravity: float, step: float, points: int) -> None:
        self.step = step
        self._drive, self._head, self._gravity, self._points = drive, head, gravity, points
        self._motion: Motion | None = None
        self._remains, self._before, self._acceleration = np.zeros(2), (-math.inf, 0.0), 0.0
        nowhere = Line(np.zeros((2, 4)), np.zeros((0, 3)), 1.0)
        traits = InternalModel()
        law = LAWS[DEFAULT].parameters({}, traits)
        # compiles here, and not in the thread
        roll_out(record(ROLLED), law, car_of(traits), record(SEEN), nowhere, np.zeros(2), np.zeros(2), np.zeros((1, 6)))
        self._thread = PluginThread("preview of the plan", self._compute)

    @property
    def trouble(self) -> str:
        """Reason why there is no preview any more; empty while it works."""
        return self._thread.error

    def predict(self, time: float, f_H_B: NDArray[np.float64], w_WB_B: NDArray[np.float64]) -> int:
        """Fill the preview as in `washout.preview.sources.Preview`, from the last roll-out."""
        done = self._thread.result(self._drive.clock is None)
        driver = self._drive.driver
        course = driver.course if isinstance(driver, GoalDriver) else None
        rolls_back = self._drive.readout[0]["v_WB_B"][0] < -STANDSTILL_SPEED
        if course is None or rolls_back or self._thread.error:
            self._motion = None
            return 0
        if done is not None:
            self._motion = done
        if not self._thread.busy:
            self._thread.submit(time, course, self._drive.readout.copy())
        if self._motion is None:
            return 0
        rows, past = self._motion.rows, (time - self._motion.time) / self.step
        place = past + np.arange(1.0, self._points + 1.0)
        count = int(np.searchsorted(place, len(rows) - 1.0, side="right")) if past >= 0.0 else 0
        low = np.minimum(place[:count].astype(int), len(rows) - 2)
        part = (place[:count] - low)[:, None]
        between = (1.0 - part) * rows[low] + part * rows[low + 1]
        f_H_B[:count], w_WB_B[:count] = between[:, :3], between[:, 3:]
        f_H_B[:count, 2] += self._gravity
        return count

    def close(self) -> None:
        """End the thread."""
        self._thread.close()

    def _compute(self, time: float, course: Course, readout: Record) -> Motion:
        """Return the motion from a time [s] on; runs in the thread."""
        seen, now = record(SEEN), readout[0]
        if not (notice(readout, seen) and np.isfinite(now["f_H_B"]).all()):
            return Motion(time, NOTHING)
        speed = float(now["v_WB_B"][0])
        since, was = self._before
        self._before, dt = (time, speed), time - since
        if not 0.0 < dt < LONGEST_PAUSE:  # the first call, or after a reset or a pause
            self._acceleration, self._remains, dt = 0.0, np.zeros(2), math.inf
        else:
            self._acceleration += dt / (dt + SMOOTH) * ((speed - was) / dt - self._acceleration)
        car, r, model = car_of(course.model), record(ROLLED), course.model
        at = seen[0]  # B so far; the path is that of the point without sideslip
        at["x"] -= course.behind * math.cos(at["yaw"])
        at["y"] -= course.behind * math.sin(at["yaw"])
        at["station"], at["angle"], at["drift"] = course.station, course.angle, course.drift
        one = r[0]
        one["step"], one["proportional"], one["demand"], one["stop"] = self.step, course.proportional, course.demand, course.stop
        one["speed_limit_up"], one["speed_limit_down"], one["deceleration"] = course.acceleration, course.deceleration, course.deceleration
        one["acceleration"], one["ahead"] = self._acceleration, self._head + course.behind - float(car[0]["center"])
        one["wheel_rate"] = WHEEL_RATE / model.steering_wheel_lock * float(model.road_wheel_angles.max())
        rows = np.zeros((self._points + SPARE + 1, 6))
        roll_out(r, LAWS[DEFAULT].parameters({}, model), car, seen, course.line, course.stations, course.speeds, rows)
        part = 1.0 if dt == math.inf else dt / (dt + REMAINS)
        steady = np.array([self._acceleration, speed * float(now["w_WB_B"][2])])
        self._remains += part * (now["f_H_B"][:2] - steady - self._remains)
        rows[:, :2] += self._remains
        return Motion(time, rows if np.isfinite(rows).all() else NOTHING)
