"""Many runs of one question: every one resolved before the start, driven anywhere, kept in journals, told in one table."""
