"""Built-in elevation formats."""

from __future__ import annotations

from terrain.readers import crg, esri, geotiff, gltf, hgt, npy, obj, png, raw
from terrain.readers.kinds import ARRAY, CONTRACT, COUNTS, METERS, ElevationFormatKind

PLACED = (("first_row",), ("origin",), ("spacing", "extent"), ("scale", "range"), ("offset", "range"))
MESH = ("up", "unit", "ignore", "at")

PNG = ElevationFormatKind("png", (".png",), png.read, (*ARRAY, *COUNTS), CONTRACT, "16-bit gray PNG", PLACED)
NPY = ElevationFormatKind("npy", (".npy",), npy.read, (*ARRAY, *COUNTS), CONTRACT, "NumPy array of two axes", PLACED)
GEOTIFF = ElevationFormatKind("geotiff", (".tif", ".tiff"), geotiff.read, (*ARRAY, *COUNTS, "crs"), CONTRACT, "GeoTIFF of one band")
HGT = ElevationFormatKind("hgt", (".hgt",), hgt.read, (*METERS, "corner"), CONTRACT, "SRTM tile of one or three arc seconds")
ESRI = ElevationFormatKind("esri_ascii", (".asc",), esri.read, (*METERS, "crs"), CONTRACT, "ESRI ASCII grid")
RAW = ElevationFormatKind(
    "raw16",
    (".raw", ".r16"),
    raw.read,
    (*ARRAY, *COUNTS, "size", "byte_order"),
    CONTRACT,
    "16-bit samples of Unity or Unreal",
    (*PLACED, ("byte_order",)),
)
CRG = ElevationFormatKind("opencrg", (".crg",), crg.read, ("modifiers", "at"), CONTRACT, "OpenCRG road")
OBJ = ElevationFormatKind("obj", (".obj",), obj.read, MESH, CONTRACT, "Wavefront OBJ, seen from above", (("up",),))
GLTF = ElevationFormatKind("gltf", (".gltf", ".glb"), gltf.read, MESH, CONTRACT, "glTF 2.0, seen from above")
