"""What controllers work beside brakes and throttle: steering angles that are added, adjustable dampers."""
