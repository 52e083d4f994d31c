"""Controls of the voices: strengths and frequencies, derived from the state of a drive every 10 ms. The voices interpolate them."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import smooth_step
from vehicles.sound_section import MAX_WHEELS

CONTROLS = (
    # name             shape            unit     description
    ("engine_rate", (), "1/s", "turns of the crankshaft per second"),
    ("load", (), "1", "torque over the largest torque, 0 to 1"),
    ("throttle", (), "1", "accelerator pedal"),
    ("fire", (), "1", "1 while the engine fires, 0 while it stands or is cranked"),
    ("overrun", (), "1", "1 while the vehicle drives the engine"),
    ("crank", (), "1", "1 while the starter turns the engine"),
    ("turbo_rate", (), "1/s", "turns of the turbocharger per second"),
    ("motor_rate", (), "1/s", "turns of the motors per second"),
    ("input_rate", (), "1/s", "turns of the input shaft of the gearbox per second"),
    ("ring_rate", (), "1/s", "turns of the ring gear per second"),
    ("input_load", (), "1", "strength of the whine of the gearbox"),
    ("ring_load", (), "1", "strength of the whine of the final drives"),
    ("squeal", (MAX_WHEELS,), "1", "strength of the squeal of each tire"),
    ("pitch", (MAX_WHEELS,), "Hz", "frequency of the squeal"),
    ("scrub", (MAX_WHEELS,), "1", "strength of the rubbing of each tire"),
    ("roll", (MAX_WHEELS,), "1", "strength of the rolling noise on hard ground"),
    ("rumble", (MAX_WHEELS,), "1", "strength of the rolling noise of rough ground"),
    ("grains", (MAX_WHEELS,), "1/s", "grains of gravel or sand that a wheel moves per second"),
    ("mud", (MAX_WHEELS,), "1", "strength of the sound of mud"),
    ("speed", (), "m/s", "speed of the vehicle"),
    ("drops", (), "1/s", "drops of rain that hit the vehicle per second"),
    ("horn", (), "1", "1 while the horn sounds"),
    ("scrape", (), "1", "strength of the body that slides along something"),
    ("stop", (MAX_WHEELS,), "1", "strength of the hits of the suspension stops, of this block"),
    ("hit", (), "1", "strength of a hit on the body, of this block"),
)
"""Strengths and frequencies of the voices at one time; the strength 1 is loud."""
MEMORY = (
    ("known", (), "1", "0: nothing before this state; 1, 2: number of states before it", "i8"),
    ("jumps", (), "1", "jumps of the last state", "i8"),
    ("deflection", (2, MAX_WHEELS), "m", "tire deflections of the last two states"),
    ("length", (MAX_WHEELS,), "m", "spring lengths of the last state"),
    ("force", (), "N", "contact force of the last state"),
    ("unevenness", (MAX_WHEELS,), "m", "mean change of the tire deflection by the ground"),
    ("turbo_speed", (), "rad/s", "speed of the turbocharger"),
    ("limited", (), "1", "number of states in a row in which the speed limiter acts", "i8"),
)
"""What the controls remember of earlier states."""
PERIOD = 0.01
"""s between two states."""
LIMIT_THROTTLE = 0.3
"""Accelerator pedal from which on the speed limiter cuts the ignition."""
FIRES, CUTS = 5, 4
"""States in which the limited engine fires and does not fire, in turn: 11 cuts per second."""
SQUEAL_STARTS, SQUEAL_FULL = 0.4, 2.0
"""m/s. Sliding speeds at which a tire begins to squeal, and squeals fully."""
SQUEAL_PITCH = 950.0
"""Hz. Frequency of the squeal at small sliding speeds."""
LOAD_PITCH = 0.25
"""Exponent with which the frequency of the squeal falls with the load of the wheel: a longer contact patch is slower."""
LOUD_SLIDE = 4.0
"""m/s. Friction power of the loudest squeal, over the mean load of the wheel."""
UNEVEN = 6e-4
"""m. Change of the tire deflection in 10 ms on a rough road."""
MUD_SINKAGE = 0.05
"""m. Sinkage in which a wheel churns mud instead of grains."""
DROPS = 4e8
"""Drops per second and rain rate [1/m]; 20 mm/h are 2200 drops per second."""
TAU = 2.0 * math.pi


@kernel
def update_controls(p, x, m, c):
    """Compute the controls of a state; p, x, m, c: records VEHICLE_SOUND, SOUND_INPUT, MEMORY, CONTROLS."""
    if m[0]["jumps"] != x[0]["jumps"]:
        m[0]["jumps"], m[0]["known"] = x[0]["jumps"], 0
    _engine(p, x, m, c)
    _gears(p, x, c)
    for i in range(p[0]["wheels"]):
        _sliding(p, x, c, i)
        _rolling(p, x, m, c, i)
        _stops(p, x, m, c, i)
    force = x[0]["contact_force"]
    rise = (force - m[0]["force"]) / p[0]["weight"] if m[0]["known"] > 0 else 0.0
    c[0]["hit"] = min(3.0, rise) if rise > 0.05 else 0.0
    c[0]["scrape"] = min(1.0, math.sqrt(force / p[0]["weight"])) * min(1.0, x[0]["speed"] / 10.0)
    c[0]["speed"], c[0]["drops"], c[0]["horn"] = x[0]["speed"], DROPS * x[0]["rain"], x[0]["horn"]
    m[0]["force"] = force
    m[0]["known"] = min(2, m[0]["known"] + 1)


@inline
def _engine(p, x, m, c):
    speed, q = max(0.0, x[0]["engine_speed"]), p[0]
    c[0]["engine_rate"] = c[0]["motor_rate"] = speed / TAU
    c[0]["throttle"] = x[0]["throttle"]
    if q["cylinders"] > 0:
        torque = x[0]["engine_torque"] / q["peak_torque"]
        c[0]["fire"] = smooth_step(speed / q["idle_speed"], 0.4, 0.6)
        c[0]["load"] = min(1.0, max(0.0, torque))
        c[0]["overrun"] = min(1.0, max(0.0, -6.0 * torque)) * smooth_step(speed / q["idle_speed"], 1.3, 2.0)
        limits = q["cut_speed"] > 0.0 and speed >= q["cut_speed"] and x[0]["throttle"] > LIMIT_THROTTLE
        m[0]["limited"] = m[0]["limited"] + 1 if limits else 0
        if limits:  # the torque is a mean over bursts
            c[0]["load"] = max(c[0]["load"], x[0]["throttle"])
            c[0]["overrun"] = 0.0
            c[0]["fire"] *= 1.0 if (m[0]["limited"] - 1) % (FIRES + CUTS) >= CUTS else 0.0
        c[0]["crank"] = 1.0 if x[0]["starter"] != 0 and c[0]["fire"] < 0.5 and speed > 0.5 else 0.0
        power = c[0]["load"] * min(1.0, speed / q["top_speed"])
        target = q["turbo_speed"] * (0.15 * c[0]["fire"] + 0.85 * math.sqrt(power))
        m[0]["turbo_speed"] += (target - m[0]["turbo_speed"]) * PERIOD / (q["turbo_time"] + PERIOD)
        c[0]["turbo_rate"] = m[0]["turbo_speed"] / TAU


@inline
def _gears(p, x, c):
    spin, torque, count = 0.0, 0.0, 0
    for i in range(p[0]["wheels"]):
        torque += abs(x[0]["drive_torque"][i]) / p[0]["radius"][i]
        if p[0]["driven"][i] != 0:
            spin += abs(x[0]["wheel_spin"][i]) / p[0]["hub_ratio"][i]
            count += 1
    c[0]["ring_rate"] = spin / max(count, 1) / TAU
    c[0]["input_rate"] = max(0.0, x[0]["engine_speed"]) / TAU
    pull = min(1.0, torque / (0.4 * p[0]["weight"]))
    moving = smooth_step(c[0]["ring_rate"], 1.0, 15.0)
    c[0]["ring_load"] = (0.15 + 0.85 * pull) * moving
    engaged = 0.0 if x[0]["gear"] == 0 or p[0]["cylinders"] == 0 else 1.0
    c[0]["input_load"] = engaged * (0.15 + 0.85 * pull) * moving * (2.0 if x[0]["gear"] < 0 else 1.0)


@inline
def _sliding(p, x, c, i):
    """Compute the sound of a tire that slides; the friction power is force times sliding speed."""
    F, load = x[0]["F_C"][i], p[0]["load"][i]
    ahead = max(x[0]["speed"], abs(x[0]["wheel_spin"][i]) * p[0]["radius"][i])
    v_x = abs(x[0]["slip_ratio"][i]) * ahead
    v_y = min(abs(math.sin(x[0]["slip_angle"][i])), 1.0) * x[0]["speed"]
    sliding = math.sqrt(v_x * v_x + v_y * v_y)
    power = (abs(F[0]) * v_x + abs(F[1]) * v_y) / load
    hard = x[0]["hardness"][i]
    firm = hard * (1.0 - x[0]["loose"][i])
    dry = 1.0 / (1.0 + 1.5e6 * x[0]["rain"])
    c[0]["squeal"][i] = firm * dry * math.sqrt(min(1.0, power / LOUD_SLIDE)) * smooth_step(sliding, SQUEAL_STARTS, SQUEAL_FULL)
    pressed = min(max(F[2] / load, 0.3), 3.0) ** -LOAD_PITCH
    c[0]["pitch"][i] = SQUEAL_PITCH * (1.0 - 0.3 * math.tanh(sliding / 8.0)) * pressed * (1.0 + 0.05 * math.sin(1.7 * i))
    c[0]["scrub"][i] = math.sqrt(min(1.0, power / (2.5 * LOUD_SLIDE))) * (0.6 + 0.4 * (1.0 - firm))
    throws = (1.0 - firm) * (abs(x[0]["wheel_spin"][i]) * p[0]["radius"][i] + 2.0 * sliding) * min(1.0, F[2] / load)
    deep = min(1.0, x[0]["sinkage"][i] / MUD_SINKAGE)
    c[0]["grains"][i] = 200.0 * throws * (1.0 - 0.7 * deep)
    c[0]["mud"][i] = deep * (1.0 - hard) * min(1.0, throws / 12.0)


@inline
def _rolling(p, x, m, c, i):
    """Compute the rolling noise. The unevenness is the second difference of the tire deflection: slow motions of the vehicle do not count."""
    deflection, old = x[0]["tire_deflection"][i], m[0]["deflection"]
    if m[0]["known"] == 2:
        change = abs(deflection - 2.0 * old[0, i] + old[1, i])
        m[0]["unevenness"][i] += 0.12 * (min(change, 0.01) - m[0]["unevenness"][i])
    old[1, i], old[0, i] = old[0, i], deflection
    touch = min(1.0, max(0.0, x[0]["F_C"][i][2]) / p[0]["load"][i])
    rolls = abs(x[0]["wheel_spin"][i]) * p[0]["radius"][i]
    hard = x[0]["hardness"][i]
    c[0]["roll"][i] = touch * (0.35 + 0.65 * hard) * (rolls / 30.0) ** 1.5
    rough = m[0]["unevenness"][i] / UNEVEN
    c[0]["rumble"][i] = touch * min(2.0, rough) * min(1.0, rolls / 12.0)


@inline
def _stops(p, x, m, c, i):
    """Compute the hit of a suspension stop: the speed with which the spring passes the length at which the stop begins."""
    length, before = x[0]["spring_length"][i], m[0]["length"][i]
    c[0]["stop"][i] = 0.0
    if m[0]["known"] > 0:
        bump, rebound = p[0]["bump_stop_length"][i], p[0]["rebound_stop_length"][i]
        speed = (length - before) / PERIOD
        if (length < bump <= before) or (length > rebound >= before):
            c[0]["stop"][i] = min(2.0, abs(speed) / 1.5)
    m[0]["length"][i] = length
