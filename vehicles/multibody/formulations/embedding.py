"""The constraint-embedded mechanism as an object: choice of the independent coordinates, workspaces, errors that name the loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import record
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.constraint_embedding import Embedding, evaluate
from vehicles.multibody.formulations.contract import Formulation
from vehicles.multibody.loops.closure import (
    CLUSTERS,
    CONTRADICTORY,
    OPEN,
    SINGULAR,
    STATUS,
    Closure,
    close_tree,
    set_rows,
)
from vehicles.multibody.tree.coordinates import coordinate_units, smallest_unit
from vehicles.multibody.tree.system import Cluster, Dimensions, System
from vehicles.multibody.tree.tree import move

Vector = NDArray[np.float64]

CLOSED = 1e-13
"""m, rad. Residual at which Newton's method stops; rounding of the points of a mechanism of a few meters."""
WELL_CONDITIONED = 1e-5
"""A wanted dependent coordinate is taken when its pivot is above this part of the largest entry of Y."""
RANK = 1e-9
"""Pivots below this part of the largest entry of Y count as zero."""
EXACTLY = 1e-15
"""m, rad. The same while a motion is followed, for a mechanism of one meter or more: rounding stops it before."""
TOO_FAST = 1.2
"""A motion is given other independent coordinates when a dependent one moves faster than so many times an independent one, ..."""
FAST = 1.05
"""... and then such that none moves faster than this. Lengths count in sizes of the mechanism."""
EXCHANGES = 100
"""Pairs of coordinates that are exchanged at most; one or two are usual."""


