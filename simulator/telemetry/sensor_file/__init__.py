"""File of sensor data in the folder of a run: MCAP with ROS 2 messages; recording, repair, reading."""
