"""Objects that stand on the ground: shapes, materials and motions, one table for contact, rays, pictures, maps and labels."""
