"""FMI 2.0 and 3.0: components of Jounce as co-simulation units (FMUs), and FMUs of others as drivers and controllers."""
