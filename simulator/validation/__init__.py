"""What the simulator is compared with, on one page: other programs, closed forms, published figures, and what none of them covers."""
