"""Mechanisms with kinematics of their own: solved loop by loop in closed form instead of by a general engine."""
