"""Integrators of fixed step for any system y' = f(t, y): explicit, partitioned, multistep and linearly implicit ones.

They are those that [Deyo 1989, section 3.3.3.7] and [Uchida 2012, tables 1 and 3: explicit Euler, 1 ms] weigh for real time, for use on reference
models, and to ask which step each of them would bear; the driven vehicle has a kernel of its own (`vehicles.step`).

    method = RungeKutta4(rates)
    y = method.step(t, y, h)

`one_step`, `multistep` and `implicit` hold the methods, `method` what they share, `stability` what they make of a linear system.
On y' = lambda y, with z = h lambda, a step turns y into a sequence of the powers of the roots r of a polynomial, `characteristic(z)`; the
method is stable there while no root lies outside the unit circle. For a one-step method that is one root, R(z). The partitioned
methods treat parts of y differently, so their factors are the eigenvalues of a matrix, `amplification_matrix(A, h)` for y' = A y.

A state that must stay on a manifold is brought back there by `project`, called with every new state, which it changes in place: for unit
quaternions use `unit_quaternions`. The change is of the order of the step's own error, so the order of the method stays.
"""
