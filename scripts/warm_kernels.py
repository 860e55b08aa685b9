"""Jupyter kernels that start warm: forked from a process that has imported what all labs need.

Imports are most of what a kernel has to do for a lab. Where a process cannot be forked
(Windows), kernels start as usual.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import suppress
from importlib.metadata import EntryPoint

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

NAME = "warm-provisioner"
_IMPORTED = [__name__, "ipykernel.kernelapp", "ipykernel.ipkernel", "kernel_backend", "matplotlib.pyplot"]
_IMPORTED += ["attn", "attn.figures"]


def use() -> None:
    """From now on, kernels of this process start warm, in the environment that it has now."""
    if "forkserver" not in multiprocessing.get_all_start_methods() or not _main_can_be_read():
        return
    multiprocessing.get_context("forkserver").set_forkserver_preload(_IMPORTED)
    factory = KernelProvisionerFactory.instance()
    group = KernelProvisionerFactory.GROUP_NAME
    value = f"{__name__}:{WarmProvisioner.__name__}"
    factory.provisioners[NAME] = EntryPoint(name=NAME, value=value, group=group)
    factory.default_provisioner_name = NAME


def _main_can_be_read() -> bool:
    """`multiprocessing` reads the program's own file again, which one from stdin has not."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is None or os.path.exists(file)


def run_kernel(arguments: list[str]) -> None:
    from ipykernel.kernelapp import IPKernelApp

    # So that it ends when the build does.
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


class WarmProvisioner(LocalProvisioner):
    """Jupyter's own, but for where the process comes from."""

    async def launch_kernel(self, cmd, **options):
        arguments = cmd[cmd.index("-f") :]
        context = multiprocessing.get_context("forkserver")
        process = context.Process(target=run_kernel, args=(arguments,), daemon=True)
        process.start()
        self.process = _Process(process)
        self.pid = process.pid
        return self.connection_info


class _Process:
    """A process of `multiprocessing`, with the questions that Jupyter asks of `Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self._process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:  # afterwards the number may be another process's
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()
