"""Figures by release: what facts and costs were, kept in the repository as lines of JSON, and which of them have changed."""
