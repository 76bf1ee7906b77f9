"""Know a disambiguation page by its templates, where the wiki's table `page_props` is not given.

The names are in ``disambiguation_templates.txt``; short as they are, other wikis use some of them
for other things, hence a list for each language.
"""

from functools import cache
from importlib.resources import files

_ANYWHERE = "*"
_FAMILY = ("disambig", "disamb")


class DisambiguationTemplates:
    r"""Say which templates mark a disambiguation page in the Wikipedia of a code such as ``"de"``.

    Examples
    --------
    >>> marks = DisambiguationTemplates("de")
    >>> [marks(name) for name in (b"Begriffskl\xc3\xa4rung", b"disambiguation_page", b"Zitat")]
    [True, True, False]
    """

    def __init__(self, code: str) -> None:
        names = _table()
        self._names = names[_ANYWHERE] | names.get(code, frozenset())
        self._known: dict[bytes, bool] = {}

    def __call__(self, name: bytes) -> bool:
        """Whether a template of this name, UTF-8, marks the page that it is in."""
        if name not in self._known:
            text = " ".join(name.decode("utf-8", "replace").replace("_", " ").split()).casefold()
            text = text.rpartition(":")[2].strip()
            self._known[name] = text in self._names or text.startswith(_FAMILY)
        return self._known[name]


@cache
def _table() -> dict[str, frozenset[str]]:
    text = (files("isogloss.wiki") / "disambiguation_templates.txt").read_text(encoding="utf-8")
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            code, _, names = line.partition(":")
            found[code] = frozenset(name.casefold() for name in names.strip().split("|"))
    return found
