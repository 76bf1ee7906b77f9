"""Tiny data sets of the papers in their published layouts, all made here by hand.

`write_all` makes a folder as ``reproduce --data`` takes it. No sentence is of the data sets. Sizes
are small, so that every file is told from the published one; words repeat, so that a classifier and
a tagger learn something.
"""

import json
import random
from pathlib import Path

from written_wals import write_wals

from isogloss.reproduce.data import DATA_SETS, DataSet, PublishedFile

NAMES = {
    "es": ("Ana", "Lima", "Banco"), "nl": ("Jan", "Gent", "Bank"), "en": ("Ann", "York", "Corp"),
    "de": ("Jörg", "Köln", "Werk"),
}  # fmt: skip
VERBS = {"es": "visitó ayer", "nl": "bezocht gisteren", "en": "saw today", "de": "besuchte gestern"}
TOPICS = {
    "CCAT": "company shares firm", "ECAT": "inflation budget trade",
    "GCAT": "election minister vote", "MCAT": "market bonds yield",
}  # fmt: skip
N_SENTENCES = 12


def write_all(data: Path) -> Path:
    """Write every data set into a folder, and return it."""
    for data_set in DATA_SETS:
        write_one(data, data_set.folder)
    return data


def write_one(data: Path, folder: str) -> Path:
    """Write a data set, by the name of its folder, and return that folder."""
    known = next(one for one in DATA_SETS if one.folder == folder)
    home = data / folder
    for file in known.files:
        path = home / file.names[0].replace("*", "20190121-")
        path.parent.mkdir(parents=True, exist_ok=True)
        _WRITERS[folder](path, file, known)
    return home


def _conll(path: Path, file: PublishedFile, known: DataSet) -> None:
    """Write columns as the releases have them: two, three, four, five; latin-1."""
    drawn = random.Random(f"{file.lang} {file.split}")
    types = ("PER", "LOC", "ORG")
    is_iob1 = known.folder == "conll2003"
    lines = []
    for number in range(N_SENTENCES):
        if file.lang != "es" and number % 4 == 0:
            first = {"nl": "-DOCSTART- -DOCSTART- O", "en": "-DOCSTART- -X- O O",
                     "de": "-DOCSTART- -X- -X- -X- O"}[file.lang]  # fmt: skip
            lines += [first] if file.lang == "nl" else [first, ""]
        one, other = drawn.sample(range(3), 2)
        begin = "I" if is_iob1 else "B"
        words = [(NAMES[file.lang][one], f"{begin}-{types[one]}")]
        words += [(verb, "O") for verb in VERBS[file.lang].split()]
        words += [(NAMES[file.lang][other], f"{begin}-{types[other]}"), (".", "O")]
        between = {"es": "", "nl": " N", "en": " NNP I-NP", "de": " lemma NE I-NC"}[file.lang]
        lines += [f"{word}{between} {tag}" for word, tag in words] + [""]
    path.write_bytes("\n".join(lines).encode("latin-1") + b"\n")


def _treebank(path: Path, file: PublishedFile, known: DataSet) -> None:
    drawn = random.Random(f"{file.lang} {file.split}")
    nouns, verbs = [f"{file.lang}noun{n}" for n in range(4)], [f"{file.lang}verb{n}" for n in "ab"]
    is_verb_last = file.lang in ("hi", "ur", "ja", "eu", "fa", "ko", "mr", "ta", "te", "tr")
    lines = []
    for number in range(N_SENTENCES):
        words = [("die", "DET"), (drawn.choice(nouns), "NOUN"), (drawn.choice(verbs), "VERB"),
                 (drawn.choice(nouns), "NOUN"), (".", "PUNCT")]  # fmt: skip
        if is_verb_last:
            words[2], words[3] = words[3], words[2]
        text = " ".join(word for word, _ in words)
        lines += [f"# sent_id = {path.stem}-{number}", f"# text = {text}"]
        lines += [
            "\t".join([str(at), word, "_", tag, *["_"] * 6]) for at, (word, tag) in
            enumerate(words, 1)
        ]  # fmt: skip
        lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _news(path: Path, file: PublishedFile, known: DataSet) -> None:
    """Write as Python 3 does (``b'…'``), and English as Python 2."""
    drawn = random.Random(f"{file.lang} {file.split}")
    rows = []
    for number in range(2 * N_SENTENCES):
        label = [*TOPICS][number % 4]
        words = [drawn.choice(TOPICS[label].split()) for _ in range(6)]
        text = f"{file.lang} «it's» {' '.join(words)} No. {number}"
        rows.append(f"{label}\t{text if file.lang == 'en' else text.encode()}")
    path.write_text("\n".join(rows) + "\n", "utf-8")


