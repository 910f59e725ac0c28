"""A real SLURM on this machine for the length of a test: munged, slurmctld, a slurmd for each made-up node.

Everything it writes lies in one folder, and every process is ended by its own pid file.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil

NODES = ("gpu0", "gpu1", "gpu2")
GPUS = 8  # of each node
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
_PATH = f"{os.environ['PATH']}:/usr/sbin"

_CONF = """
ClusterName=made-up
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
MpiDefault=none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
ReturnToService=1
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1
MinJobAge=600
KillWait=2
"""


def missing() -> str | None:
    """Return why no SLURM can be started here, None if it can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]
    if absent:
        return f"{', '.join(absent)}: not installed, expected slurm-wlm and munge; .ci/run installs them"
    return None if os.geteuid() == 0 else "not root, expected root for a slurmctld of one's own"


class Cluster:
    """Nodes with 128 cores and 8 GPUs each, which this machine need not have.

    Args:
        folder: Where all files lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder / 'bin'}:{_PATH}",
        }

    def start(self) -> None:
        """Write the configuration, start the daemons, and wait until every node is idle."""
        self._write()
        key, log = self.folder / "munge.key", self.folder / "munge.log"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        places = {"key-file": key, "log-file": log, "pid-file": self.folder / "munged.pid"}
        places |= {"socket": self.folder / "munge.socket", "seed-file": self.folder / "munge.seed"}
        self.call("munged", "--force", *(f"--{name}={path}" for name, path in places.items()))
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait(lambda: self.call("sinfo", "-h", "-N", "-t", "idle").count("\n") == len(NODES))

    def _write(self) -> None:
        for name in ("state", "bin", "gpu"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        ports = _free_ports(1 + len(NODES))
        host = socket.gethostname().partition(".")[0]
        conf = _CONF.format(folder=self.folder, host=host, user=getpass.getuser(), ports=ports)
        for node, port in zip(NODES, ports[1:], strict=True):
            conf += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=128 "
            conf += f"RealMemory=1200000 Gres=gpu:h200:{GPUS} State=UNKNOWN\n"
        conf += f"PartitionName=gpu Nodes={','.join(NODES)} Default=YES MaxTime=600 State=UP\n"
        (self.folder / "slurm.conf").write_text(conf)
        for number in range(GPUS):  # SLURM hands out device files only
            (self.folder / "gpu" / f"nvidia{number}").symlink_to("/dev/null")
        files = f"{self.folder}/gpu/nvidia[0-{GPUS - 1}]"
        (self.folder / "gres.conf").write_text(
            f"NodeName={','.join(NODES)} Name=gpu Type=h200 File={files}\n"
        )
        # The executor takes SLURM_CONF from its jobs, and two made-up nodes share one /tmp.
        srun = self.folder / "bin" / "srun"
        srun.write_text(
            f"#!/bin/sh\nexport SLURM_CONF={self.folder}/slurm.conf\n"
            f"export SWEETSPOT_HOST_LOCK={self.folder}/$SLURMD_NODENAME.lock\n"
            f'exec {shutil.which("srun", path=_PATH)} "$@"\n'
        )
        srun.chmod(0o755)

    def start_node(self, node: str) -> None:
        """Start a node's slurmd."""
        self.call("slurmd", "-N", node)

    def fail_node(self, node: str) -> None:
        """Let SLURM miss a node, which dies with everything that runs on it."""
        self.call("scontrol", "update", f"NodeName={node}", "State=down", "Reason=test")
        _end(self.folder / f"slurmd-{node}.pid", signal.SIGKILL)
        jobs = self._processes(SLURMD_NODENAME=node)
        above = {parent for process in jobs for parent in _parents(process)}
        _kill([*(parent for parent in above if parent.name() == "slurmstepd"), *jobs])
        for revoked in (self.folder / f"spool-{node}").glob("cred_state*"):
            revoked.unlink()  # or SLURM would start no job again there for two minutes

    def freeze_server(self, job: str) -> None:
        """Let the server of a job do nothing more."""

        def servers() -> list[psutil.Process]:
            of_job = self._processes(SLURM_JOB_ID=job)
            return [each for each in of_job if "sweetspot.engine.fake" in each.cmdline()[:3]]

        self.wait(servers)
        for server in servers():
            server.suspend()

    def revive_node(self, node: str) -> None:
        """Start a node that has died."""
        self.start_node(node)
        self.call("scontrol", "update", f"NodeName={node}", "State=resume")
        self.wait(lambda: node in self.call("sinfo", "-h", "-N", "-t", "idle"))

    def start_controller(self) -> None:
        """Start slurmctld, with the jobs that it knew before."""
        self.call("slurmctld")
        self.wait(lambda: self.run("scontrol", "ping").returncode == 0)

    def stop_controller(self) -> None:
        """End slurmctld and leave the jobs running."""
        _end(self.folder / "slurmctld.pid")

    def stop(self) -> None:
        """Cancel every job, end every daemon, and whatever a node that went down left running."""
        self.run("scancel", "--user", getpass.getuser())
        for name in [*(f"slurmd-{node}.pid" for node in NODES), "slurmctld.pid", "munged.pid"]:
            _end(self.folder / name)
        _kill(self._processes())

    def _processes(self, **variables: str) -> list[psutil.Process]:
        """Return the processes of this SLURM that have these variables."""
        wanted = {"SLURM_CONF": self.environment["SLURM_CONF"]} | variables
        listed = psutil.process_iter(["environ"])
        return [each for each in listed if (each.info["environ"] or {}).items() >= wanted.items()]

    def call(self, *words: str | Path) -> str:
        """Run one of SLURM's commands and return what it printed."""
        answer = self.run(*words)
        assert answer.returncode == 0, f"{words}: {answer.stdout}{answer.stderr}"
        return answer.stdout

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run one of SLURM's commands."""
        return subprocess.run(
            [*map(str, words)], env=os.environ | self.environment, capture_output=True, text=True, timeout=20
        )

    def jobs(self, state: str = "all") -> list[dict[str, str]]:
        """Return the jobs in *state*: id, comment (which rule), state, node, start and end stamps, GPUs."""
        names = ("id", "rule", "state", "node", "start", "end", "asked")
        fields = "JobID:|,Comment:|,State:|,NodeList:|,StartTime:|,EndTime:|,tres-per-job:"
        listed = self.call("squeue", "-h", "-t", state, "-O", fields.replace(":", ":."))
        return [dict(zip(names, line.split("|"), strict=True)) for line in listed.splitlines()]

    def wait(self, until: Callable[[], object], seconds: float = 30) -> None:
        """Wait until something is true."""
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, f"not so after {seconds} s; see {self.folder}"
            time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _parents(process: psutil.Process) -> list[psutil.Process]:
    """Return the processes above one, none if it has just ended."""
    with suppress(psutil.NoSuchProcess):
        return process.parents()
    return []


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _end(pid_file: Path, by: signal.Signals = signal.SIGTERM) -> None:
    """End the process in *pid_file*, and wait until it is gone."""
    if not pid_file.exists():
        return
    try:
        process = psutil.Process(int(pid_file.read_text()))
        process.send_signal(by)
        for _ in range(100):
            if process.status() == psutil.STATUS_ZOMBIE:  # in a container nobody may reap it
                return
            time.sleep(0.1)
        process.kill()
    except (psutil.NoSuchProcess, ValueError):
        pass
