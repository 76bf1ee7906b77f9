"""Schemes are found, kept to and exchanged; errors say what and where."""

import itertools
import random

import numpy as np
import pytest
from tag_sequences import legal_tags

from isogloss.errors import InputError
from isogloss.tag.schemes import (
    SCHEMES,
    EntitySpan,
    Place,
    Scheme,
    allowed_transitions,
    check_tags,
    found_scheme,
    in_scheme,
    spans_of,
    tags_of,
)

EXAMPLE: dict[Scheme, str] = {
    "IOB1": "I-PER I-PER B-PER O I-LOC I-PER",
    "IOB2": "B-PER I-PER B-PER O B-LOC B-PER",
    "BIOES": "B-PER E-PER S-PER O S-LOC S-PER",
    "BILOU": "B-PER L-PER U-PER O U-LOC U-PER",
}
SPANS = [
    EntitySpan(0, 2, "PER"),
    EntitySpan(2, 3, "PER"),
    EntitySpan(4, 5, "LOC"),
    EntitySpan(5, 6, "PER"),
]


def place(sentence: int, word: int) -> Place:
    return Place("zh.conll", 100 * (sentence + 1) + word)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_sentence_in_four_schemes(scheme: Scheme) -> None:
    tags = EXAMPLE[scheme].split()
    assert found_scheme([["O"], [], tags]) == scheme
    assert spans_of(tags, scheme) == spans_of(tags, scheme, reading="conll") == SPANS
    assert tags_of(SPANS, 6, scheme) == tags
    for other in SCHEMES:
        assert in_scheme(tags, scheme, other) == EXAMPLE[other].split()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_random_tags_are_found_and_come_back_from_every_scheme(scheme: Scheme) -> None:
    sentences = legal_tags(random.Random(1), scheme, n_sentences=200)
    assert found_scheme(sentences) == scheme
    for tags in sentences:
        if any(tag != "O" for tag in tags):
            assert found_scheme([tags]) == scheme, tags  # of one sentence too
        assert spans_of(tags, scheme) == spans_of(tags, scheme, reading="conll")
        for other in SCHEMES:
            assert in_scheme(in_scheme(tags, scheme, other), other, scheme) == tags


def test_a_type_may_have_hyphens_and_other_scripts() -> None:
    assert spans_of(["B-地名-区", "I-地名-区"], "IOB2") == [EntitySpan(0, 2, "地名-区")]


@pytest.mark.parametrize("sentences", [[], [[]], [["O", "O"], ["O"]]])
def test_without_entities_the_scheme_is_iob2(sentences: list[list[str]]) -> None:
    assert found_scheme(sentences) == "IOB2"


@pytest.mark.parametrize("first", ["O", None])
def test_i_after_o_is_an_error_in_iob2_only(first: str | None) -> None:
    tags = ["I-PER", "O"] if first is None else [first, "I-PER", "O"]
    assert found_scheme([tags]) == "IOB1"
    check_tags([tags], "IOB1", where=place)
    after = "at the beginning of a sentence" if first is None else "after O"
    line = 200 if first is None else 201
    with pytest.raises(InputError) as caught:
        check_tags([["O"], tags], "IOB2", where=place)
    assert str(caught.value) == (
        f"zh.conll:{line}: I-PER {after} is not IOB2, where every entity begins with B-; correct "
        "the tag, or name another scheme"
    )


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (
            [["B-LOC", "O"], ["O", "I-PER"]],
            "zh.conll:201: I-PER after O is not IOB2 and B-LOC at the beginning of a sentence is "
            "not IOB1 (zh.conll:100); all tags must keep to one scheme",
        ),
        (
            [["B-LOC", "E-LOC"], ["B-LOC", "L-LOC"]],
            "zh.conll:201: L-LOC after B-LOC is not BIOES and E-LOC after B-LOC is not BILOU "
            "(zh.conll:101); all tags must keep to one scheme",
        ),
        (
            [["B-LOC", "E-LOC", "B-LOC"]],
            "zh.conll:102: B-LOC at the end of a sentence is not BIOES, where an entity is S-, or "
            "B-, any I- and E- of one type; all tags must keep to one scheme",
        ),
    ],
)
def test_mixed_schemes_are_refused_with_both_places(
    sentences: list[list[str]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        found_scheme(sentences, where=place)
    assert str(caught.value) == message


@pytest.mark.parametrize("tag", ["NOUN", "PER", "", "B-", "-PER", "X-PER", "BI-PER", "b-PER", "_"])
def test_a_tag_without_prefix_is_refused_with_its_place(tag: str) -> None:
    for check in (found_scheme, lambda tags, where: check_tags(tags, "IOB2", where=where)):
        with pytest.raises(InputError, match="has no prefix; a tag of entities is O, or") as caught:
            check([["O", "O"], ["B-PER", tag]], where=place)
        assert str(caught.value).startswith(f"zh.conll:201: tag '{tag}' has no prefix")
    with pytest.raises(InputError, match="has no prefix"):
        spans_of([tag], "IOB2")


def test_without_a_file_errors_name_sentence_and_word() -> None:
    with pytest.raises(InputError, match=r"^sentence 2, word 1: E-PER at the beginning"):
        check_tags([["O"], ["E-PER"]], "BIOES")


def test_a_prefix_of_another_scheme_is_refused() -> None:
    for refused in (spans_of, allowed_transitions):
        with pytest.raises(InputError, match="'S-PER' has a prefix that BILOU lacks"):
            refused(["U-PER", "S-PER"], "BILOU")
    with pytest.raises(InputError, match="S-PER after U-PER is not BILOU"):
        check_tags([["U-PER", "S-PER"]], "BILOU")
    with pytest.raises(InputError, match="I-PER at the beginning of a sentence is not IOB2"):
        in_scheme(["I-PER"], "IOB2", "BIOES")


@pytest.mark.parametrize(
    "spans", [[(1, 1)], [(0, 2), (1, 3)], [(2, 3), (0, 1)], [(2, 4)], [(-1, 1)]]
)
def test_spans_that_no_sentence_has_are_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="in a sentence of 3 words"):
        tags_of([EntitySpan(*ends, "PER") for ends in spans], 3, "IOB2")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_allowed_transitions_let_through_what_the_check_does(scheme: Scheme) -> None:
    """Over all sequences of up to three tags of two types."""
    prefixes = {"IOB1": "BI", "IOB2": "BI", "BIOES": "BIES", "BILOU": "BILU"}[scheme]
    names = ["O", *(f"{prefix}-{kind}" for kind in "XY" for prefix in prefixes)]
    allowed = allowed_transitions(names, scheme)
    n_kept = 0
    for length in (1, 2, 3):
        for path in itertools.product(range(len(names)), repeat=length):
            fits = allowed.start[path[0]] and allowed.end[path[-1]]
            fits = fits and all(allowed.between[pair] for pair in itertools.pairwise(path))
            try:
                check_tags([[names[tag] for tag in path]], scheme)
            except InputError:
                assert not fits, path
            else:
                assert fits, path
                n_kept += 1
    # Entities of one to three words, and what stands between them: the same in every scheme.
    assert n_kept == 3 + 11 + 41
    assert allowed.between.dtype == np.bool_
