"""A value that an option names twice is refused, in a list with commas and in a repeated option."""

import pytest
from cli_world import Refuse, World

FIT = ["classify", "fit", "--train", "en=TRAIN", "--encoder", "ENCODER", "--out", "OUT"]
BUILD = ["kb", "build", "--source", "names:NAMES", "--out", "OUT"]
GEOMETRY = ["probe", "geometry", "--text", "en=TRAIN", "--encoder", "ENCODER"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*FIT, "--text", "text,text"], "--text 'text'"),
        ([*FIT, "--text", "a", "--text", "a"], "--text 'a'"),
        ([*FIT, "--label", "a", "--label", "a"], "--label 'a'"),
        ([*FIT, "--multilabel", "--label", "a,b,a"], "--label 'a'"),
        (["encode", "TRAIN", "--text", "text,text", "--out", "a.npy"], "--text 'text'"),
        (["kb", "link", "KB", "TRAIN", "--lang", "en", "--text", "text, text"], "--text 'text'"),
        (["kb", "link", "KB", "TRAIN", "--lang", "auto:en,de,eng"],
         "'auto:en,de,eng': the language 'en'"),
        ([*BUILD, "--langs", "en,de,en"], "--langs 'en'"),
        ([*BUILD, "--langs", "en,eng"], "--langs: the language 'en'"),
        ([*BUILD, "--source", "names:NAMES"], "the source 'names:NAMES'"),
        (["classify", "compare", "--train", "en=TRAIN", "--test", "ja=TEST", "--kb", "KB", "--out",
          "OUT", "--rows", "shared,shared"], "--rows 'shared'"),
        ([*GEOMETRY, "--encoder", "ENCODER"], "--encoder 'ENCODER'"),
    ],
)  # fmt: skip
def test_the_same_value_twice(
    world: World, refuse: Refuse, words: list[str], said: str, tmp_path: object
) -> None:
    places = {
        "TRAIN": world.train, "TEST": world.japanese, "ENCODER": world.encoder, "KB": world.kb,
        "NAMES": world.names, "OUT": f"{tmp_path}/made",
    }  # fmt: skip

    def placed(word: str) -> str:
        for name, place in places.items():
            word = word.replace(name, str(place))
        return word

    sentence = refuse(*map(placed, words))
    assert sentence.endswith(f"{placed(said)} is given twice; leave one out")
