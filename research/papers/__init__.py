"""Tables and figures of the papers that Jounce implements, and their reproduction."""
