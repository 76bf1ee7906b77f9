"""Published figures beside measured ones, labelled as such: Tatoeba by language, BUCC 2018.

The figures are in ``published.json``, each with its source; none is there that was not checked.
Those of Tatoeba are accuracies from the other language to English, so `to_en` is what they stand
beside.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from isogloss.errors import InputError
from isogloss.retrieve.scored import Scored
from isogloss.storage.json_files import parse_json
from isogloss.text.languages import parse_language

LASER_LABSE = "112 languages"  # of the papers on LASER and LaBSE
# Of multilingual-e5-small, from XLM-R (Conneau et al. 2020), as its model card lists them.
_XLMR = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he "
    "hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om "
    "or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
SEEN = {"bundled": frozenset(_XLMR.split())}  # by the encoder that others were made from


def column(model: str) -> str:
    """Return the name of a column of published figures."""
    return f"{model} (published)"


def of_paper(model: str) -> str:
    """Return the name of a column of means as a paper has them."""
    return f"{model} (published, paper)"


def languages_of_the_papers() -> frozenset[str]:
    """Return the 112 languages of Tatoeba, by the codes of its files."""
    return frozenset(_figures()["tatoeba"][0]["values"])


def sources(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for the source of each published figure that rows show."""
    shown = {name for row in rows for name, value in row.items() if value is not None}
    found = _figures()
    named = [(column(one["model"]), one) for name in ("tatoeba", "bucc_training")
             for one in found[name]]  # fmt: skip
    named += [(of_paper(one["model"]), one) for one in found["tatoeba_means"]]
    said = (f"{name}: {one['source']}." for name, one in named if name in shown)
    return list(dict.fromkeys(said))


def with_published_tatoeba(found: Scored) -> Scored:
    """Return the scores of Tatoeba with published accuracies (other language to English) beside.

    A mean is over the same languages as ours; it is missing where one of them has no figure.
    """
    rows, means = ([dict(row) for row in some] for some in (found.rows, found.means))
    for one in _figures()["tatoeba"]:
        values: Mapping[str, float] = one["values"]
        for row in rows:
            row[column(one["model"])] = values.get(row["lang"])
        for row in means:
            langs = found.groups[row["group"]]
            is_whole = all(lang in values for lang in langs)
            row[column(one["model"])] = (
                float(np.mean([values[lang] for lang in langs])) if is_whole else None
            )
    for one in _figures()["tatoeba_means"]:
        for row in means:
            if row["group"] == one["group"]:
                row[of_paper(one["model"])] = one["value"]
    return replace(found, rows=rows, means=means)


def with_published_bucc(found: Scored) -> Scored:
    """Return the scores of BUCC with published ones beside those of the training split."""
    rows = [dict(row) for row in found.rows]
    for one in _figures()["bucc_training"]:
        for row in rows:
            is_alike = row["split"] == "training"
            row[column(one["model"])] = one["values"].get(row["lang"]) if is_alike else None
    return replace(found, rows=rows)


def unseen(langs: Sequence[str], seen: Collection[str]) -> list[str]:
    """Return the languages that are none of those seen in training, however they are spelt."""
    known = {_spelt(lang) for lang in seen}
    return [lang for lang in langs if _spelt(lang) not in known]


def _spelt(lang: str) -> str:
    try:
        return parse_language(lang)
    except InputError:  # a code of Tatoeba alone
        return lang


@cache
def _figures() -> dict[str, Any]:
    file = resources.files("isogloss.retrieve") / "published.json"
    found: dict[str, Any] = parse_json(file.read_bytes())
    return found
