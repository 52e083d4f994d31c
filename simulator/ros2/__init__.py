"""ROS 2 without a ROS installation: topics over DDS, for the extra `ros2`."""

from __future__ import annotations

USUAL_DOMAIN = "ROS_DOMAIN_ID"
"""Value of the option --ros2 without a number: ROS_DOMAIN_ID, else 0."""
