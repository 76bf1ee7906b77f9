"""The rule of the language: texts that the identifier takes for another one than is said."""

from collections.abc import Sequence

from isogloss.text.detect import detect_languages, detectable_languages
from isogloss.text.languages import parse_language

MIN_CONFIDENCE = 0.9  # a wrong removal costs more than a text that stays
MIN_LETTERS = 15
# The identifier mistakes these for each other; nothing is removed for that.
_NEAR = tuple(
    frozenset(langs.split())
    for langs in (
        "id ms jv", "bs hr sr sh sl", "nb nn da no sv", "cs sk", "es gl pt ca an ast", "af nl fy",
        "hi mr ne", "ar fa ur ps ug", "ru uk be bg mk", "az tr tk uz", "kk ky mn tg", "xh zu ss nr",
        "tn st nso", "bn as", "ga gd", "et fi", "zh yue ja",
    )
)  # fmt: skip


class LanguageRule:
    """Removes rows of which a text is surely in another language than its column's.

    Parameters
    ----------
    langs
        Language of each column.

    Attributes
    ----------
    n_unknown
        Rows that were not judged, as the identifier does not know a language of theirs.
    """

    def __init__(self, langs: Sequence[str]) -> None:
        self._langs = [parse_language(lang).split("-")[0] for lang in langs]
        known = {lang.split("-")[0] for lang in detectable_languages()}
        self.is_known = known.issuperset(self._langs)
        self.n_unknown = 0

    def removes(self, *columns: Sequence[str]) -> list[bool]:
        """Return whether each row is removed."""
        if not self.is_known:
            self.n_unknown += len(columns[0])
            return [False] * len(columns[0])
        other = [
            [_is_other(found, lang) for found in self._found(texts)]
            for texts, lang in zip(columns, self._langs, strict=True)
        ]
        return [any(row) for row in zip(*other, strict=True)]

    def _found(self, texts: Sequence[str]) -> list[str | None]:
        return detect_languages(texts, min_confidence=MIN_CONFIDENCE, min_letters=MIN_LETTERS)


def _is_other(found: str | None, lang: str) -> bool:
    if found is None:
        return False
    plain = found.split("-")[0]
    return plain != lang and not any({plain, lang} <= near for near in _NEAR)
