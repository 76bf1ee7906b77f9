"""The machine: instructions of the processor, cores against threads, memory, disk, cards."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from isogloss.cli.diagnosing.disks import LITTLE_DISK
from isogloss.cli.diagnosing.findings import Finding, size
from isogloss.cli.diagnosing.packages import UNFIT
from isogloss.memory import bytes_available

CPU_FACTS = Path("/proc/cpuinfo")
# Start of a line of Linux → instruction → its flag. The first makes float32 faster, the others
# --dtype bfloat16 and int8.
INSTRUCTIONS = {
    "flags": {"AVX2": "avx2", "AVX-512": "avx512f", "bf16": "avx512_bf16", "AMX": "amx_bf16",
              "VNNI": "avx512_vnni"},
    "Features": {"NEON": "asimd", "SVE": "sve", "bf16": "bf16", "int8": "i8mm"},
}  # fmt: skip
LITTLE_MEMORY = 1_000_000_000


def machine() -> Iterator[Finding]:
    """Yield what the machine is like, without torch too."""
    yield from _processors()
    memory = bytes_available()
    little = memory is not None and memory < LITTLE_MEMORY
    said = "not known" if memory is None else f"{size(memory)} free"
    yield Finding("machine", "memory", f"{said}{', little for an encoder' if little else ''}")
    yield _disk()


def _disk() -> Finding:
    try:
        free = shutil.disk_usage(Path.cwd()).free
    except OSError:  # the folder was removed meanwhile
        return Finding("machine", "disk", "not known: the working folder is gone")
    return Finding("machine", "disk", f"{size(free)} free here"
                   f"{', little' if free < LITTLE_DISK else ''}")  # fmt: skip


def _processors() -> Iterator[Finding]:
    processor = _instructions()
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = f"{allowed} processors for this process, {os.cpu_count()} in all"
    try:
        import torch
    except UNFIT:  # which `software` has said
        yield Finding("machine", "processor", processor)
        yield Finding("machine", "threads", threads)
        return
    yield Finding("machine", "processor", f"{processor}; torch: "
                  f"{torch.backends.cpu.get_cpu_capability()}")  # fmt: skip
    n_threads = torch.get_num_threads()
    many = ", more threads than processors: slower" if n_threads > (allowed or n_threads) else ""
    yield Finding("machine", "threads", f"{n_threads} of torch, {threads}{many}")
    yield Finding("machine", "graphics", _graphics())


def _instructions() -> str:
    try:
        lines = CPU_FACTS.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for start, instructions in INSTRUCTIONS.items():
        flags = next((line.split() for line in lines if line.startswith(start)), None)
        if flags is not None:
            return ", ".join(
                f"{name} {'yes' if flag in flags else 'no'}" for name, flag in instructions.items()
            )
    return "instructions are not told by this system"


def _graphics() -> str:
    import torch

    if torch.cuda.is_available():
        cards = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
        return ", ".join(cards)
    return "Apple MPS" if torch.backends.mps.is_available() else "no card that torch can use"
