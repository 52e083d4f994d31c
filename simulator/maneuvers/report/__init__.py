"""The page of a run: report.html, one file with its metrics, plots, course and pictures."""
