"""Plots of a run; `kinds.PLOT_KINDS` contains them by name. Importing this package does not load matplotlib."""
