"""History of datasheet values and costs by release, stored in the repository as JSON lines, with the changes."""
