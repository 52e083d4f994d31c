"""Parameter sweeps: resolved cases, executors, journals, result tables and reports."""
