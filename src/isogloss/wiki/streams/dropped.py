"""What could not be read of a dump or table: counted, never swallowed."""

from collections import Counter
from dataclasses import dataclass, field

from isogloss.errors import counted


@dataclass
class Dropped:
    """Count what could not be read of a dump or table; falsy when nothing was lost.

    Parameters
    ----------
    n_streams
        Compressed streams that are cut off or damaged.
    n_bytes
        Bytes of the file that could not be decompressed.
    ends_early
        Whether the end of the dump or table is missing.
    pages
        Reason -> pages.
    n_rows
        Rows of an SQL table.
    """

    n_streams: int = 0
    n_bytes: int = 0
    ends_early: bool = False
    pages: Counter[str] = field(default_factory=Counter)
    n_rows: int = 0

    def __bool__(self) -> bool:
        return bool(
            self.n_streams or self.n_bytes or self.ends_early or self.pages.total() or self.n_rows
        )

    def __str__(self) -> str:
        """Say what was lost, as the predicate of a sentence about the file."""
        parts = []
        if self.pages.total():
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(self.pages.items()))
            parts.append(f"{counted(self.pages.total(), 'page')} ({reasons})")
        if self.n_rows:
            parts.append(counted(self.n_rows, "row"))
        if self.n_streams or self.n_bytes:
            parts.append(
                f"{counted(self.n_streams, 'compressed stream')} cut off or damaged "
                f"({counted(self.n_bytes, 'byte')} unread)"
            )
        if self.ends_early:
            parts.append("the end of the file is missing")
        return "lost: " + "; ".join(parts) if parts else "nothing lost"
