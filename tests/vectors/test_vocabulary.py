import pytest

from isogloss.errors import InputError
from isogloss.vectors import Vocabulary


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.of(
        ["tokyo", "beer", "1984"],
        ["Tokyo", "New York City", "1984", "東京大学"],
        word_counts=[9, 8, 7],
        entity_counts=[50, 40, 30, 20],
        redirects={"Big Apple": "New York City", "Old Village": "Village", "X": "nowhere"},
        rare_words={"bier": 1},
        rare_entities={"Village": 3, "Hamlet": 0},
        min_word_count=5,
        min_entity_count=5,
    )


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("tokyo", "tokyo"),
        ("Tokyo", "ENTITY/Tokyo"),
        ("Beer", "beer"),
        ("ENTITY/Tokyo", "ENTITY/Tokyo"),
        ("New York City", "ENTITY/New York City"),
        ("ENTITY/New_York_City", "ENTITY/New York City"),
        ("new_York  City", "ENTITY/New York City"),
        ("Big Apple", "ENTITY/New York City"),
        ("https://en.wikipedia.org/wiki/New_York_City#History", "ENTITY/New York City"),
        ("https://en.wikipedia.org/w/index.php?title=Big_Apple&oldid=1", "ENTITY/New York City"),
        ("ja.wikipedia.org/wiki/%E6%9D%B1%E4%BA%AC%E5%A4%A7%E5%AD%A6", "ENTITY/東京大学"),
        ("1984", "1984"),
        ("ENTITY/1984", "ENTITY/1984"),
    ],
)
def test_what_is_found(vocabulary: Vocabulary, name: str, label: str) -> None:
    found = vocabulary.row(name)
    assert found.label == label
    assert vocabulary.name_of_row(found.row) == label


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Village", ["no vector for 'Village': it is a title, which is linked 3 times, below the "
                     "minimum count of 5"]),
        ("Hamlet", ["linked 0 times"]),
        ("Old_Village", ["it redirects to 'Village', which is linked 3 times, below the minimum"]),
        ("bier", ["the word occurs 1 time, below the minimum count of 5", "'beer'"]),
        ("New York Citi", ["it is not in the dump: no page or redirect has this title, unless it "
                           "is a disambiguation page, and no text has the word; the closest are "
                           "'ENTITY/New York City'"]),
        ("ENTITY/bier", ["not in the dump: no page or redirect has this title, unless"]),
        ("X", ["not in the dump"]),
        ("ENTITY/Vilage", ["not in the dump", "; below the minimum count are 'ENTITY/Village'"]),
        ("biers", ["the closest are 'beer'", "; below the minimum count are 'bier'"]),
        ("ENTITY/Big Aple", ["; the closest are 'ENTITY/Big Apple'"]),
        ("zzzzzz", ["nothing is spelt like it"]),
    ],
)  # fmt: skip
def test_why_there_is_no_vector(vocabulary: Vocabulary, name: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        vocabulary.row(name)
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_name_is_not_close_to_itself(vocabulary: Vocabulary) -> None:
    for name in ("ENTITY/village", "Bier"):
        with pytest.raises(InputError) as caught:
            vocabulary.row(name)
        assert "below the minimum count are" not in str(caught.value)


def test_a_file_that_does_not_say_what_it_left_out() -> None:
    with pytest.raises(InputError, match="not in the file, which does not say what was left out"):
        Vocabulary.of(["beer"], ["Tokyo"]).row("bear")


def test_many_titles_at_once(vocabulary: Vocabulary) -> None:
    titles = ["Big Apple", "Tokyo", "Village", "Old Village", "big apple"]
    assert vocabulary.find_entities(titles).tolist() == [1, 0, -1, -1, -1]


def test_counts_must_fit() -> None:
    with pytest.raises(InputError, match="1 counts do not fit 2 names"):
        Vocabulary.of(["a", "b"], word_counts=[1])
