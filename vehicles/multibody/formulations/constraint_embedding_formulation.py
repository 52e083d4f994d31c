"""Formulation by constraint embedding: choice of the independent coordinates, workspaces, errors that name the loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.records import record
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.constraint_embedding_kernels import Embedding, evaluate
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

CLOSED = 1e-13
"""m, rad. Residual at which Newton's method stops; rounding error of the points of a mechanism of a few meters."""
WELL_CONDITIONED = 1e-5
"""Minimum pivot, as a fraction of the largest entry of Y, of a coordinate declared dependent."""
RANK = 1e-9
"""Pivots below this fraction of the largest entry of Y count as zero."""
CLOSED_IN_MOTION = 1e-15
"""m, rad. `CLOSED` during a motion, for a mechanism of one meter or more: rounding stops the iteration earlier."""
MAX_RATIO = 1.2
"""A motion gets other independent coordinates when a dependent one moves faster than this multiple of an independent one."""
TARGET_RATIO = 1.05
"""Upper limit of this ratio after the exchange. Lengths are scaled by the size of the mechanism."""
MAX_EXCHANGES = 100
"""Maximum number of exchanged pairs of coordinates; one or two are usual."""


class ConstraintEmbedding(Formulation):
    """Accelerations by constraint embedding.

    Parameters
    ----------
    system : mechanism as flat records, used as inputs and scratch
    q : (n_q,) closed configuration for the choice of the independent coordinates; default: the first evaluated state

    The choice follows `Joint.independent` if the remaining dependent coordinates are well determined. Otherwise the coordinates with the
    largest pivots become dependent. A motion may make a choice bad: during a motion (`begin_motion`) the choice is revised in advance, in
    closed states, without regard to `Joint.independent`; otherwise after a failed evaluation.
    """

    def __init__(self, system: System, q: Vector | None = None) -> None:
        super().__init__(system)
        self._made: Embedding | None = None
        self._dependent = 0
        self._in_motion = False
        self._unit, self._smallest = np.zeros(0), 1.0
        self.independent = np.zeros(0, int)
        if q is not None:
            self.choose(q)

    @property
    def kernel_arguments(self) -> Embedding:
        """Arguments of `constraint_embedding_kernels.evaluate`."""
        if self._made is None:
            raise MechanismError("no independent coordinates yet; hint: evaluate a closed configuration first")
        return self._made

    @property
    def dimensions(self) -> Dimensions:
        """Number of independent coordinates, and no constraints."""
        return Dimensions(self.independent.size, 0)

    def choose(self, q: Vector) -> None:
        """Choose dependent and independent coordinates at the closed configuration q, and allocate the workspaces."""
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
        """Fill the fields of CLUSTERS that do not depend on the configuration; all coordinates of ordinary bodies are independent or
        prescribed.
        """
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

    def _declared(self, out: np.void) -> list[bool | None]:
        """Return Joint.independent of each coordinate of an aggregated body."""
        joints = {joint.name: joint.independent for joint in self.system.mechanism.joints}
        declared: list[bool | None] = [None] * int(out["n_v"])
        for name in set(self.system.node_names[out["first"] : out["last"]]):
            at = self.system.joint_v[name]
            for i in range(at.start, at.stop):
                declared[i - out["v0"]] = joints[name]
        return declared

    def _sort(self, out: np.void, columns: NDArray[np.int64], Y: Vector) -> None:
        """Fill `columns` of an aggregated body: dependent, independent, prescribed."""
        declared, prescribed = self._declared(out), self._prescribed(out)
        free = [i for i in range(out["n_v"]) if not prescribed[i]]
        ranks = [[i for i in free if declared[i] is wish] for wish in (False, None, True)]
        dependent = dependent_columns(Y, ranks)
        independent = [i for i in free if i not in set(dependent)]
        out["n_dep"], out["n_ind"] = len(dependent), len(independent)
        columns[out["v0"] : out["v0"] + out["n_v"]] = dependent + independent + [i for i in range(out["n_v"]) if prescribed[i]]

    @property
    def _tolerance(self) -> float:
        return CLOSED_IN_MOTION * self._smallest if self._in_motion else CLOSED

    def begin_motion(self, q: Vector, v: Vector) -> None:
        """Exchange coordinates if dependent ones move much faster than independent ones, for example near a dead point.

        X_S contains the ratios. The exchange of a dependent coordinate for the independent one with the largest ratio increases the
        determinant of Y_1 by this ratio, until no ratio is large (Goreinov, Tyrtyshnikov, "The maximal-volume concept in approximation by
        low-rank matrices", Contemp. Math. 280, 2001). The state is the same in all coordinates. The number of dependent coordinates is
        constant.
        """
        if not self._in_motion:
            self._unit, self._smallest = coordinate_units(self.system, q), smallest_unit(self.system, q)
        self.close(q, v)
        self._in_motion = True
        exchanged = [self._exchange(out) for out in self.kernel_arguments.closure.clusters if out["row0"] < out["row1"]]
        if any(exchanged):
            self._note_independent()

    def end_motion(self) -> None:
        """See `Formulation`."""
        self._in_motion = False

    def _exchange(self, out: np.void) -> bool:
        """Exchange coordinates of an aggregated body by the ratios X_S of the last evaluation; return whether there was an exchange."""
        closure, v0, n_dep, n_ind = self.kernel_arguments.closure, int(out["v0"]), int(out["n_dep"]), int(out["n_ind"])
        columns = closure.columns[v0 : v0 + out["n_v"]]
        dependent, independent = columns[:n_dep], columns[n_dep : n_dep + n_ind]
        X = closure.X[v0 + dependent, :n_ind] * self._unit[v0 + independent] / self._unit[v0 + dependent][:, None]
        if not np.abs(X).max(initial=0.0) > MAX_RATIO:
            return False
        for _ in range(MAX_EXCHANGES):
            i, j = divmod(int(np.abs(X).argmax()), n_ind)
            pivot = X[i, j]
            if not abs(pivot) > TARGET_RATIO:
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
        """Return the state with its dependent positions and velocities solved for the independent ones, with the given values as initial
        values.

        Raises MechanismError as `accelerations`.
        """
        still = np.zeros(self.system.n_v)
        return self._run(lambda m, x, u: close_tree(m.parts.tree, m.parts.constraints, m.closure, x, u, still, self._tolerance), q, v)

    def _run(self, kernel, q: Vector, v: Vector) -> tuple[Vector, Vector]:  # type: ignore[no-untyped-def]
        """Run a kernel on copies of q and v; if it fails with the present coordinates, choose others at q and run it again."""
        fresh = self._made is None
        if fresh:
            self.choose(q)
        x, u = np.array(q, float), np.array(v, float)
        if kernel(self.kernel_arguments, x, u):
            return x, u
        if not (fresh or self._in_motion) and self.kernel_arguments.closure.status[0]["reason"] != OPEN:
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
    """Return the columns of Y that elimination with complete pivoting makes dependent.

    `ranks` lists the candidates in groups, in order of preference as dependent columns. A group ends when pivots fall below
    `WELL_CONDITIONED`; in the end all remaining columns are tried down to `RANK`, so that len(result) is the rank of these columns.
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
