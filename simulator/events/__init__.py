"""Events of a session: the events, their queue, questions that a sender has to confirm, controls of the sound. No part of a session is imported."""