def _pages(path: Path, file: PublishedFile, known: DataSet) -> None:
    types = {"1.1": "person born singer", "1.5.1.1": "city river town", "1.4.6": "company firm"}
    records: list[dict[str, object]] = []
    for page in range(N_SENTENCES):
        drawn = random.Random(f"{file.lang} {page}")
        number = [*types][page % 3]
        if file.split == "labels":
            ene = {"ENE_id": number, "ENE_name": "made up"}
            records.append({"pageid": page, "title": f"P{page}", "ENEs": [ene]})
        else:
            text = " ".join(drawn.choice(types[number].split()) for _ in range(6))
            records.append({"index": {"_type": "page", "_id": str(page)}})
            records.append({"title": f"P{page}", "text": text, "opening_text": text})
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _judged(path: Path, file: PublishedFile, known: DataSet) -> None:
    """Write pairs, every fourth without a score."""
    lines = []
    for number in range(N_SENTENCES):
        score = "" if number % 4 == 3 else f"{number % 6}.000"
        same, other = f'{file.split} "{number}" runs fast', f"{file.split} dog {number} sleeps"
        lines.append(f"{score}\t{same}\t{same.upper() if number % 6 > 2 else other}")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _sentences(n: int, lang: str) -> list[str]:
    words = ("rain", "sun", "bread", "wine")
    return [f"{'' if lang == 'eng' else lang + ' '}{number} {words[number % 4]}"
            for number in range(n)]  # fmt: skip


def _pairs(path: Path, file: PublishedFile, known: DataSet) -> None:
    path.write_text("\n".join(_sentences(4, file.lang)) + "\n", "utf-8")
    path.with_name(file.beside[0]).write_text("\n".join(_sentences(4, "eng")) + "\n", "utf-8")


def _parallel(path: Path, file: PublishedFile, known: DataSet) -> None:
    lang = "eng" if file.lang == "en" else file.lang
    path.write_text("\n".join(_sentences(N_SENTENCES, lang)) + "\n", "utf-8")


def _comparable(path: Path, file: PublishedFile, known: DataSet) -> None:
    """Write pairs of which half are translations."""
    n = N_SENTENCES
    for name, lang in zip(file.beside, (file.lang, "eng"), strict=True):
        ids = "en" if lang == "eng" else lang
        rows = [f"{ids}-{at:09}\t{text}" for at, text in enumerate(_sentences(n, lang))]
        path.with_name(name).write_text("\n".join(rows) + "\n", "utf-8")
    gold = [f"{file.lang}-{at:09}\ten-{at:09}" for at in range(0, n, 2)]
    path.write_text("\n".join(gold) + "\n", "utf-8")


def _typology(path: Path, file: PublishedFile, known: DataSet) -> None:
    """Write all tables at once, as one names what another has."""
    if not path.exists():
        write_wals(path.parent)


_WRITERS = {
    "conll2002": _conll, "conll2003": _conll, "ud": _treebank, "mldoc": _news,
    "shinra2020-ml": _pages, "sts": _judged, "tatoeba": _pairs, "bucc2018": _comparable,
    "un": _parallel, "wals": _typology,
}  # fmt: skip
