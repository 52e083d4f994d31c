"""Actuators of controllers in addition to brakes and throttle: added steering angles, adjustable dampers."""
