"""The commands of `isogloss classify`."""

from isogloss.cli.classify.commands import app

__all__ = ["app"]
