#!/usr/bin/env python3
"""Proves: a sweep as an array job of a real Slurm, with tasks that are killed and requeued, ends in the bytes of a
sweep by itself.

Usage: slurm.py RIGOR. Starts munged, slurmctld and slurmd of its own, of one node, in a folder of its own, as root;
ends with 77 (skipped) where they are not installed or it is not root. Oracle: sweep_case.py.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from sweep_case import SKIPPED, SweepCase, wait_until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
TASKS = 4


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """One node, from begin() to end(). Daemons are its children and end with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []

    def begin(self):
        folder = self.folder
        for name in ("state", "spool", "munge"):
            (folder / name).mkdir(mode=0o700)
        host = socket.gethostname().split(".")[0]
        control, node = free_ports(2)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        munge_socket = folder / "munge" / "socket"
        version = "v2" if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1"
        (folder / "cgroup.conf").write_text(f"CgroupPlugin=cgroup/{version}\n")
        (folder / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5,socket={munge_socket}
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobRequeue=1
MinJobAge=3600
SchedulerParameters=sched_interval=1,batch_sched_delay=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge_socket}",
                   f"--pid-file={folder}/munge/pid", f"--log-file={folder}/munge/log",
                   f"--seed-file={folder}/munge/seed")
        wait_until("munged", munge_socket.exists)
        self.start("slurmctld", "-D", "-c")
        self.start("slurmd", "-D", "-N", host)
        wait_until("the node", lambda: "idle" in self.call("sinfo", "-h", "-o", "%t", check=False))

    def start(self, *command):
        log = open(self.folder / f"{command[0]}.out", "w")
        self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def call(self, *command, check=True):
        return subprocess.run(command, env=self.environment, check=check, capture_output=True, text=True).stdout

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def tasks_of(folder):
    """Process ids of the sweeps that run below a folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sweep" in words and any(str(folder).encode() in word for word in words):
            found.append(int(process.name))
    return found


def main(rigor):
    missing = [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing or os.geteuid() != 0:
        print("skipped:", "not root" if not missing else f"not installed: {' '.join(missing)}")
        return SKIPPED
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with tempfile.TemporaryDirectory(prefix="rigor_slurm_") as name:
        folder = pathlib.Path(name)
        case = SweepCase(rigor, folder, runs=48, seed=5)
        slurm = Slurm(folder)
        try:
            slurm.begin()
            # A task takes long enough to be killed: it sleeps before its runs, but only the first time.
            script = folder / "task.sh"
            script.write_text(f"""#!/bin/sh
part={folder}/part$SLURM_ARRAY_TASK_ID
{rigor} sweep {case.file} -o $part --shard $SLURM_ARRAY_TASK_ID/{TASKS} --resume --threads 1 --quiet || exit
[ -e $part.again ] && exit
touch $part.again
sleep 600
""")
            script.chmod(0o755)
            job = slurm.call("sbatch", "--parsable", "--requeue", f"--array=1-{TASKS}", f"--output={folder}/%A_%a.log",
                             script).strip()
            # Each task is stopped by force, once its runs began or are done, and started anew by Slurm.
            for task in range(1, TASKS + 1):
                rows = case.part(task) / "rows.csv"
                wait_until(f"task {task}", rows.exists)
                if task % 2:
                    wait_until(f"task {task}", (folder / f"part{task}.again").exists)
                (folder / f"part{task}.again").touch()
                for process in tasks_of(case.part(task)):
                    os.kill(process, signal.SIGKILL)
                slurm.call("scontrol", "requeue", f"{job}_{task}", check=False)
            wait_until("the array job", lambda: not slurm.call("squeue", "-h", "-j", job, check=False).strip())
            for log in sorted(folder.glob(f"{job}_*.log")):
                assert not log.read_text().strip().startswith("rigor:"), log.read_text()
        finally:
            slurm.end()
        case.require_same_bytes(TASKS)
    print(f"{TASKS} tasks, each stopped once: the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve())))
