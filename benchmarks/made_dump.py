"""Make a large dump of a Wikipedia from a small real one, with new titles, names and words.

Each replica writes its words with other letters: vowels for vowels, consonants for consonants, by a
permutation of its own. Only the most frequent words stay, and what is markup: templates' and
parameters' names, tags, addresses, prefixes, options of files. So titles, names and the vocabulary
grow with the dump, and the wikitext is as real as it was.

In a part of a wiki most links lead to no page. So each title that is linked to twice gets a page of
some sentences, drawn at random from the real ones.
"""

import bz2
import html
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

N_KEPT = 300  # most frequent words, which are the same in all replicas
PAGES_A_STREAM = 100  # as in multistream dumps
SENTENCES = 12  # of a page that is made, at most

_PAGE = re.compile(r"  <page>.*?</page>\n", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>|<redirect title=\"(.*?)\" />")
_TEXT = re.compile(r"(<text[^>]*>)(.*?)(</text>)", re.DOTALL)
_LINK = re.compile(r"\[\[([^|\[\]{}<>#:]+)")
_WORD = re.compile(r"[A-Za-z]{3,}")
_MARKUP = re.compile(
    r"&lt;.*?&gt;"  # tags and comments
    r"|&[#\w]+;"
    r"|https?://[^\s|\]}]+"
    r"|\{\{[^|{}\n]*"  # a template's name
    r"|\|[\w \-]*="  # a parameter's
    r"|\[\[:?(?:File|Image|Category|Wikipedia|wikt|[a-z]{2,3}(?:-[a-z]+)?):"
    r"|\|(?:thumb|thumbnail|frame|border|left|right|center|none|upright|\d+px)(?=[|\]])"
    r"|__[A-Z]+__",
    re.DOTALL,
)
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"


def make_dump(real: Path, out: Path, n_bytes: int) -> dict[str, int]:
    """Write a multistream dump of at least so many bytes of XML; return its pages and bytes."""
    source = bz2.decompress(real.read_bytes()).decode()
    head = source[: source.index("  <page>")]
    pages = _PAGE.findall(source)
    texts = [found[2] for page in pages for found in _TEXT.finditer(page)]
    kept = most_frequent(texts)
    made = {"pages": 0, "bytes": len(head)}
    seen: set[str] = set()  # titles of kept words, such as years, are in one replica alone
    with out.open("wb") as file:
        file.write(bz2.compress(head.encode()))
        replica = 0
        while made["bytes"] < n_bytes:
            stream = list(pages_of_replica(pages, texts, kept, replica, seen))
            for first in range(0, len(stream), PAGES_A_STREAM):
                block = "".join(stream[first : first + PAGES_A_STREAM]).encode()
                file.write(bz2.compress(block))
                made["bytes"] += len(block)
            made["pages"] += len(stream)
            replica += 1
        file.write(bz2.compress(b"</mediawiki>\n"))
    return made


def most_frequent(texts: list[str]) -> frozenset[str]:
    """Return the words, in small letters, that stay."""
    words = Counter(word.lower() for text in texts for word in _WORD.findall(text))
    return frozenset(word for word, _ in words.most_common(N_KEPT))


def pages_of_replica(
    pages: list[str], texts: list[str], kept: frozenset[str], replica: int, seen: set[str]
) -> Iterator[str]:
    """Yield the pages of a replica: the real ones, and one for each title linked to twice.

    Parameters
    ----------
    seen
        Titles of the replicas before, which are left out; those of this one are added.
    """
    rng = random.Random(replica)
    cipher = cipher_of(rng)

    def new(text: str) -> str:
        return "".join(
            piece if is_markup else _WORD.sub(lambda word: _new_word(word[0], cipher, kept), piece)
            for piece, is_markup in tokens_of(text)
        )

    titles = set()
    for page in pages:
        titles.update(title for found in _TITLE.findall(page) for title in found)
        page = _TITLE.sub(lambda found: _with_title(found, new), page)
        title = _TITLE.search(page)[1]
        if title in seen:
            continue
        seen.add(title)
        yield _TEXT.sub(lambda found: found[1] + new(found[2]) + found[3], page)
    linked = Counter(link[:1].upper() + link[1:] for text in texts for link in _LINK.findall(text))
    sentences = [s for text in texts for s in re.findall(r"(?<=\. )[A-Z][^\n{}]{20,600}?\. ", text)]
    for number, (title, n_links) in enumerate(sorted(linked.items())):
        made = new(title)
        if n_links > 1 and title not in titles and made not in seen:
            seen.add(made)
            text = "".join(rng.choices(sentences, k=rng.randint(1, SENTENCES)))
            yield (
                f"  <page>\n    <title>{made}</title>\n    <ns>0</ns>\n"
                f"    <id>{(replica + 1) * 1_000_000 + number}</id>\n    <revision>\n"
                f'      <text xml:space="preserve">{new(text)}</text>\n'
                "    </revision>\n  </page>\n"
            )


def cipher_of(rng: random.Random) -> dict[int, int]:
    """Return a permutation of the letters that keeps vowels and consonants apart."""
    letters: dict[str, str] = {}
    for group in (_VOWELS, _CONSONANTS):
        letters.update(zip(group, rng.sample(group, len(group)), strict=True))
    letters.update({a.upper(): b.upper() for a, b in letters.items()})
    return str.maketrans(letters)


def tokens_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces, each with whether it is markup."""
    at = 0
    for found in _MARKUP.finditer(text):
        yield text[at : found.start()], False
        yield found[0], True
        at = found.end()
    yield text[at:], False


def _new_word(word: str, cipher: dict[int, int], kept: frozenset[str]) -> str:
    return word if word.lower() in kept else word.translate(cipher)


def _with_title(found: re.Match[str], new: Callable[[str], str]) -> str:
    title = html.unescape(found[1] or found[2])
    written = html.escape(new(title))
    return f"<title>{written}</title>" if found[1] else f'<redirect title="{written}" />'
