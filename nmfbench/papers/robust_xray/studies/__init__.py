"""Our own questions, which the paper leaves open."""
