"""Real-time drive: window, motion platform, rise and park."""
