"""``--strict``: every loss becomes an error."""

import warnings

from isogloss.errors import LossWarning


def make_strict() -> None:
    """Let every `LossWarning` end the command."""
    warnings.filterwarnings("error", category=LossWarning)
