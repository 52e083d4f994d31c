"""Tracks and routes of GPS receivers (GPX): a maneuver that follows the path."""
