"""The loops that close a tree: Jacobians, kinematics of aggregated bodies, mobility."""
