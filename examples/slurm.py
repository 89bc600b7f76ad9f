"""A Dask cluster whose workers are jobs of SLURM.

Install nmfbench, with data and this file, where all nodes see it. On the login node:

    pip install 'nmfbench[distributed]' dask-jobqueue
    python slurm.py --jobs 20 --time 04:00:00      # prints the address of its scheduler, and stays

and in another terminal there, with that address:

    nmfbench run all --profile paper --timed no --scheduler tcp://10.0.0.1:45123

Jobs are submitted while trials wait and end when none do. A job that reaches its time limit, or is
cancelled, loses the trial it was at, which another computes. The store belongs on a local disk of
the login node: SQLite's log does not work on a network file system. Trials that are timed wait for
an idle machine: leave them out, or compute them on a node of their own.
"""

import argparse
import signal

from dask_jobqueue import SLURMCluster


def main():
    parser = argparse.ArgumentParser(description="Workers for 'nmfbench run --scheduler'.")
    parser.add_argument(
        "--jobs", type=int, default=10, help="most jobs at a time, a core each (10)"
    )
    parser.add_argument("--memory", default="4GB", help="of a job (4GB)")
    parser.add_argument("--time", default="04:00:00", help="limit of a job (04:00:00)")
    parser.add_argument("--partition", help="partition of SLURM (its default)")
    parser.add_argument("--account", help="account of SLURM (yours)")
    args = parser.parse_args()
    with SLURMCluster(
        cores=1,
        memory=args.memory,
        walltime=args.time,
        queue=args.partition,
        account=args.account,
    ) as cluster:
        cluster.adapt(minimum_jobs=0, maximum_jobs=args.jobs)
        print(cluster.scheduler_address, flush=True)
        signal.sigwait([signal.SIGINT, signal.SIGTERM])


if __name__ == "__main__":
    main()
