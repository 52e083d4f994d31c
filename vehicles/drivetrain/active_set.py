"""Friction that holds or slides, element by element: guess which of them slide, solve the linear rest, correct the guess, until it stands."""

from __future__ import annotations

from simulator.base.jit import inline

BLOCK_ROUNDS = 4
"""Rounds in which all guesses are corrected at once. Two are enough nearly always."""


@inline
def side(value, low, high):
    """0 between low and high: the element holds; 1 or -1 at or beyond them: it slides that way."""
    return 1 if value >= high else (-1 if value <= low else 0)


@inline
def corrected(guess, found, round_, settled):
    """(next guess, still settled). In the first rounds every wrong guess is corrected; should that go round in circles, only the first
    wrong one per round is, and a sliding element first tries to hold: least-index pivoting, which ends for a positive definite
    matrix [Murty 1974; Judice and Pires 1994]."""
    if found == guess:
        return guess, settled
    if round_ < BLOCK_ROUNDS:
        return found, False
    if not settled:
        return guess, False
    return (0 if guess != 0 else found), False


@inline
def carried(held, limit, guess, round_, settled):
    """(torque, next guess, still settled) of a friction element with a limit, of the torque that it would need in order to hold."""
    if limit <= 0.0:
        return 0.0, guess, settled
    guess, settled = corrected(guess, side(held, -limit, limit), round_, settled)
    return min(limit, max(-limit, held)), guess, settled
