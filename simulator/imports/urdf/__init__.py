"""Mechanisms of URDF and URDF+ as mechanism files."""
