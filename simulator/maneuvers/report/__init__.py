"""Report page of a run: report.html, one file with metrics, plots and course."""
