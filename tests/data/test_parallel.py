"""Parallel text from files and lists."""

from pathlib import Path

import pytest

from isogloss.data.parallel import parallel_texts, read_parallel
from isogloss.errors import InputError
from isogloss.text.languages import LanguageFile


def files(folder: Path, **texts: str) -> list[LanguageFile]:
    made = []
    for lang, text in texts.items():
        path = folder / f"{lang}.{'tsv' if chr(9) in text else 'txt'}"
        path.write_text(text, encoding="utf-8")
        made.append(LanguageFile(lang, path))
    return made


def test_rows_stay_together(tmp_path: Path) -> None:
    read = read_parallel(files(tmp_path, en="one\ntwo\nthree\n", ja="一\n二\n三\n"))
    assert read.texts == {"en": ["one", "two", "three"], "ja": ["一", "二", "三"]}
    assert (read.langs, read.n_sentences) == (["en", "ja"], 3)


def test_empty_and_repeated_rows_are_left_out_of_all_languages() -> None:
    read = parallel_texts(
        {
            "en": ["one", "two", " two ", "", "five", "six", "seven"],
            "ar": ["واحد", "اثنان", "اثنين", "أربعة", " \t", "اثنان", "سبعة"],
        }
    )
    assert read.texts == {"en": ["one", "two", "seven"], "ar": ["واحد", "اثنان", "سبعة"]}
    assert (read.n_empty, read.n_repeated) == (2, 2)


def test_a_row_that_is_left_out_makes_no_other_a_repetition() -> None:
    read = parallel_texts({"en": ["one", "one", "two"], "de": ["", "eins", "zwei"]})
    assert read.texts["de"] == ["eins", "zwei"]


def test_sentences_are_drawn_together_and_by_the_seed() -> None:
    whole = parallel_texts({"en": [f"e{i}" for i in range(50)], "de": [f"d{i}" for i in range(50)]})
    some = whole.drawn(9, seed=1)
    assert [text[1:] for text in some.texts["en"]] == [text[1:] for text in some.texts["de"]]
    assert some.n_sentences == len(set(some.texts["en"])) == 9
    assert some == whole.drawn(9, seed=1) != whole.drawn(9, seed=2)
    assert whole.drawn(50, seed=1) is whole


def test_unequal_numbers_of_rows_name_both_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"de\.txt: has 1 texts, .*en\.txt has 2") as error:
        read_parallel(files(tmp_path, en="one\ntwo\n", fr="un\ndeux\n", de="eins\n"))
    assert error.value.path == str(tmp_path / "de.txt")
    with pytest.raises(InputError, match="not en 2, de 1"):
        parallel_texts({"en": ["a", "b"], "de": ["c"]})


def test_ids_that_differ_are_found(tmp_path: Path) -> None:
    same = files(tmp_path, en="index_id\ttext\n7\tone\n8\ttwo\n", de="id\ttext\n7\teins\n8\tzwei\n")
    assert read_parallel(same).n_sentences == 2
    other = files(tmp_path, en="id\ttext\n7\tone\n8\ttwo\n", de="id\ttext\n7\teins\n9\tzwei\n")
    with pytest.raises(InputError, match=r"de\.tsv:3: the id is 9, .*en\.tsv is 8"):
        read_parallel(other)


def test_ids_that_differ_are_found_where_the_first_file_has_none(tmp_path: Path) -> None:
    given = files(tmp_path, en="one\ntwo\n", de="id\ttext\n7\teins\n8\tzwei\n",
                  fr="id\ttext\n7\tun\n9\tdeux\n")  # fmt: skip
    with pytest.raises(InputError, match=r"fr\.tsv:3: the id is 9, .*de\.tsv is 8"):
        read_parallel(given)
    assert read_parallel(given[:2]).n_sentences == 2


def test_two_languages_once_each(tmp_path: Path) -> None:
    (one,) = files(tmp_path, en="one\n")
    with pytest.raises(InputError, match="two languages or more"):
        read_parallel([one])
    with pytest.raises(InputError, match="language en is given twice"):
        read_parallel([one, one])
