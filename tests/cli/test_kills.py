"""Commands that are killed lose and damage nothing, and end well when they are called again."""

import kills
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("command", kills.COMMANDS)
def test_a_command_that_is_killed_ends_well_the_next_time(command, tmp_path):
    """Each command that writes, ten times, at moments drawn over the time that it takes."""
    kills.prepare(tmp_path / "there")
    assert kills.storm(tmp_path / "there", command, 10) > 0
