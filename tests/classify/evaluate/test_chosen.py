"""Documents that teach: of which kind, in which order, and none twice."""

import numpy as np

from isogloss.classify.evaluate.chosen import (
    BETTER,
    N_OF_KIND,
    UNSURE,
    WORSE,
    WRONG,
    chosen_documents,
)
from isogloss.classify.evaluate.evaluated import EvaluatedTexts, Evaluation


def evaluated(*texts, ids=None, has_confidence=True):
    """Take (language, is right, was right without entities, confidence) of each text."""
    langs = list(dict.fromkeys(lang for lang, *_ in texts))
    rows = {lang: [at for at, one in enumerate(texts) if one[0] == lang] for lang in langs}

    def column(place, lang):
        return np.array([texts[at][place] for at in rows[lang]])

    return Evaluation(
        rows=[], mean={}, correct={lang: column(1, lang) for lang in langs}, answers={},
        confidence={lang: column(3, lang) for lang in langs} if has_confidence else {},
        texts={lang: EvaluatedTexts(
            np.array(rows[lang]), [], ids and [ids[at] for at in rows[lang]],
            None if column(2, lang)[0] is None else column(2, lang).astype(bool),
        ) for lang in langs},
    )  # fmt: skip


def shown(evaluation):
    return {
        kind: [tuple(one) for one in some] for kind, some in chosen_documents(evaluation).items()
    }


def test_each_kind_has_its_own_documents():
    evaluation = evaluated(
        ("ja", False, False, 0.9), ("ja", True, False, 0.8), ("th", False, True, 0.7),
        ("th", True, True, 0.4), ("ar", True, True, 0.99),
    )  # fmt: skip
    found = shown(evaluation)
    assert found == {
        WRONG: [("ja", 0)], BETTER: [("ja", 1)], WORSE: [("th", 0)],
        UNSURE: [("th", 1), ("ar", 0)],
    }  # fmt: skip


def test_the_surest_mistakes_come_first_each_of_another_language():
    texts = [("ja", False, False, 0.9), ("ja", False, False, 0.99), ("ja", False, False, 0.8),
             ("th", False, False, 0.5), ("ar", False, False, 0.6)]  # fmt: skip
    assert shown(evaluated(*texts))[WRONG] == [("ja", 1), ("ar", 0), ("th", 0)]
    assert shown(evaluated(*texts[:4]))[WRONG] == [("ja", 1), ("th", 0), ("ja", 0)]
    assert len(shown(evaluated(*texts))[WRONG]) == N_OF_KIND


def test_translations_of_a_document_are_shown_once():
    texts = [("ja", False, False, 0.9), ("th", False, False, 0.8), ("ar", False, False, 0.7)]
    found = shown(evaluated(*texts, ids=["one", "one", "two"]))
    assert found == {WRONG: [("ja", 0), ("ar", 0)]}


def test_without_entities_nothing_was_changed_by_them():
    found = shown(evaluated(("ja", False, None, 0.9), ("ja", True, None, 0.3)))
    assert list(found) == [WRONG, UNSURE]


def test_label_sets_have_no_unsure_documents():
    texts = [("ja", False, False, 0.0), ("ja", True, False, 0.0), ("ja", True, True, 0.0)]
    found = shown(evaluated(*texts, has_confidence=False))
    assert found == {WRONG: [("ja", 0)], BETTER: [("ja", 1)]}
