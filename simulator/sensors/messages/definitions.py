"""Definitions of the ROS 2 messages that Jounce writes: fields in the order of their encoding, and the schema text for a file.

Names, types and order of the fields are those of the packages `builtin_interfaces`, `std_msgs`, `geometry_msgs`, `sensor_msgs`, `nav_msgs`,
`rosgraph_msgs`, `rcl_interfaces`, `ackermann_msgs`, `tf2_msgs`, `visualization_msgs` and `diagnostic_msgs`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

POINT_CLOUD, IMAGE, COMPRESSED_IMAGE = "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
CLOCK, ODOMETRY = "rosgraph_msgs/msg/Clock", "nav_msgs/msg/Odometry"
TWIST_PLAIN, ACKERMANN = "geometry_msgs/msg/Twist", "ackermann_msgs/msg/AckermannDriveStamped"
CAMERA_INFO, NAV_SAT_FIX, IMU = "sensor_msgs/msg/CameraInfo", "sensor_msgs/msg/NavSatFix", "sensor_msgs/msg/Imu"
TEXT_LINE = "rcl_interfaces/msg/Log"
JOINT_STATE, TWIST, TRANSFORMS = "sensor_msgs/msg/JointState", "geometry_msgs/msg/TwistStamped", "tf2_msgs/msg/TFMessage"
POSE_STAMPED, OCCUPANCY_GRID, STRING = "geometry_msgs/msg/PoseStamped", "nav_msgs/msg/OccupancyGrid", "std_msgs/msg/String"
MARKERS, DIAGNOSTICS = "visualization_msgs/msg/MarkerArray", "diagnostic_msgs/msg/DiagnosticArray"

_ARRAYS = ("Float32", "Float64", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
"""Names of the multi-dimensional arrays of `std_msgs`, for example Float32MultiArray."""

_TEXTS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "std_msgs/MultiArrayDimension": "string label\nuint32 size\nuint32 stride",
    "std_msgs/MultiArrayLayout": "std_msgs/MultiArrayDimension[] dim\nuint32 data_offset",
    **{f"std_msgs/{name}MultiArray": f"std_msgs/MultiArrayLayout layout\n{name.lower()}[] data" for name in _ARRAYS},
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped": "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform",
    "geometry_msgs/Twist": "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular",
    "geometry_msgs/TwistStamped": "std_msgs/Header header\ngeometry_msgs/Twist twist",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/PointField": (
        "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\nuint8 FLOAT64=8\n"
        "string name\nuint32 offset\nuint8 datatype\nuint32 count"
    ),
    "sensor_msgs/PointCloud2": (
        "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool is_bigendian\nuint32 point_step\n"
        "uint32 row_step\nuint8[] data\nbool is_dense"
    ),
    "sensor_msgs/Image": (
        "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data"
    ),
    "sensor_msgs/CompressedImage": "std_msgs/Header header\nstring format\nuint8[] data",
    "sensor_msgs/RegionOfInterest": "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify",
    "sensor_msgs/CameraInfo": (
        "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\nfloat64[9] k\nfloat64[9] r\n"
        "float64[12] p\nuint32 binning_x\nuint32 binning_y\nsensor_msgs/RegionOfInterest roi"
    ),
    "sensor_msgs/NavSatStatus": (
        "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\n"
        "uint16 SERVICE_GPS=1\nuint16 SERVICE_GLONASS=2\nuint16 SERVICE_COMPASS=4\nuint16 SERVICE_GALILEO=8\n"
        "int8 status\nuint16 service"
    ),
    "sensor_msgs/NavSatFix": (
        "std_msgs/Header header\nsensor_msgs/NavSatStatus status\nfloat64 latitude\nfloat64 longitude\nfloat64 altitude\n"
        "float64[9] position_covariance\nuint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\n"
        "uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\nuint8 COVARIANCE_TYPE_KNOWN=3\nuint8 position_covariance_type"
    ),
    "sensor_msgs/Imu": (
        "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance"
    ),
    "rosgraph_msgs/Clock": "builtin_interfaces/Time clock",
    "rcl_interfaces/Log": (
        "uint8 DEBUG=10\nuint8 INFO=20\nuint8 WARN=30\nuint8 ERROR=40\nuint8 FATAL=50\n"
        "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line"
    ),
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Pose": "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation",
    "geometry_msgs/PoseWithCovariance": "geometry_msgs/Pose pose\nfloat64[36] covariance",
    "geometry_msgs/TwistWithCovariance": "geometry_msgs/Twist twist\nfloat64[36] covariance",
    "nav_msgs/Odometry": (
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist"
    ),
    "ackermann_msgs/AckermannDrive": (
        "float32 steering_angle\nfloat32 steering_angle_velocity\nfloat32 speed\nfloat32 acceleration\nfloat32 jerk"
    ),
    "ackermann_msgs/AckermannDriveStamped": "std_msgs/Header header\nackermann_msgs/AckermannDrive drive",
    "sensor_msgs/JointState": "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort",
    "geometry_msgs/PoseStamped": "std_msgs/Header header\ngeometry_msgs/Pose pose",
    "nav_msgs/MapMetaData": (
        "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\nuint32 height\ngeometry_msgs/Pose origin"
    ),
    "nav_msgs/OccupancyGrid": "std_msgs/Header header\nnav_msgs/MapMetaData info\nint8[] data",
    "std_msgs/String": "string data",
    "std_msgs/ColorRGBA": "float32 r\nfloat32 g\nfloat32 b\nfloat32 a",
    "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
    "visualization_msgs/UVCoordinate": "float32 u\nfloat32 v",
    "visualization_msgs/MeshFile": "string filename\nuint8[] data",
    "visualization_msgs/Marker": (
        "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\n"
        "std_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\nbool frame_locked\ngeometry_msgs/Point[] points\n"
        "std_msgs/ColorRGBA[] colors\nstring texture_resource\nsensor_msgs/CompressedImage texture\n"
        "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\nstring mesh_resource\nvisualization_msgs/MeshFile mesh_file\n"
        "bool mesh_use_embedded_materials"
    ),
    "visualization_msgs/MarkerArray": "visualization_msgs/Marker[] markers",
    "diagnostic_msgs/KeyValue": "string key\nstring value",
    "diagnostic_msgs/DiagnosticStatus": "byte level\nstring name\nstring message\nstring hardware_id\ndiagnostic_msgs/KeyValue[] values",
    "diagnostic_msgs/DiagnosticArray": "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status",
}

_FIELD = re.compile(r"([\w/]+)(\[(\d*)\])? (\w+)")


class MessageField(NamedTuple):
    """Field of a message."""

    type: str
    """Primitive type, or "package/Name" of another message."""
    name: str
    length: int | None
    """Length of an array, 0: any length; None: no array."""


def types() -> tuple[str, ...]:
    """Return the names of all messages, for example "sensor_msgs/msg/Image"."""
    return tuple(name.replace("/", "/msg/") for name in _TEXTS)


@cache
def fields(name: str) -> tuple[MessageField, ...]:
    """Return the fields of a message by its name, with or without "/msg". Raises KeyError."""
    found = []
    for line in _text(name).split("\n"):
        match = _FIELD.fullmatch(line)
        if match:
            length = None if match[2] is None else int(match[3] or 0)
            found.append(MessageField(match[1], match[4], length))
    return tuple(found)


@cache
def schema(name: str) -> str:
    """Return the schema text of a message: its definition, then those of the messages in it. Raises KeyError."""
    inner: dict[str, None] = {}
    _add_inner(name, inner)
    return "".join([_text(name) + "\n", *(f"{'=' * 80}\nMSG: {one}\n{_text(one)}\n" for one in inner)])


def _add_inner(name: str, found: dict[str, None]) -> None:
    for one in fields(name):
        if one.type in _TEXTS:
            found[one.type] = None
            _add_inner(one.type, found)


def _text(name: str) -> str:
    return _TEXTS[name.replace("/msg/", "/")]
