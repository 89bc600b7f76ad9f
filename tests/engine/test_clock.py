"""A system clock that jumps: no time of day decides what is computed, kept or reported."""

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime

import pytest
from engine import assert_same_content

from nmfbench.records.repair import survey
from nmfbench.records.store import Store

# Loaded before the C library: all that asks for the time of day gets another year ten times a
# second, from four years back to four ahead, by a hash of the seconds since the start.
JUMPS = """
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t offset(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    uint64_t x = (uint64_t)now.tv_sec * 10 + now.tv_nsec / 100000000;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)(x % 252460800u) - 126230400;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec found;
    int result = clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return result;
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}
"""


@pytest.fixture
def nmfbench(tmp_path):
    """Run a command; ``jumping`` while the clock jumps."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip(
            "only root may set the clock, and for all processes: a C library moves it for one, by "
            "LD_PRELOAD; the test runs on Linux where a C compiler (cc) is installed"
        )
    source, library = tmp_path / "jumps.c", tmp_path / "jumps.so"
    source.write_text(JUMPS, encoding="utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)

    def call(*arguments, jumping):
        command = [sys.executable, "-m", "nmfbench", *map(str, arguments)]
        preload = {"LD_PRELOAD": str(library)} if jumping else {}
        done = subprocess.run(
            command, env=os.environ | preload, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.mark.slow
def test_a_clock_that_jumps(tmp_path, nmfbench):
    """Run, resumed run with a budget, export, import, audit and report: what they do otherwise."""
    grid = ("robust-xray/fig3", "--profile", "smoke")
    still, jumping, imported = (tmp_path / name for name in ("still", "jumping", "imported"))
    nmfbench("run", *grid, "--store", still, jumping=False)
    for budget in ("1s", "5m"):
        nmfbench("run", *grid, "--store", jumping, "--budget", budget, jumping=True)
    nmfbench("export", "--store", jumping, "--output", tmp_path / "export", jumping=True)
    nmfbench("import", tmp_path / "export", "--store", imported, jumping=True)
    nmfbench("audit", "robust-xray/fig3", "--sample", "1", "--store", imported, jumping=True)
    for store in (jumping, imported):
        page = tmp_path / f"report-{store.name}"
        nmfbench("report", *grid, "--store", store, "--output", page, jumping=True)
        assert (page / "index.html").exists()
    with Store(still) as one, Store(jumping) as other:
        assert_same_content(one, other)
        years = {datetime.fromisoformat(record["finished"]).year for record in other.records()}
        assert len(years) > 1
        assert survey(jumping).is_whole
    claims = [
        nmfbench("claims", *grid, "--json", "--store", store, jumping=store != still)
        for store in (still, jumping, imported)
    ]
    assert json.loads(claims[0])
    assert claims[0] == claims[1] == claims[2]
