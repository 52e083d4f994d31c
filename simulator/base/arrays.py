"""Types of arrays of doubles, for annotations."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Array of any shape."""
Vector = NDArray[np.float64]
"""Array with one axis, or with one axis for each of several vectors."""
Matrix = NDArray[np.float64]
"""Array with two axes."""
