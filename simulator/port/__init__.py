"""Port: another program drives a session over the network, by TCP in lock step or by UDP in real time ([docs/port.md])."""
