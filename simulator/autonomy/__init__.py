"""Autonomy: obstacle maps, planners, and the driver that follows their plans to a goal."""
