"""Tell when a file says of itself that it is of another wiki than the one it was given for."""

import re
from pathlib import Path

from isogloss.errors import warn_omitted
from isogloss.wiki.site import code_of_wikipedia, language_prefixes

# The database of a project of Wikimedia: a language, or what stands in its place, and the project.
_DATABASE = re.compile(
    "(?P<code>[a-z_]+)"
    "(?P<project>wiki|wiktionary|wikibooks|wikinews|wikiquote|wikisource|wikiversity|wikivoyage)"
)
_WITHOUT_LANGUAGE = frozenset({"commons", "wikidata", "species", "meta", "mediawiki"})


def warn_of_other_wiki(path: Path, code: str, database: str) -> None:
    """Warn when a file's database is that of another wiki of Wikimedia.

    Other databases say nothing: one's own wiki is named as one likes.

    Parameters
    ----------
    code
        Of the Wikipedia that the file is given for: ``"ja"``.
    database
        Its name in the file, ``"jawiki"``; empty when there is none.
    """
    found = _DATABASE.fullmatch(database)
    if found is None:
        return
    of = found["code"].replace("_", "-")
    if found["project"] == "wiki" and code_of_wikipedia(of) == code_of_wikipedia(code):
        return
    if of in language_prefixes() or of in _WITHOUT_LANGUAGE:
        warn_omitted(
            f"{path}: it says that it is {database}, and is read as the Wikipedia '{code}'"
        )
