"""Rubber between wheel and chassis: what bushings of arms, top mounts and a subframe let the wheels do beside their exact kinematics."""
