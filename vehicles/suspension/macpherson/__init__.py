"""MacPherson struts: a lower arm, and a strut that carries the knuckle."""
