"""Double-wishbone suspension."""
