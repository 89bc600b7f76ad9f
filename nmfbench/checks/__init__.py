"""Common checks that every solver must pass, on one of ours or on a class from outside."""
