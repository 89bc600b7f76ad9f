"""Questions of ours that the paper leaves open."""
