import csv
import json

import pytest

from isogloss.data.demo_data import demo_names, demo_tests, demo_train
from isogloss.text.languages import parse_language, script_of


@pytest.mark.parametrize(
    ("task", "n_train", "n_test", "n_langs", "n_scripts"),
    [("topics", 240, 20, 15, 7), ("products", 24, 12, 9, 6)],
)
def test_shipped_documents_are_labelled_and_parallel(task, n_train, n_test, n_langs, n_scripts):
    train, tests = demo_train(task), demo_tests(task)
    assert len(train.texts) == n_train
    assert next(iter(tests)) == "en"
    assert len(tests) == n_langs
    assert len({script_of(lang) for lang in tests}) >= n_scripts
    for documents in tests.values():
        assert len(documents.texts) == n_test
        assert set(documents.labels) == set(train.labels)
        assert documents.ids == tests["en"].ids
        assert documents.labels == tests["en"].labels
        assert all(documents.texts)


def test_names_are_names_files():
    concepts, products = demo_names()
    with concepts.open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    assert len({record["id"] for record in records}) == len(records) > 0
    assert all(parse_language(lang) for record in records for lang in record["names"])
    with products.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["lang"] for row in rows} == set(demo_tests("products"))
    assert {row["id"].partition(":")[2] for row in rows} == set(demo_train("products").labels)
