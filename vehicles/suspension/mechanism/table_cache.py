"""Disk cache of tables of axles from mechanism files, keyed by the digest of all inputs."""

from __future__ import annotations

from simulator.base.disk_cache import Arrays, cached_arrays, digest_of
from simulator.base.errors import JounceError
from simulator.base.jit import source_digest
from simulator.base.records import Record
from vehicles.axle_layout import record_for
from vehicles.mechanism_parameters import MechanismParameters
from vehicles.steering.steering import without_addresses
from vehicles.suspension.mechanism import tables
from vehicles.suspension.mechanism.tables import build_engine_tables
from vehicles.suspension.tables.reduced_table import GRID, ReducedTables


def stored_tables(mechanism: MechanismParameters, steering: Record, tolerance: float, vehicle: str) -> ReducedTables:
    """Return the tables of `build_engine_tables`, built once for each content of the files, tolerance and version of the program.

    Raises
    ------
    JounceError : the tables cannot be built; the text names the vehicle
    """
    linkages, kinds = [corner.linkage for corner in mechanism.designs], [block.kind for block in mechanism.blocks]
    steered = linkages[0] is None or linkages[0].steered

    def make() -> Arrays:
        try:
            built = build_engine_tables(mechanism, steering, steered, tolerance).tables
        except JounceError as error:
            raise JounceError(f"{vehicle}: {error}") from None
        return built._asdict()

    content = [None if linkage is None else linkage.content() for linkage in linkages]
    sources = [source_digest(file) for file in (tables.__file__, *(kind.place.function.__code__.co_filename for kind in kinds))]
    closed_form = [mechanism.corners, mechanism.own, *(block.parameters for block in mechanism.blocks)]
    digest = digest_of(content, closed_form, mechanism.Q_design, without_addresses(steering), steered, tolerance, sources)
    found = cached_arrays("tables", digest, make)
    grid = record_for(GRID, mechanism.size)  # one object per kind of record, since the compiled kernels identify its type by the object
    grid[:] = found["grid"]
    return ReducedTables(**{**found, "grid": grid})
