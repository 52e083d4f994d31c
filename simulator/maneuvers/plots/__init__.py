"""Pictures of a drive: each knows what it needs and draws itself; `table.PICTURES` has them by name. Nothing here loads matplotlib."""
