"""World around a sensor: ground, objects and weather at the time of a measurement."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from simulator.base.records import Record
from simulator.view.vehicle_states import NO_STATES
from simulator.weather import Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.rays.caster import Hits, RayCaster
from terrain.ruts import NO_RUTS, Ruts


class SensorWorld:
    """World of a session at one time. Objects on paths stand where they are at the time of each ray, breakaway objects where they are now.

    Attributes
    ----------
    ground, objects, weather : of the session; must not be changed
    caster : casts rays against ground and objects
    vehicles : states of the other vehicles for images, records of `simulator.view.vehicle_states.VEHICLE`
    """

    def __init__(self, caster: RayCaster, weather: Weather, vehicles: Record = NO_STATES) -> None:
        self.caster, self.weather, self.vehicles = caster, weather, vehicles

    @property
    def ground(self) -> Ground:
        return self.caster.ground

    @property
    def objects(self) -> ObjectSet:
        return self.caster.objects

    @property
    def changes(self) -> bool:
        """Whether wheels leave ruts: only the session's own thread sees the ground as it is now."""
        return self.caster.ruts is not NO_RUTS

    def cast(self, origins: ArrayLike, directions: ArrayLike, max_range: ArrayLike, time: ArrayLike, **options: bool) -> Hits:
        """Return the nearest surfaces that rays meet, see `terrain.rays.caster.RayCaster.cast`, at the time of each ray [s]."""
        return self.caster.cast(origins, directions, max_range, time, **options)

    def frozen(self) -> SensorWorld:
        """Return the world as it is now, for another thread."""
        return SensorWorld(self.caster.with_states(self.objects.snapshot()), self.weather, self.vehicles)


class WorldSource:
    """Worlds of a session: the bounds of ground and objects are computed once for all sensors."""

    def __init__(self, ground: Ground, weather: Weather, ruts: Ruts = NO_RUTS) -> None:
        self._caster, self._weather, self._warm = RayCaster(ground, ruts=ruts), weather, False

    def world(self, objects: ObjectSet, vehicles: Callable[[], Record] = lambda: NO_STATES) -> SensorWorld:
        """Return the world with the present objects and other vehicles."""
        if self._caster.objects is not objects:
            self._caster = self._caster.with_objects(objects)
        if not self._warm:  # a plugin that had to compile the kernel would exceed its time limit
            self._caster.cast((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0)
            self._warm = True
        return SensorWorld(self._caster, self._weather, vehicles())
