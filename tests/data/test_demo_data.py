import json

from isogloss.data.demo_data import demo_concepts_path, demo_tests, demo_train
from isogloss.text.languages import parse_language, script_of


def test_shipped_documents_are_labelled_and_parallel():
    train, tests = demo_train(), demo_tests()
    assert len(train.texts) >= 200
    assert next(iter(tests)) == "en"
    assert len(tests) >= 12
    assert len({script_of(lang) for lang in tests}) >= 7
    for documents in tests.values():
        assert len(documents.texts) == 20
        assert set(documents.labels) <= set(train.labels)
        assert documents.ids == tests["en"].ids
        assert all(documents.texts)


def test_concepts_are_a_names_file():
    with demo_concepts_path().open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    assert len({record["id"] for record in records}) == len(records) > 0
    assert all(parse_language(lang) for record in records for lang in record["names"])
