"""Do engine, tires, air, hits and horn sound as the state of the vehicle says, without clicks and within the limits?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sounds import LOAD, SPRING, WHEELS, car, decibels, driving, heard, level, sliding, spectrum, states, strongest

from simulator.api.loading import load_vehicle
from simulator.sound.mixer import FULL_SCALE
from simulator.sound.signals import BLOCK, RATE
from vehicles.sound_section import sound_parameters

CLICK = 1.5
"""Largest difference between two samples at a change, over that of the sound before it."""


@pytest.mark.parametrize("cylinders", [3, 4, 5, 6, 8])
@pytest.mark.parametrize("rpm", [750.0, 2200.0, 5000.0])
def test_the_engine_sounds_at_its_rate_of_firing(cylinders, rpm):
    fires = rpm / 60.0 * cylinders / 2.0
    sound = heard(states(engine_speed=rpm * np.pi / 30.0, engine_torque=200.0, throttle=0.6), car(cylinders), 2.5)
    for order in (1, 2, 3):
        assert strongest(sound, (order - 0.4) * fires, (order + 0.4) * fires) == pytest.approx(order * fires, rel=0.01)


def test_a_two_stroke_fires_twice_as_often():
    engine = states(engine_speed=3000.0 * np.pi / 30.0, engine_torque=200.0)
    assert strongest(heard(engine, car(2, turns=1.0), 2.5), 60.0, 160.0) == pytest.approx(100.0, rel=0.01)


def test_uneven_firing_adds_half_orders():
    even, uneven = car(8), car(8)
    uneven[0]["fires"][:8] = np.array([0, 90, 180, 270, 360, 450, 540, 630]) / 720.0 + np.array([0, 0.03, 0, 0, 0.03, 0, -0.03, 0])
    engine = states(engine_speed=2000.0 * np.pi / 30.0, engine_torque=200.0)
    half_orders = [level(heard(engine, one, 2.5), 30.0, 110.0) for one in (even, uneven)]
    assert half_orders[1] > half_orders[0] + 6.0


def test_the_engine_is_louder_under_load_and_quiet_on_the_overrun():
    idle, pulling, overrun = (
        level(heard(states(engine_speed=314.0, engine_torque=torque, throttle=pedal), seconds=1.5))
        for torque, pedal in ((0.0, 0.0), (350.0, 1.0), (-60.0, 0.0))
    )
    assert pulling > idle + 6.0
    assert overrun < idle - 3.0


def test_the_line_of_the_engine_follows_its_speed():
    speed = np.linspace(100.0, 400.0, 600)
    sound = heard(states(600, engine_speed=speed, engine_torque=250.0))
    for k in (150, 300, 450):
        part = sound[(k - 10) * BLOCK : (k + 10) * BLOCK, 0]
        size = np.abs(np.fft.rfft(part * np.hanning(len(part)), 8 * len(part)))
        f = np.fft.rfftfreq(8 * len(part), 1.0 / RATE)
        fires = speed[k] / (2.0 * np.pi) * 3.0
        band = (f > 0.6 * fires) & (f < 1.4 * fires)
        assert f[band][np.argmax(size[band])] == pytest.approx(fires, rel=0.02)


def test_a_change_of_gear_makes_no_click():
    rpm = np.concatenate([np.linspace(3000, 6000, 150), np.linspace(6000, 3900, 30), np.linspace(3900, 5000, 120)])
    torque = np.concatenate([np.full(150, 350.0), np.full(30, -40.0), np.full(120, 350.0)])
    gear = np.concatenate([np.full(150, 2), np.full(30, 0), np.full(120, 3)])
    inputs = driving(np.linspace(15.0, 22.0, 300), 300)
    inputs["engine_speed"], inputs["engine_torque"], inputs["gear"], inputs["throttle"] = rpm * np.pi / 30.0, torque, gear, torque > 0
    inputs["drive_torque"][:, 2:4] = np.maximum(torque, 0.0)[:, None] * 4.0
    inputs["volume"] = 0.5
    for inside in (0, 1):
        inputs["inside"] = inside
        sound = heard(inputs)
        shift, before = sound[145 * BLOCK : 185 * BLOCK], sound[50 * BLOCK : 140 * BLOCK]
        for order in (1, 2):
            assert np.abs(np.diff(shift, order, axis=0)).max() < CLICK * np.abs(np.diff(before, order, axis=0)).max()


def test_the_starter_whines_with_the_flywheel():
    cranked = 25.0
    sound = heard(states(engine_speed=cranked, starter=1), seconds=2.0)
    assert strongest(sound, 400.0, 700.0) == pytest.approx(cranked / (2.0 * np.pi) * 132, rel=0.01)
    assert level(sound) > level(heard(states(engine_speed=cranked), seconds=2.0)) + 6.0


def test_gears_whine_with_the_wheels_and_louder_under_torque():
    free, pulling = driving(20.0), driving(20.0)
    pulling["drive_torque"][:, :WHEELS] = 500.0
    mesh = 20.0 / 0.32 / (2.0 * np.pi) * 41
    sounds = [heard(one, car(0), 2.0) for one in (free, pulling)]
    assert level(sounds[1], mesh - 4, mesh + 4) > level(sounds[0], mesh - 4, mesh + 4) + 3.0
    assert strongest(sounds[1], 380.0, 440.0) == pytest.approx(mesh, rel=0.01)


def test_a_turbocharger_spools_up_late():
    engine = states(300, engine_speed=500.0, engine_torque=350.0)
    boosted, plain = heard(engine, car(4, turbo_speed=15_500.0)), heard(engine, car(4))
    late, early = slice(200 * BLOCK, None), slice(0, 15 * BLOCK)
    tone = 2065.0, 2145.0  # 85 % of the top speed, between two orders of the engine
    assert level(boosted[late], *tone, 0.0) > level(plain[late], *tone, 0.0) + 3.0
    assert level(boosted[early], *tone, 0.0) < level(boosted[late], *tone, 0.0) - 3.0


def test_an_electric_motor_sounds_at_the_order_of_its_poles():
    drive = driving(10.0, rpm=4000.0)
    drive["drive_torque"][:, 2:4] = 800.0
    assert strongest(heard(drive, car(0, pole_pairs=4), 2.0), 1200.0, 2000.0) == pytest.approx(4000.0 / 60.0 * 24, rel=0.01)


def test_tires_squeal_louder_with_slip():
    bands = [level(heard(sliding(angle), car(0), 1.5), 600.0, 1300.0) for angle in (0.0, 0.08, 0.13, 0.4)]
    assert all(after > before + 1.0 for before, after in pairwise(bands))


def test_the_squeal_falls_with_the_sliding_speed():
    slow, fast = (strongest(heard(sliding(angle), car(0), 3.0), 400.0, 1400.0) for angle in (0.12, 0.7))
    assert fast < 0.95 * slow


def line(sound, low, high, width=60.0):
    """Level of the strongest line of a band over the mean level per line of the band outside it [dB]."""
    f, size = spectrum(sound)
    band = (f >= low) & (f < high)
    at = f[band][np.argmax(size[band])]
    near = np.abs(f[band] - at) < width
    return 10.0 * np.log10((size[band][near] ** 2).max() / (size[band][~near] ** 2).mean())


def test_a_squeal_is_a_tone_with_harmonics_whose_pitch_falls_with_the_load():
    one = sliding(0.13)
    one["slip_angle"][:, 1:WHEELS], one["F_C"][:, 1:WHEELS, 1] = 0.0, 0.0
    pitch = strongest(heard(one, car(0), 3.0), 400.0, 1400.0)
    for k in (1, 2, 3):
        assert line(heard(one, car(0), 3.0), (k - 0.45) * pitch, (k + 0.45) * pitch, 0.25 * pitch) > 15.0
    one["F_C"][:, 0, 1:] *= 2.0
    assert strongest(heard(one, car(0), 3.0), 400.0, 1400.0) < 0.92 * pitch


def test_an_engine_under_load_has_orders_up_to_5_khz():
    """Orders are at least 10 dB above the noise between them, and fall slowly; the driver hears them, too."""
    for inside in (0, 1):
        sound = heard(states(engine_speed=4800.0 * np.pi / 30.0, engine_torque=350.0, throttle=1.0, inside=inside), seconds=3.0)
        f, size = spectrum(sound)
        orders = [size[np.abs(f - k * 240.0) < 12.0].max() for k in range(1, 21)]
        noise = [np.median(size[np.abs(f - (k + 0.5) * 240.0) < 60.0]) for k in range(1, 21)]
        levels = 20.0 * np.log10(np.array(orders) / max(orders))
        assert (20.0 * np.log10(np.array(orders) / noise) > 10.0).all()
        assert levels.min() > (-45.0 if inside else -35.0)


def test_the_speed_limiter_cuts_the_engine_about_eleven_times_a_second():
    limited = states(200, engine_speed=690.0, engine_torque=20.0, throttle=1.0)
    sound = heard(limited, car(cut_speed=680.0))
    loudness = np.sqrt((sound[:, 0].reshape(-1, BLOCK) ** 2).mean(axis=1))[50:]
    size = np.abs(np.fft.rfft(loudness - loudness.mean()))
    rate = np.fft.rfftfreq(len(loudness), 0.01)[np.argmax(size)]
    assert rate == pytest.approx(100.0 / 9.0, abs=0.7)
    assert np.quantile(loudness, 0.9) > 4.0 * np.quantile(loudness, 0.1)
    steady = heard(states(200, engine_speed=670.0, engine_torque=20.0, throttle=1.0), car(cut_speed=680.0))
    even = np.sqrt((steady[:, 0].reshape(-1, BLOCK) ** 2).mean(axis=1))[50:]
    assert np.quantile(even, 0.9) < 1.5 * np.quantile(even, 0.1)
    overrun = heard(states(200, engine_speed=690.0, engine_torque=-60.0), car(cut_speed=680.0))
    assert overrun[24_000:].std() < 0.5 * sound[24_000:].std()


@pytest.mark.parametrize("name, limit", [("sedan", 6880.0), ("light_truck", 5617.0), ("hmmwv", 0.0)])
def test_engines_with_spark_ignition_have_a_limiter(name, limit):
    assert sound_parameters(load_vehicle(name))[0]["cut_speed"] * 30.0 / np.pi == pytest.approx(limit, rel=2e-3)


@pytest.mark.parametrize("name", ["sedan", "hmmwv"])
@pytest.mark.parametrize("inside", [0, 1])
def test_at_full_throttle_and_150_kph_the_engine_is_louder_than_the_tires(name, inside):
    vehicle = sound_parameters(load_vehicle(name))
    p, v = vehicle[0], 150.0 / 3.6
    drive = driving(v, engine_speed=0.8 * p["top_speed"], engine_torque=0.9 * p["peak_torque"], throttle=1.0, inside=inside)
    drive["wheel_spin"][:, :WHEELS], drive["F_C"][:, :WHEELS, 2] = v / p["radius"][:WHEELS], p["load"][:WHEELS]
    drive["spring_length"][:, :WHEELS] = 0.5 * (p["bump_stop_length"][:WHEELS] + p["rebound_stop_length"][:WHEELS])
    silent = vehicle.copy()
    silent[0]["loudness"] = 0.0
    everything, rolling = heard(drive, vehicle, 1.5), heard(drive, silent, 1.5)
    assert 20.0 * np.log10(everything[24_000:].std() / rolling[24_000:].std()) > 4.0


@pytest.mark.parametrize("surface", [{"loose": 1.0}, {"hardness": 0.0, "sinkage": 0.01}])
def test_loose_ground_grinds_and_does_not_squeal(surface):
    asphalt, other = heard(sliding(0.2), car(0), 1.5), heard(sliding(0.2, **surface), car(0), 1.5)
    assert level(other, 700.0, 1100.0) < level(asphalt, 700.0, 1100.0) - 6.0
    assert level(other, 2000.0, 6000.0) > level(asphalt, 2000.0, 6000.0) + 3.0


def test_mud_is_deeper_than_sand():
    sand, mud = (heard(sliding(0.1, hardness=0.0, sinkage=depth), car(0), 2.0) for depth in (0.0, 0.1))
    assert level(mud, 100.0, 400.0) - level(mud, 2000.0, 4000.0) > level(sand, 100.0, 400.0) - level(sand, 2000.0, 4000.0) + 6.0


def test_rough_roads_are_louder():
    smooth, rough = driving(20.0, 300), driving(20.0, 300)
    rough["tire_deflection"][:, :WHEELS] += 0.001 * np.random.default_rng(1).standard_normal((300, WHEELS))
    levels = [level(heard(one, car(0)), 20.0, 300.0, 1.0) for one in (smooth, rough)]
    assert levels[1] > levels[0] + 6.0


def test_wind_grows_with_the_square_of_the_speed():
    slow, fast = (level(heard(states(speed=v), car(0), 3.0)) for v in (20.0, 40.0))
    assert 10.0 < fast - slow < 18.0


def test_rain_grows_with_its_rate():
    dry, drizzle, heavy = (level(heard(states(rain=rate / 3.6e6), car(0), 2.0)) for rate in (0.0, 2.0, 30.0))
    assert dry < -90.0
    assert heavy > drizzle + 6.0 > dry + 6.0


def test_a_suspension_stop_thumps_once_and_harder_when_faster():
    peaks = []
    for step in (0.004, 0.012):
        inputs = states(100)
        inputs["spring_length"][50:, 0] = SPRING - 0.048 - step
        inputs["spring_length"][49, 0] = SPRING - 0.048
        sound = np.abs(heard(inputs, car(0))).max(axis=1)
        assert sound[: 50 * BLOCK].max() < 1e-4
        peaks.append(sound.max())
    assert peaks[1] > 1.5 * peaks[0] > 0.01


def test_a_collision_is_heard_and_a_reset_is_not():
    hit = states(100)
    hit["contact_force"][50:55] = 40e3
    assert decibels(heard(hit, car(0))) > -30.0
    jump = states(100)
    jump["spring_length"][50:], jump["tire_deflection"][50:], jump["jumps"][50:] = 0.2, 0.0, 1
    assert decibels(heard(jump, car(0))) < -80.0


def test_the_horn_has_two_tones_while_it_is_pressed():
    horn = states(200)
    horn["horn"][:120] = 1
    sound = heard(horn, car(0))
    for tone in (420.0, 510.0):
        f, size = spectrum(sound[: 120 * BLOCK], 0.1)
        near = np.abs(f - tone) < 30.0
        assert f[near][np.argmax(size[near])] == pytest.approx(tone, rel=0.01)
    assert decibels(sound[150 * BLOCK :]) < -60.0


def test_the_driver_hears_less_of_the_high_tones():
    inside = sliding(0.2)
    inside["inside"] = 1
    assert level(heard(inside, seconds=1.5), 2000.0) < level(heard(sliding(0.2), seconds=1.5), 2000.0) - 6.0


def test_left_wheels_are_heard_on_the_left():
    left = sliding(0.0)
    left["slip_angle"][:, [0, 2]], left["F_C"][:, [0, 2], 1] = 0.3, 0.9 * LOAD
    sound = heard(left, car(0), 1.0)
    assert sound[:, 0].std() > 1.3 * sound[:, 1].std()


@pytest.mark.parametrize("vehicle", [car(), car(0, pole_pairs=4)])
def test_nothing_is_heard_where_nothing_moves(vehicle):
    assert decibels(heard(states(), vehicle, 1.0)) < -80.0


def test_a_loud_sound_is_turned_down_and_not_bent():
    """At full volume the limiter keeps the shape of a horn: its distortion is small, and quiet sounds are not changed."""
    horn = states(100, horn=1, volume=1.0)
    loud, quiet = heard(horn, car(0)), heard(states(100, horn=1, volume=0.3), car(0))
    assert loud.std() > 2.0 * quiet.std() and np.abs(loud[24_000:]).max() < 0.65
    part = slice(60 * BLOCK, 90 * BLOCK)
    assert np.corrcoef(loud[part, 0], quiet[part, 0])[0, 1] > 0.999


def test_the_level_stays_within_the_limits():
    everything = driving(60.0, rpm=6500.0, engine_torque=350.0, throttle=1.0, rain=1e-5, horn=1, contact_force=2e5, volume=1.0)
    everything["slip_angle"][:, :WHEELS], everything["F_C"][:, :WHEELS, 1] = 0.5, 2.0 * LOAD
    assert np.abs(heard(everything, seconds=1.0)).max() <= FULL_SCALE
    usual = driving(25.0, rpm=2500.0, engine_torque=100.0, throttle=0.3, volume=0.5, inside=1)
    assert -32.0 < 20.0 * np.log10(heard(usual, seconds=2.0)[RATE:].std()) < -14.0


def test_a_pause_fades_out_and_in_without_a_click_and_keeps_the_phase():
    inputs = states(300, engine_speed=300.0, engine_torque=200.0, volume=0.5)
    inputs["silent"][100:200] = 1
    sound, straight = heard(inputs), heard(states(300, engine_speed=300.0, engine_torque=200.0, volume=0.5))
    assert decibels(sound[150 * BLOCK : 200 * BLOCK]) < -70.0
    for order in (1, 2):
        steps = [np.abs(np.diff(sound[a * BLOCK : b * BLOCK], order, axis=0)).max() for a, b in ((50, 99), (99, 120), (200, 260))]
        assert steps[1] < CLICK * steps[0] and steps[2] < CLICK * steps[0]
    assert sound[260 * BLOCK :] == pytest.approx(straight[260 * BLOCK :], abs=1e-4)


def test_equal_states_give_equal_samples():
    inputs = driving(np.linspace(0.0, 30.0, 50), 50, rpm=3000.0, engine_torque=200.0)
    assert (heard(inputs) == heard(inputs)).all()
