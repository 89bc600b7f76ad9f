"""Questions of ours that the papers leave open, each under the id of the paper that it is about."""
