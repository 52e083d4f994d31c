"""ROS 2 messages of measurements: definitions, encoding (CDR), and conversion of scalars and arrays."""
