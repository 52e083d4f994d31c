"""Colors of the parts of a generic car, sRGB 0 to 255."""

BLACK, TRIM, METAL, FRAME, LAMP, RED, AMBER = (
    (24, 24, 26),
    (40, 41, 44),
    (120, 122, 124),
    (66, 67, 70),
    (236, 238, 240),
    (168, 22, 24),
    (224, 130, 34),
)
GLASS, INSIDE, LIGHT_INSIDE, SEAT, DIAL, PLATE = (26, 34, 42), (46, 46, 50), (120, 118, 112), (58, 56, 54), (206, 208, 206), (226, 226, 218)
