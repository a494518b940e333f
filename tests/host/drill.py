"""Commands of kinetab in processes that can be killed or find a full disk; forked from one that has imported all.

    python tests/host/drill.py FOLDER

FOLDER holds kernel/ and front/, a few lines of C that are compiled in the place of our own in no time.  Each line of
the input is a command in JSON: "arguments" of kinetab, "environment" to be set, "kill": after how many seconds it and
all its children are killed, and "full": a folder that becomes a disk of its own of some bytes, and the content that is
put into files in it.  The answers are lines of JSON too: the exit code, or minus the signal that ended it, what it
printed, and the files of the disk.
"""

import ctypes
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from fmu_src.build import compile as compilation
from precompute.cli import main
from precompute.report import drawing  # noqa: F401  imports matplotlib

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
NO_NAMESPACE = 77
"""Exit code where the system does not let us mount a disk."""


def serve(folder):
    compilation.KERNEL, compilation.FRONT = folder / "kernel", folder / "front"
    for line in sys.stdin:
        command = json.loads(line)
        printed, disk = folder / "printed.txt", folder / "disk.json"
        printed.write_bytes(b"")
        disk.write_text("{}")
        sys.stdout.flush()
        child = os.fork()
        if not child:
            run(command, printed, disk)
        code = ended(child, command.get("kill"))
        answer = {"code": code, "printed": printed.read_text(), "disk": json.loads(disk.read_text())}
        print(json.dumps(answer), flush=True)


def ended(child, seconds):
    """The exit code of a process, which is killed with its children after some seconds."""
    if seconds is not None:
        os.setpgid(child, child)
        time.sleep(seconds)
        os.killpg(child, signal.SIGKILL)  # it is there, perhaps as a zombie, until it is waited for
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(command, printed, disk):
    """In the new process, which ends here."""
    if command.get("kill") is not None:
        os.setpgid(0, 0)
    with printed.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.update(command["environment"])
    tempfile.tempdir = None
    full = command.get("full")
    if full:
        try:
            mount(full["folder"], full["bytes"])
        except OSError:
            os._exit(NO_NAMESPACE)
        for name, content in full["files"].items():
            Path(full["folder"], name).write_text(content, encoding="latin-1")
    code = main(command["arguments"])
    if full:
        found = [file for file in Path(full["folder"]).rglob("*") if file.is_file()]
        text = {file.name: file.read_text(encoding="latin-1") for file in found}
        disk.write_text(json.dumps(text))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def mount(folder, size):
    """A disk in memory, which this process alone sees."""
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    checked(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)
    checked(libc.mount(b"none", os.fsencode(folder), b"tmpfs", 0, f"size={size}".encode()))


def checked(result):
    if result:
        raise OSError(ctypes.get_errno(), "not permitted")


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
