"""The machine: instructions of the processor, cores against threads, memory, disk, cards."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from isogloss.cli.diagnosing.findings import Finding, size
from isogloss.memory import bytes_available

CPU_FACTS = Path("/proc/cpuinfo")
# Instruction → flag of Linux; the first makes float32 faster, the others --dtype bfloat16, int8.
INSTRUCTIONS = {"AVX2": "avx2", "AVX-512": "avx512f", "bf16": "avx512_bf16", "AMX": "amx_bf16",
                "VNNI": "avx512_vnni"}  # fmt: skip
LITTLE_MEMORY = 1_000_000_000
LITTLE_DISK = 500_000_000


def machine(folder: Path) -> Iterator[Finding]:
    """Yield what the machine is like; `folder` is where free disk is looked at."""
    import torch

    yield Finding("machine", "processor", f"{_instructions()}; torch: "
                  f"{torch.backends.cpu.get_cpu_capability()}")  # fmt: skip
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = torch.get_num_threads()
    many = ", more threads than processors: slower" if threads > (allowed or threads) else ""
    yield Finding("machine", "threads", f"{threads} of torch, {allowed} processors for this "
                  f"process, {os.cpu_count()} in all{many}")  # fmt: skip
    yield Finding("machine", "graphics", _graphics())
    memory = bytes_available()
    little = memory is not None and memory < LITTLE_MEMORY
    said = "not known" if memory is None else f"{size(memory)} free"
    yield Finding("machine", "memory", f"{said}{', little for an encoder' if little else ''}")
    free = shutil.disk_usage(folder).free
    little = free < LITTLE_DISK
    yield Finding("machine", "disk", f"{size(free)} free here{', little' if little else ''}")


def _instructions() -> str:
    try:
        lines = CPU_FACTS.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return "instructions are not told by this system"
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return ", ".join(
        f"{name} {'yes' if flag in flags else 'no'}" for name, flag in INSTRUCTIONS.items()
    )


def _graphics() -> str:
    import torch

    if torch.cuda.is_available():
        cards = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
        return ", ".join(cards)
    return "Apple MPS" if torch.backends.mps.is_available() else "no card that torch can use"
