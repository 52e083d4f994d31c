"""Scanning lidar: beams, rolling scan, signal, and the sensor."""
