"""Contact of the vehicle with objects: narrow phase, contact law and log of collisions. `object_contact` is the entry."""
