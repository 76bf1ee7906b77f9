"""Random damages of the files in a folder: bytes, pages, lengths, exchanged files."""

import random
from pathlib import Path

KINDS = ("byte",) * 4 + ("zeros", "ones", "cut", "swapped")
PAGE = 4096


def damage(folder: Path, draw: random.Random) -> str:
    """Change one file of a folder, or exchange two; return what was done."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    while True:
        by_size = [path.stat().st_size for path in files]
        [path] = draw.choices(files, by_size if draw.random() < 0.5 else None)
        kind = draw.choice(KINDS)
        content = path.read_bytes()
        at = draw.randrange(len(content))
        if kind == "swapped" and len(files) > 1:
            other = draw.choice(files)
            if other.read_bytes() != content:
                path.write_bytes(other.read_bytes())
                other.write_bytes(content)
                return f"{path.name} and {other.name} exchanged"
        elif kind != "swapped":
            made, where = _changed(content, kind, at, draw)
            if made != content:
                path.write_bytes(made)
                return f"{path.relative_to(folder)}: {where}"
        else:
            other_at = draw.randrange(len(content))
            made = _exchanged(content, at, other_at)
            if made != content:
                path.write_bytes(made)
                return f"{path.name}: bytes from {at} and {other_at} exchanged"


def _changed(content: bytes, kind: str, at: int, draw: random.Random) -> tuple[bytes, str]:
    if kind == "byte":
        value = draw.choice((content[at] ^ 1 << draw.randrange(8), draw.randrange(256)))
        return content[:at] + bytes([value]) + content[at + 1 :], f"byte {at} is {value}"
    if kind == "cut":
        return content[:at], f"cut to {at} bytes"
    first = at // PAGE * PAGE
    n_bytes = min(PAGE, len(content) - first)
    page = bytes([255 if kind == "ones" else 0]) * n_bytes
    return content[:first] + page + content[first + n_bytes :], f"{kind} from byte {first} on"


def _exchanged(content: bytes, at: int, other: int, n_bytes: int = 64) -> bytes:
    first, second = sorted((at, other))
    n = min(n_bytes, second - first, len(content) - second)
    one, two = content[first : first + n], content[second : second + n]
    return content[:first] + two + content[first + n : second] + one + content[second + n :]
