"""Mechanisms with closed-form kinematics, solved loop by loop instead of by the general multibody solver."""
