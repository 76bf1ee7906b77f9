"""Small knowledge bases for the tests of this folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_names import write_lines

from isogloss.kb import KnowledgeBase, build_knowledge_base

MakeKb = Callable[..., KnowledgeBase]


@pytest.fixture
def make_kb(tmp_path: Path) -> MakeKb:
    """Return a function: {id: {language: names}} or whole records → an open knowledge base."""

    def make(*records: dict[str, Any], **options: Any) -> KnowledgeBase:
        number = sum(1 for _ in tmp_path.glob("*.jsonl"))
        file = write_lines(tmp_path / f"names{number}.jsonl", *records)
        out = tmp_path / f"kb{number}"
        build_knowledge_base([f"names:{file}"], out, **options)
        return KnowledgeBase.open(out)

    return make


@pytest.fixture
def world(make_kb: MakeKb) -> KnowledgeBase:
    """A knowledge base with names in many scripts."""
    return make_kb(
        {
            "id": "Q1490",
            "types": ["city"],
            "names": {
                "en": ["Tokyo"], "fr": ["Tokyo"], "ja": ["東京"], "ko": ["도쿄"], "ru": ["Токио"],
                "ar": ["طوكيو"], "th": ["โตเกียว"], "hi": ["टोक्यो"], "vi": ["Đông Kinh"],
            },
        },
        {
            "id": "Q7842",
            "types": ["university", "organisation"],
            "names": {"en": ["University of Tokyo"], "ja": ["東京大学", "東大"],
                      "zh": ["东京大学"]},
        },
        {
            "id": "Q183",
            "names": {"en": ["Germany"], "fr": ["Allemagne"], "ar": ["ألمانيا"], "he": ["גֶּרְמַנְיָה"],
                      "tr": ["Almanya"], "ja": ["ドイツ"], "sw": ["Ujerumani"], "ka": ["გერმანია"]},
        },
        {"id": "Q5", "names": {"ja": ["人間"], "zh": ["人类"]}},
        {"id": "x:sun", "names": {"en": ["sun", "☀"], "de": ["Sonne"], "am": ["ፀሐይ"]}},
    )  # fmt: skip
