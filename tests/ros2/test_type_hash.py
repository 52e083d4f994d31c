"""Type hashes of ROS 2 messages."""

from __future__ import annotations

import pytest

from simulator.ros2.type_hash import type_hash


@pytest.mark.parametrize(
    ("name", "published"),
    [
        # values that other programs have published for these messages of ROS 2
        ("rosgraph_msgs/msg/Clock", "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564"),
        ("builtin_interfaces/msg/Time", "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197"),
        ("sensor_msgs/msg/PointCloud2", "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"),
        ("tf2_msgs/msg/TFMessage", "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"),
    ],
)
def test_type_hashes_are_those_of_ros(name, published):
    assert type_hash(name) == f"RIHS01_{published}"
