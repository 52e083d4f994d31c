"""Verbs of the command line by subject: the options of each verb, and a function that imports and runs its command."""
