"""Does Jounce import, and do commands work, where the modules and functions that only POSIX systems have are missing, as on Windows?

This is no test on Windows: paths, file locks, processes and graphics are those of the system that runs the test.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from simulator.base.jit import ROOT

PROGRAM = """
import importlib, os, pkgutil, signal, socket, sys, types

OURS = ("jounce", "simulator", "vehicles", "terrain", "washout")


def names():
    yield "jounce"
    for package in OURS[1:]:
        yield package
        for one in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
            if not one.name.endswith("__main__"):
                yield one.name


def import_all():
    missing = {}
    for name in names():
        try:
            importlib.import_module(name)
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {error}"
    return missing


before = import_all()  # loads the libraries, which would not import under the name of another system
for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
    del sys.modules[name]
for name in ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp", "syslog", "readline"):
    sys.modules[name] = None
msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK, msvcrt.LK_LOCK, msvcrt.LK_UNLCK, msvcrt.locking = 2, 1, 0, lambda handle, mode, size: None
sys.modules["msvcrt"] = msvcrt
gone = [name for name in dir(os) if name.startswith(("sched_", "posix_", "wait", "getpriority", "setpriority", "pread", "pwrite"))]
for name in [*gone, "fork", "forkpty", "nice", "getuid", "geteuid", "getgid", "getegid", "getloadavg", "setsid", "killpg", "getpgid", "mkfifo",
             "uname", "statvfs", "fchmod", "fchown", "chown", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "register_at_fork"]:
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGPIPE", "SIGTSTP", "SIGCONT", "SIGQUIT", "pthread_sigmask",
             "setitimer", "alarm", "sigwait"):
    delattr(signal, name)
del socket.AF_UNIX
system, sys.platform = sys.platform, "win32"
failed = {name: text for name, text in import_all().items() if name not in before}
for name, text in failed.items():
    print(name, text)
print(len(list(names())), "modules")
sys.platform = system  # Numba compiles for the system of this name
from simulator.cli.main import main
sys.exit(bool(failed) or max(main(words.split()) for words in sys.argv[1:]))
"""
COMMANDS = ("list vehicles", "schema --out {folder}")
"""Commands that use no kernels, whose cache is in another folder on Windows."""


@pytest.mark.slow
def test_modules_and_commands_do_without_posix(tmp_path):
    commands = [words.format(folder=tmp_path) for words in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *commands], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
