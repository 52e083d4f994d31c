"""Vehicles, states and measures for the tests of the sound."""

from __future__ import annotations

import numpy as np

from simulator.base.records import record
from simulator.sound.signals import RATE
from simulator.sound.sound_input import SOUND_INPUT
from simulator.sound.synthesizer import Synthesizer
from vehicles.sound_section import VEHICLE_SOUND

WHEELS = 4
RADIUS, LOAD, SPRING = 0.32, 4000.0, 0.35


def car(cylinders=6, **fields):
    """VEHICLE_SOUND of a car with an engine that fires evenly into one pipe; it idles at 750 rpm."""
    out = record(VEHICLE_SOUND)
    p = out[0]
    p["cylinders"], p["turns"] = cylinders, 2.0
    p["fires"][:cylinders] = np.arange(cylinders) / max(cylinders, 1)
    p["exhaust_lengths"], p["intake_length"], p["muffler"], p["loudness"] = (1.1, 2.5), 0.5, 450.0, 1.0
    p["idle_speed"], p["top_speed"], p["peak_torque"] = 78.5, 730.0, 350.0
    p["turbo_time"], p["input_teeth"], p["ring_teeth"], p["starter_teeth"], p["horn"] = 0.5, 23, 41, 132, (420.0, 510.0)
    p["wheels"], p["weight"] = WHEELS, WHEELS * LOAD
    p["driven"][:WHEELS], p["hub_ratio"][:WHEELS], p["radius"][:WHEELS], p["load"][:WHEELS] = 1, 1.0, RADIUS, LOAD
    p["side"][:WHEELS] = (1.0, -1.0, 1.0, -1.0)
    p["bump_stop_length"][:WHEELS], p["rebound_stop_length"][:WHEELS] = SPRING - 0.05, SPRING + 0.05
    for name, value in fields.items():
        p[name] = value
    return out


def states(count=1, **fields):
    """States of a car that stands on asphalt with the engine off, heard from outside at the usual volume: loud sounds are below the limiter."""
    out = record(SOUND_INPUT, count)
    out["hardness"][:, :WHEELS], out["spring_length"][:, :WHEELS], out["volume"] = 1.0, SPRING, 0.5
    out["F_C"][:, :WHEELS, 2], out["tire_deflection"][:, :WHEELS] = LOAD, 0.02
    for name, value in fields.items():
        out[name] = value
    return out


def driving(speed, count=1, rpm=0.0, **fields):
    """States of a car that rolls."""
    out = states(count, speed=speed, engine_speed=rpm * np.pi / 30.0, gear=3)
    out["wheel_spin"][:, :WHEELS] = np.reshape(speed, (-1, 1)) / RADIUS
    for name, value in fields.items():
        out[name] = value
    return out


def sliding(angle, **fields):
    """One state of a car at 15 m/s whose tires run at a slip angle [rad], with a friction of 0.9."""
    out = driving(15.0)
    out["slip_angle"][:, :WHEELS] = angle
    out["F_C"][:, :WHEELS, 1] = 0.9 * LOAD * min(1.0, abs(angle) / 0.1)
    for name, value in fields.items():
        out[name][:, :WHEELS] = value
    return out


def heard(inputs, vehicle=None, seconds=None):
    """Sound (n, 2) of a row of states; one state lasts `seconds`."""
    synthesizer = Synthesizer(car() if vehicle is None else vehicle)
    count = len(inputs) if seconds is None else round(seconds / 0.01)
    return np.concatenate([synthesizer.block(inputs[min(k, len(inputs) - 1) :][:1]).copy() for k in range(count)])


def spectrum(sound, skipped=0.5):
    """Frequencies [Hz] and magnitudes of the left channel after the first seconds."""
    x = sound[round(skipped * RATE) :, 0]
    padded = 4 * len(x)
    return np.fft.rfftfreq(padded, 1.0 / RATE), np.abs(np.fft.rfft(x * np.hanning(len(x)), padded)) / len(x)


def level(sound, low=0.0, high=RATE / 2.0, skipped=0.5):
    """Level of a band in dB."""
    f, size = spectrum(sound, skipped)
    return 10.0 * np.log10((size[(f >= low) & (f < high)] ** 2).sum() + 1e-30)


def strongest(sound, low, high):
    """Frequency of the strongest line in a band [Hz]."""
    f, size = spectrum(sound)
    band = (f >= low) & (f < high)
    return float(f[band][np.argmax(size[band])])


def decibels(x):
    """Level of the largest number in dB of full scale."""
    return 20.0 * np.log10(np.abs(x).max() + 1e-30)
