#!/usr/bin/env python3
"""Proves: a sweep on Dask workers that are killed at work ends in the bytes of a sweep by itself.

Usage: dask_sweep.py RIGOR SOURCE_DIR. Starts a scheduler and worker processes on this machine; ends with 77 (skipped)
where distributed is not installed. The function that runs a shard is the one that docs/cluster.md prints. Oracle:
sweep_case.py.
"""
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

from sweep_case import PATIENCE, SKIPPED, SweepCase

SHARDS = 6


def shard_function(source):
    page = (source / "docs" / "cluster.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    code, = [block for block in blocks if "def run_shard" in block]
    return code


def main(rigor, source):
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        print("skipped:", error)
        return SKIPPED
    code = shard_function(source)

    def slow_shard(code, rigor, sweep, folder, shard, shards):
        """The page's function; the first time a worker takes a shard it stays at work after its runs, so that it can be
        killed."""
        import pathlib
        import time
        names = {}
        exec(code, names)
        names["run_shard"](rigor, sweep, folder, shard, shards)
        mark = pathlib.Path(folder + ".again")
        if not mark.exists():
            mark.touch()
            time.sleep(3)
        return shard

    with tempfile.TemporaryDirectory(prefix="rigor_dask_") as name:
        folder = pathlib.Path(name)
        case = SweepCase(rigor, folder, runs=60, seed=9)
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                          host="127.0.0.1") as cluster, \
                Client(cluster) as client:
            futures = [client.submit(slow_shard, code, rigor, str(case.file), str(case.part(k)), k, SHARDS, retries=10,
                                     pure=False)
                       for k in range(1, SHARDS + 1)]
            killed = 0
            end = time.monotonic() + PATIENCE
            while killed < 3 and time.monotonic() < end and not all(future.done() for future in futures):
                pids = client.run(os.getpid).values()
                busy = [pid for pid, tasks in zip(pids, client.processing().values()) if tasks]
                if busy and any(case.part(k).exists() for k in range(1, SHARDS + 1)):
                    os.kill(busy[0], signal.SIGKILL)
                    killed += 1
                time.sleep(2)
            assert sorted(client.gather(futures)) == list(range(1, SHARDS + 1))
        assert killed >= 1, "no worker was killed at work"
        case.require_same_bytes(SHARDS)
    print(f"{SHARDS} shards, {killed} workers killed: the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])))
