"""Active set of dry-friction elements that stick or slide.

The solver guesses which elements slide, solves the remaining linear system, and corrects the guess until it no longer changes.
"""

from __future__ import annotations

from simulator.base.jit import inline

BLOCK_ITERATIONS = 4
"""Number of iterations in which all guesses are corrected at once. Two are nearly always enough."""


@inline
def side(value, low, high):
    """Return the state of an element: 0 (sticks) between low and high; 1 or -1 (slides in that direction) at or beyond them."""
    return 1 if value >= high else (-1 if value <= low else 0)


@inline
def correct_guess(guess, found, iteration, settled):
    """Return (next guess, still settled) for one element.

    In the first iterations every wrong guess is corrected. To prevent cycles, later iterations correct only the first wrong guess, and a
    sliding element first tries to stick: least-index pivoting, which terminates for a positive definite matrix [Murty 1974; Judice and
    Pires 1994].
    """
    if found == guess:
        return guess, settled
    if iteration < BLOCK_ITERATIONS:
        return found, False
    if not settled:
        return guess, False
    return (0 if guess != 0 else found), False


@inline
def clip_friction(held, limit, guess, iteration, settled):
    """Return (torque, next guess, still settled) of a friction element with a limit.

    `held` is the torque that it needs in order to stick.
    """
    if limit <= 0.0:
        return 0.0, guess, settled
    guess, settled = correct_guess(guess, side(held, -limit, limit), iteration, settled)
    return min(limit, max(-limit, held)), guess, settled
