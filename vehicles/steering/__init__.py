"""From the steering input to the inner tie-rod joints."""
