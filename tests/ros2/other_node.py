"""Node of another program for tests: types of its own, the package cyclonedds, and nothing of Jounce. Prints what it has received as JSON.

python other_node.py DOMAIN SECONDS SPEED YAW_RATE: publishes /cmd_vel and follows /clock, /odom, /tf_static and
/imu/data until the time is over, or /odom is silent for 5 s.
"""

import json
import sys
import time
from dataclasses import dataclass
from itertools import pairwise

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float64, int32, sequence, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

LOOPBACK = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><Peers><Peer address="localhost"/></Peers>
<ParticipantIndex>auto</ParticipantIndex></Discovery></Domain></CycloneDDS>"""


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Clock(IdlStruct, typename="rosgraph_msgs.msg.dds_.Clock_"):
    clock: Time


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Point(IdlStruct, typename="geometry_msgs.msg.dds_.Point_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs.msg.dds_.Quaternion_"):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
class Pose(IdlStruct, typename="geometry_msgs.msg.dds_.Pose_"):
    position: Point
    orientation: Quaternion


@dataclass
class PoseWithCovariance(IdlStruct, typename="geometry_msgs.msg.dds_.PoseWithCovariance_"):
    pose: Pose
    covariance: array[float64, 36]


@dataclass
class Twist(IdlStruct, typename="geometry_msgs.msg.dds_.Twist_"):
    linear: Vector3
    angular: Vector3


@dataclass
class TwistWithCovariance(IdlStruct, typename="geometry_msgs.msg.dds_.TwistWithCovariance_"):
    twist: Twist
    covariance: array[float64, 36]


@dataclass
class Odometry(IdlStruct, typename="nav_msgs.msg.dds_.Odometry_"):
    header: Header
    child_frame_id: str
    pose: PoseWithCovariance
    twist: TwistWithCovariance


@dataclass
class Transform(IdlStruct, typename="geometry_msgs.msg.dds_.Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs.msg.dds_.TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs.msg.dds_.TFMessage_"):
    transforms: sequence[TransformStamped]


@dataclass
class Imu(IdlStruct, typename="sensor_msgs.msg.dds_.Imu_"):
    header: Header
    orientation: Quaternion
    orientation_covariance: array[float64, 9]
    angular_velocity: Vector3
    angular_velocity_covariance: array[float64, 9]
    linear_acceleration: Vector3
    linear_acceleration_covariance: array[float64, 9]


def quality(reliable: bool = True, latched: bool = False) -> Qos:
    return Qos(
        Policy.Reliability.Reliable(duration(seconds=1)) if reliable else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile,
        Policy.History.KeepLast(100),
        Policy.DataRepresentation(use_cdrv0_representation=True),
    )


def main(number: int, seconds: float, speed: float, yaw_rate: float) -> None:
    domain = Domain(number, LOOPBACK)  # noqa: F841, it must exist before the participant
    participant = DomainParticipant(number)

    def reader(name: str, kind: type, **qos: bool) -> DataReader:
        return DataReader(participant, Topic(participant, f"rt/{name}", kind), qos=quality(**qos))

    readers = {
        "clock": reader("clock", Clock, reliable=False), "odom": reader("odom", Odometry), "imu": reader("imu/data", Imu, reliable=False),
        "tf_static": reader("tf_static", TFMessage, latched=True),
    }  # fmt: skip
    writer = DataWriter(participant, Topic(participant, "rt/cmd_vel", Twist), qos=quality())
    got: dict[str, list] = {name: [] for name in readers}
    count, heard, end = 0, 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        writer.write(Twist(Vector3(speed, 0.0, 0.0), Vector3(0.0, 0.0, yaw_rate)))
        for name, one in readers.items():
            got[name] += [sample for sample in one.take(N=100) if hasattr(sample, "__dataclass_fields__")]
        heard = time.monotonic() if len(got["odom"]) > count else heard
        count = len(got["odom"])
        if count and time.monotonic() - heard > 5.0:  # the run has ended
            break
        time.sleep(0.002)
    last = got["odom"][-1] if got["odom"] else None
    print(json.dumps({
        "counts": {name: len(samples) for name, samples in got.items()},
        "clock_rises": all(a.clock.sec + 1e-9 * a.clock.nanosec < b.clock.sec + 1e-9 * b.clock.nanosec for a, b in pairwise(got["clock"])),
        "frames": sorted({(t.header.frame_id, t.child_frame_id) for sample in got["tf_static"] for t in sample.transforms}),
        "odom": None if last is None else [last.header.frame_id, last.child_frame_id, last.twist.twist.linear.x, last.twist.twist.angular.z],
        "imu": None if not got["imu"] else [got["imu"][-1].header.frame_id, got["imu"][-1].linear_acceleration.z],
    }), flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(float, sys.argv[2:5]))
