"""Questions that runs answer in rounds: parameters fitted to what was measured, and keys with which a metric is best."""
