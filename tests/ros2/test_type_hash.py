"""Type hashes of ROS 2 messages."""

from __future__ import annotations

import pytest

from simulator.ros2.type_hash import type_hash

PUBLISHED = {
    # values that other programs have published for these messages: of all messages that Jounce sends or receives, and those in them
    "ackermann_msgs/msg/AckermannDriveStamped": "48ca7612a08d3bb72744fd98b71b7cf2ea24c6ad50fa4e1aa0bbad963c90d8cf",
    "builtin_interfaces/msg/Duration": "e8d009f659816f758b75334ee1a9ca5b5c0b859843261f14c7f937349599d93b",
    "builtin_interfaces/msg/Time": "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
    "diagnostic_msgs/msg/DiagnosticArray": "5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e",
    "diagnostic_msgs/msg/DiagnosticStatus": "b0e3e692ea2d54a8af2f4ef1930e81556a2db55216b771f8a7d2724ed47bf0e4",
    "geometry_msgs/msg/Pose": "d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa",
    "geometry_msgs/msg/PoseStamped": "10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8",
    "geometry_msgs/msg/TransformStamped": "0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206",
    "geometry_msgs/msg/TwistStamped": "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64",
    "nav_msgs/msg/MapMetaData": "2772d4b2000ef2b35dbaeb80fd3946c1369f817fb4f75677d916d27c17d763c8",
    "nav_msgs/msg/OccupancyGrid": "8d348150c12913a31ee0ec170fbf25089e4745d17035792a1ba94d6f0bc0cfc7",
    "nav_msgs/msg/Odometry": "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
    "rosgraph_msgs/msg/Clock": "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
    "sensor_msgs/msg/CameraInfo": "b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275",
    "sensor_msgs/msg/CompressedImage": "15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a",
    "sensor_msgs/msg/Image": "d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47",
    "sensor_msgs/msg/Imu": "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b",
    "sensor_msgs/msg/JointState": "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
    "sensor_msgs/msg/NavSatFix": "62223ab3fe210a15976021da7afddc9e200dc9ec75231c1b6a557fc598a65404",
    "sensor_msgs/msg/PointCloud2": "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
    "std_msgs/msg/Float32MultiArray": "0599f6f85b4bfca379873a0b4375a0aca022156bd2d7021275d116ed1fa8bfe0",
    "std_msgs/msg/Float64MultiArray": "1025ddc6b9552d191f89ef1a8d2f60f3d373e28b283d8891ddcc974e8c55397f",
    "std_msgs/msg/Header": "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
    "std_msgs/msg/String": "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
    "tf2_msgs/msg/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "visualization_msgs/msg/Marker": "45b13ccf791f225962bf74e746f9644518855d783a6f42ba0cc14fde2b4f3ce0",
    "visualization_msgs/msg/MarkerArray": "86cb8800b6fb05b5eff1abd7a56f62a5641d3ae9a1c29e78e67e704f1d067dcf",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_type_hashes_are_those_of_ros(name):
    assert type_hash(name) == f"RIHS01_{PUBLISHED[name]}"
