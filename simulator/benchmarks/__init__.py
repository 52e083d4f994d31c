"""Real time of drives on this machine: lateness and cost of ticks, latency from a key to packet and frame."""
