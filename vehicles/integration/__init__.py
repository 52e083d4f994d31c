"""Fixed-step integrators for systems y' = f(t, y): explicit, partitioned, multistep and linearly implicit methods.

[Deyo 1989, section 3.3.3.7] and [Uchida 2012, tables 1 and 3: explicit Euler, 1 ms] compare these methods for real time. Jounce uses them
on reference models, and to compute the maximum step of each method. The simulated vehicle has its own kernel (`vehicles.step`).

    method = RungeKutta4(rates)
    y = method.step(t, y, h)

`one_step`, `multistep` and `implicit` contain the methods, `contract` their interface, `stability` their behavior on a linear system.
On y' = lambda y, with z = h lambda, the states after n steps are combinations of the powers of the roots r of a polynomial,
`characteristic(z)`. The method is stable while no root is outside the unit circle. A one-step method has one root, R(z). The partitioned
methods treat parts of y differently, so their factors are the eigenvalues of a matrix, `amplification_matrix(A, h)` for y' = A y.

For a state on a manifold, `project` is called with each new state and projects it in place: use `unit_quaternions` for unit
quaternions. The correction is of the order of the local error of the step, so the order of the method is unchanged.
"""
