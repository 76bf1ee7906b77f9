"""``isogloss mine``: sentence pairs out of texts of two languages, and what is worth keeping."""

from isogloss.cli.mine.commands import app

__all__ = ["app"]
