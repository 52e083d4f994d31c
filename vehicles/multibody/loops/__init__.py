"""Loop closures of a tree: Jacobians, kinematics of aggregated bodies, mobility."""
