"""All analyses by the value of `type`."""

from __future__ import annotations

from simulator.maneuvers.analyses import (
    acceleration,
    backing,
    braking,
    coast_down,
    creep,
    drawbar,
    encounter,
    frequency_response,
    goal,
    grade,
    returnability,
    ride,
    rollover,
    shock,
    sine_lag,
    sine_with_dwell,
    slowly_increasing_steer,
    steady_turn,
    steering_effort,
    step_response,
    tip_in,
    towing,
    turning_circle,
)
from simulator.maneuvers.analyses.contract import Analysis

ANALYSES: dict[str, Analysis] = {
    module.ANALYSIS.name: module.ANALYSIS
    for module in (
        steady_turn, slowly_increasing_steer, step_response, sine_lag, frequency_response, sine_with_dwell, rollover, braking, acceleration,
        grade, turning_circle, steering_effort, returnability, creep, coast_down, shock, ride, drawbar, goal, tip_in, encounter, towing, backing,
    )
}  # fmt: skip
