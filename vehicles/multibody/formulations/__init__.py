"""Five formulations of the equations of motion of a mechanism."""