class ConstraintEmbedding(Formulation):
    """Accelerations by constraint embedding.

    Parameters
    ----------
    system : laid-out mechanism; its records are used as inputs and scratch
    q : (n_q,) a closed configuration at which the independent coordinates are chosen; without it the first state evaluated is used

    The joints' wishes (`Joint.independent`) are followed where the dependent coordinates they leave are determined well; otherwise the
    coordinates with the largest pivots become the dependent ones. The choice is made again when the motion makes it a bad one: while a
    motion is followed (`set_out`) in its closed states, before that, and without regard to wishes; otherwise where an evaluation fails.
    """

    def __init__(self, system: System, q: Vector | None = None) -> None:
        super().__init__(system)
        self._made: Embedding | None = None
        self._dependent = 0
        self._followed = False
        self._unit, self._smallest = np.zeros(0), 1.0
        self.independent = np.zeros(0, int)
        if q is not None:
            self.choose(q)

    @property
    def kernel_arguments(self) -> Embedding:
        """What `constraint_embedding.evaluate` takes."""
        if self._made is None:
            raise MechanismError("the independent coordinates are not chosen yet: evaluate a closed configuration first")
        return self._made

    @property
    def dimensions(self) -> Dimensions:
        """Independent coordinates, and no constraints."""
        return Dimensions(self.independent.size, 0)

    def choose(self, q: Vector) -> None:
        """Choose dependent and independent coordinates at the closed configuration q, and size the workspaces for them."""
        system, parts = self.system, self.system.parts
        tree, constraints = parts.tree, parts.constraints
        clusters = record(CLUSTERS, len(system.clusters))
        for out, cluster in zip(clusters, system.clusters, strict=True):
            self._lay_out(out, cluster)
        n_v, rows, nodes = system.n_v, constraints.rows.size, tree.nodes.size
        widest = max(1, int(clusters["n_v"].max(initial=1)))
        columns = np.zeros(n_v, np.int64)
        no = np.zeros
        draft = Closure(
            clusters=clusters,
            columns=columns,
            Y=no((rows, widest)),
            LU=no((rows, 1)),
            order=no(rows, int),
            X=no((n_v, 1)),
            X_rate=no(n_v),
            b=no(rows),
            y=no(widest),
            step=no(n_v),
            status=record(STATUS),
        )
        move(tree, np.asarray(q, float))
        for s, out in enumerate(clusters):
            if out["row0"] < out["row1"]:
                set_rows(tree, constraints, draft, s)
                self._sort(out, columns, draft.Y[out["row0"] : out["row1"], : out["n_v"]])
            else:
                columns[out["v0"] : out["v0"] + out["n_v"]] = np.arange(out["n_v"])
        most_dep, most_ind = (max(1, int(clusters[name].max(initial=1))) for name in ("n_dep", "n_ind"))
        closure = draft._replace(LU=no((rows, most_dep)), X=no((n_v, most_ind)))
        self._made = Embedding(
            parts=parts,
            closure=closure,
            J=no((nodes, most_ind, 6)),
            a_S=no((nodes, 6)),
            PJ=no((most_ind, 6)),
            epsilon=no(most_ind),
            D=no((len(clusters), most_ind, most_ind)),
            G=no((len(clusters), most_ind, 6)),
            nu=no(n_v),
            F=no((nodes, 6)),
            theta=no(n_v),
        )
        self._dependent = int(clusters["n_dep"].sum())
        self._note_independent()

    def _note_independent(self) -> None:
        clusters, columns = self.kernel_arguments.closure.clusters, self.kernel_arguments.closure.columns
        self.independent = np.sort(
            np.concatenate([c["v0"] + columns[c["v0"] + c["n_dep"] : c["v0"] + c["n_dep"] + c["n_ind"]] for c in clusters]).astype(int)
        )

    def _lay_out(self, out: np.void, cluster: Cluster) -> None:
        """Fields of CLUSTERS that do not depend on the configuration; the ordinary bodies' coordinates are all independent or prescribed."""
        nodes = self.system.parts.tree.nodes[cluster.first : cluster.last]
        out["first"], out["last"], out["row0"], out["row1"] = cluster.first, cluster.last, cluster.row0, cluster.row1
        out["parent"], out["v0"] = nodes["parent"].min(), nodes["v"][0]
        end = self.system.n_v
        if cluster.last < self.system.parts.tree.nodes.size:
            end = int(self.system.parts.tree.nodes["v"][cluster.last])
        out["n_v"] = end - out["v0"]
        prescribed = self._prescribed(out)
        out["n_ind"] = out["n_v"] - prescribed.sum()
        rows = self.system.parts.constraints.rows[cluster.row0 : cluster.row1]
        out["driven"] = prescribed.any() or (rows["driven"] >= 0).any()

    def _prescribed(self, out: np.void) -> NDArray[np.bool_]:
        nodes = self.system.parts.tree.nodes[out["first"] : out["last"]]
        starts = np.append(nodes["v"], out["v0"] + out["n_v"])
        return np.repeat(nodes["prescribed"] > 0, np.diff(starts))

    def _wishes(self, out: np.void) -> list[bool | None]:
        """Joint.independent of every coordinate of an aggregated body."""
        joints = {joint.name: joint.independent for joint in self.system.mechanism.joints}
        wishes: list[bool | None] = [None] * int(out["n_v"])
        for name in set(self.system.node_names[out["first"] : out["last"]]):
            at = self.system.joint_v[name]
            for i in range(at.start, at.stop):
                wishes[i - out["v0"]] = joints[name]
        return wishes

    def _sort(self, out: np.void, columns: NDArray[np.int64], Y: Vector) -> None:
        """Fill `columns` of an aggregated body: dependent, independent, prescribed."""
        wishes, prescribed = self._wishes(out), self._prescribed(out)
        free = [i for i in range(out["n_v"]) if not prescribed[i]]
        ranks = [[i for i in free if wishes[i] is wish] for wish in (False, None, True)]
        dependent = dependent_columns(Y, ranks)
        independent = [i for i in free if i not in set(dependent)]
        out["n_dep"], out["n_ind"] = len(dependent), len(independent)
        columns[out["v0"] : out["v0"] + out["n_v"]] = dependent + independent + [i for i in range(out["n_v"]) if prescribed[i]]

    @property
    def _tolerance(self) -> float:
        return EXACTLY * self._smallest if self._followed else CLOSED

    def set_out(self, q: Vector, v: Vector) -> None:
        """Exchange coordinates where dependent ones move much faster than independent ones, as they do on the way to a dead point.

        X_S says how fast. The exchange of a dependent coordinate for the independent one that moves it most makes the determinant of Y_1
        larger by their ratio, until no ratio is large (Goreinov, Tyrtyshnikov, "The maximal-volume concept in approximation by low-rank
        matrices", Contemp. Math. 280, 2001). The state is the same in any coordinates. The number of dependent coordinates stays.
        """
        if not self._followed:
            self._unit, self._smallest = coordinate_units(self.system, q), smallest_unit(self.system, q)
        self.close(q, v)
        self._followed = True
        exchanged = [self._exchange(out) for out in self.kernel_arguments.closure.clusters if out["row0"] < out["row1"]]
        if any(exchanged):
            self._note_independent()

    def arrive(self) -> None:
        """See `Formulation`."""
        self._followed = False

    def _exchange(self, out: np.void) -> bool:
        """Exchange coordinates of an aggregated body by the ratios X_S of the last evaluation; whether any were."""
        closure, v0, n_dep, n_ind = self.kernel_arguments.closure, int(out["v0"]), int(out["n_dep"]), int(out["n_ind"])
        columns = closure.columns[v0 : v0 + out["n_v"]]
        dependent, independent = columns[:n_dep], columns[n_dep : n_dep + n_ind]
        X = closure.X[v0 + dependent, :n_ind] * self._unit[v0 + independent] / self._unit[v0 + dependent][:, None]
        if not np.abs(X).max(initial=0.0) > TOO_FAST:
            return False
        for _ in range(EXCHANGES):
            i, j = divmod(int(np.abs(X).argmax()), n_ind)
            pivot = X[i, j]
            if not abs(pivot) > FAST:
                break
            row, column = X[i] / pivot, X[:, j].copy()
            X -= np.outer(column, row)
            X[i], X[:, j] = -row, column / pivot
            X[i, j] = 1.0 / pivot
            dependent[i], independent[j] = independent[j], dependent[i]
        return True

    def _solve(self, q: Vector, v: Vector, accel: Vector) -> None:
        closed, _ = self._run(lambda m, x, u: evaluate(m, x, u, accel, self._tolerance), q, v)
        self._refuse_singular(closed, self.system.parts.constraints.rows.size - self._dependent)

    def close(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """The state with its dependent positions and velocities solved from the independent ones, starting from those given.

        Raises MechanismError as `accelerations`.
        """
        still = np.zeros(self.system.n_v)
        return self._run(lambda m, x, u: close_tree(m.parts.tree, m.parts.constraints, m.closure, x, u, still, self._tolerance), q, v)

    def _run(self, kernel, q: Vector, v: Vector) -> tuple[Vector, Vector]:  # type: ignore[no-untyped-def]
        """Run a kernel on copies of q and v; when the present choice of coordinates fails, choose again at q and try once more."""
        fresh = self._made is None
        if fresh:
            self.choose(q)
        x, u = np.array(q, float), np.array(v, float)
        if kernel(self.kernel_arguments, x, u):
            return x, u
        if not (fresh or self._followed) and self.kernel_arguments.closure.status[0]["reason"] != OPEN:
            error, before = self._error(), (self._made, self.independent)
            self.choose(q)
            if self.independent.size != before[1].size:
                self._made, self.independent = before
                raise error
            x, u = np.array(q, float), np.array(v, float)
            if kernel(self.kernel_arguments, x, u):
                return x, u
        raise self._error()

    def _error(self) -> MechanismError:
        status = self.kernel_arguments.closure.status[0]
        cluster = self.kernel_arguments.closure.clusters[status["cluster"]]
        rows = self.system.parts.constraints.rows
        if status["row"] >= 0:
            concerned = [int(rows[status["row"]]["loop"])]
        else:
            concerned = sorted({int(row["loop"]) for row in rows[cluster["row0"] : cluster["row1"]]})
        loops = tuple(self.system.loop_names[i] for i in concerned)
        named = f"loop {loops[0]!r}" if len(loops) == 1 else "loops " + ", ".join(repr(name) for name in loops)
        file = self.system.mechanism.file
        if status["reason"] == OPEN:
            return MechanismError(f"{file}: {named} cannot be closed: {abs(status['value']):.3g} m or rad remain", loops)
        if status["reason"] == SINGULAR:
            return MechanismError(f"{file}: singular configuration: the dependent coordinates of {named} are not determined", loops)
        if status["reason"] == CONTRADICTORY:
            return MechanismError(f"{file}: the constraints of {named} contradict the others by {abs(status['value']):.3g}", loops)
        joint = self.system.node_names[cluster["first"]]
        return MechanismError(f"{file}: joint {joint!r} moves no inertia")


def dependent_columns(Y: Vector, ranks: list[list[int]]) -> list[int]:
    """Columns of Y that elimination with complete pivoting makes dependent.

    `ranks` lists the candidates in groups, the first to be made dependent if possible. A group is used up while pivots are above
    `WELL_CONDITIONED`; in the end all remaining columns are tried down to `RANK`, so that len(result) is the rank of those columns.
    """
    work, chosen, rows = Y.copy(), [], list(range(len(Y)))
    largest = float(np.abs(Y).max(initial=0.0))
    every = [i for group in ranks for i in group]
    for group, least in [*zip(ranks, [WELL_CONDITIONED] * len(ranks), strict=True), (every, RANK)]:
        while rows:
            left = [i for i in group if i not in chosen]
            if not left:
                break
            block = np.abs(work[np.ix_(rows, left)])
            at = int(block.argmax())
            row, column = rows[at // len(left)], left[at % len(left)]
            if not block.flat[at] > least * largest:
                break
            chosen.append(column)
            rows.remove(row)
            for other in rows:
                work[other] -= work[other, column] / work[row, column] * work[row]
    return chosen
