"""Where tables are printed: a terminal of any width, or a pipe that should not wrap them."""

from rich.console import Console

WIDTH_OF_PIPE = 240


def console() -> Console:
    """Return a console on standard output."""
    printed = Console()
    return printed if printed.is_terminal else Console(width=WIDTH_OF_PIPE)
