"""What a rider feels of a washout on a platform: the objective test, and recorded drives through washouts side by side."""
