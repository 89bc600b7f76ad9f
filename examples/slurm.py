"""A Dask cluster whose workers are jobs of SLURM.

Install nmfbench, its data and this file where all nodes see them. On the login node:

    pip install 'nmfbench[distributed]' dask-jobqueue
    python slurm.py --jobs 20 --hours 4      # prints the address of its scheduler, and stays

and in another terminal there, with that address:

    nmfbench run all --profile paper --timed no --scheduler tcp://10.0.0.1:45123

Jobs are submitted while trials wait, and end when none do. A job that is cancelled loses the trial
it was computing, which another job computes. The store belongs on a local disk of the login node:
SQLite's log does not work on a network file system. Timed trials are left out, as they need an idle
machine.
"""

import argparse
import signal

import dask
from dask_jobqueue import SLURMCluster

_RETIRES = 300  # seconds before the end of its job in which a worker takes no trial any more


def main():
    parser = argparse.ArgumentParser(description="Workers for 'nmfbench run --scheduler'.")
    parser.add_argument("--jobs", type=int, default=10, help="at most, of one core each (10)")
    parser.add_argument("--hours", type=float, default=4, help="time limit of a job (4)")
    parser.add_argument("--memory", default="4GB", help="of a job (4GB)")
    parser.add_argument("--partition", help="of SLURM (its default)")
    parser.add_argument("--account", help="of SLURM (yours)")
    args = parser.parse_args()
    seconds = round(3600 * args.hours)
    if seconds <= 2 * _RETIRES:
        parser.error(f"--hours must be more than {2 * _RETIRES / 3600:.2f}")
    # A trial has a process and a limit of memory of its own: that a worker dies is not its fault.
    dask.config.set({"distributed.scheduler.allowed-failures": 100})
    with SLURMCluster(
        cores=1,
        memory=args.memory,
        walltime=f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}",
        queue=args.partition,
        account=args.account,
        worker_extra_args=["--lifetime", f"{seconds - _RETIRES}s", "--lifetime-stagger", "60s"],
    ) as cluster:
        cluster.adapt(minimum_jobs=0, maximum_jobs=args.jobs)
        print(cluster.scheduler_address, flush=True)
        signal.sigwait([signal.SIGINT, signal.SIGTERM])


if __name__ == "__main__":
    main()
