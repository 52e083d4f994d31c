"""The verbs of the command line by subject: their options, and for each a few lines that load what does it."""
