"""What driving never touches: measuring, comparing, mechanisms that are no vehicles, equations in closed form."""
