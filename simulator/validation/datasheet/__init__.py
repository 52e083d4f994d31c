"""One page about a vehicle: what it weighs, how it stands, rides, turns, accelerates and stops, beside what is published of it."""
