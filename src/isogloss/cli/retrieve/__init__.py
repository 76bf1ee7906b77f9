"""``isogloss retrieve``: search in texts of any languages, and how well translations are found."""

from isogloss.cli.retrieve.commands import app

__all__ = ["app"]
