"""Motion-cueing tests: the objective test of a washout on a platform, and a comparison of washouts on recorded drives."""
