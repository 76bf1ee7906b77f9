"""`retrieve index` and `retrieve search` on the tiny encoder."""

import json
from pathlib import Path

import pytest
from cli_world import GERMAN, JAPANESE, Refuse, Run, World, write_tsv

QUERY = "football match"


@pytest.fixture
def index(cli: Run, world: World, tmp_path: Path) -> Path:
    made = cli("retrieve", "index", f"en={world.train}", f"ja={world.japanese}", "--encoder",
               world.encoder, "--out", tmp_path / "index")  # fmt: skip
    assert made.code == 0, made.err
    assert made.talk[1:3] == ["isogloss: en: 12 texts", "isogloss: ja: 4 texts"]
    assert f"index of 16 texts → {tmp_path / 'index'}" in made.err
    return tmp_path / "index"


def test_hits_have_rank_score_id_language_and_snippet(cli: Run, index: Path) -> None:
    (result,) = cli("retrieve", "search", index, QUERY, "--k", 3, "--json").json["results"]
    assert result["query"] == QUERY
    assert [hit["rank"] for hit in result["hits"]] == [1, 2, 3]
    assert set(result["hits"][0]) == {"rank", "score", "id", "lang", "snippet"}
    shown = cli("retrieve", "search", index, QUERY, "--k", 3).out
    assert all(hit["snippet"] in shown and hit["id"] in shown for hit in result["hits"])


def test_a_language_and_a_file_of_queries(cli: Run, index: Path, tmp_path: Path) -> None:
    file = tmp_path / "queries.txt"
    file.write_text(f"{QUERY}\nテニスの決勝は東京だった。\n", "utf-8")
    found = cli("retrieve", "search", index, "--queries", file, "--lang", "jpn", "--json").json
    assert found["results"][0]["query"] == QUERY
    assert all(hit["lang"] == "ja" for result in found["results"] for hit in result["hits"])
    best = found["results"][1]["hits"][0]
    assert (best["id"], best["snippet"]) == ("ja.tsv:3", "テニスの決勝は東京だった。")
    assert "query" in cli("retrieve", "search", index, "--queries", file).out


def test_columns_of_text_id_and_language(cli: Run, world: World, tmp_path: Path) -> None:
    rows = [("a7", "en", "Rain in Oslo", "It fell."), ("b8", "ja", "雨", "一日中。")]
    file = write_tsv(tmp_path / "t.tsv", rows, header="number\tlanguage\thead\tbody")
    made = cli("retrieve", "index", file, "--text", "head,body", "--id", "number", "--lang-column",
               "language", "--encoder", world.encoder, "--out", tmp_path / "i")  # fmt: skip
    assert made.code == 0, made.err
    hits = cli("retrieve", "search", tmp_path / "i", "雨", "--json").json["results"][0]["hits"]
    assert {(hit["id"], hit["lang"], hit["snippet"]) for hit in hits} == {
        ("a7", "en", "Rain in Oslo. It fell."), ("b8", "ja", "雨. 一日中。"),
    }  # fmt: skip
    again = ["retrieve", "index", file, "--text", "head", "--encoder", world.encoder, "--out",
             tmp_path / "i"]  # fmt: skip
    assert "already exists" in cli(*again).err
    assert cli(*again, "--overwrite", "--prefix", "x ", "--lang", "ja").code == 0
    manifest = json.loads((tmp_path / "i" / "manifest.json").read_text())
    assert manifest["encoder"]["options"]["prefix"] == "x "
    assert manifest["langs"] == ["ja"]


def test_the_same_story_in_two_languages(cli: Run, world: World, tmp_path: Path) -> None:
    others = [("anders",), ("東京",), ("🙂🚀",), ("The quick brown fox",)]
    same = write_tsv(tmp_path / "same.tsv", [(GERMAN[0][1],), *others], header="text")
    words = ["retrieve", "index", f"de={world.german}", f"nl={same}", "--encoder", world.encoder]
    assert cli(*words, "--out", tmp_path / "i").code == 0
    search = ["retrieve", "search", tmp_path / "i", "--duplicates"]
    stories = cli(*search, "--threshold", 1, "--json").json["stories"]
    assert stories[0]["story"] == 1
    # Which story is the first depends on the vocabulary of the tiny encoder.
    (story,) = (one for one in stories if one["snippet_1"] == one["snippet_2"])
    assert (story["cosine"], story["score"] > 1) == (pytest.approx(1, abs=1e-5), True)
    assert (story["lang_1"], story["lang_2"], story["snippet_1"]) == ("de", "nl", GERMAN[0][1])
    assert (story["id_1"], story["id_2"]) == ("de.tsv:2", "same.tsv:2")
    assert GERMAN[0][1][:20] in cli(*search, "--threshold", 1).out
    none = cli(*search, "--threshold", 50)
    assert (none.out, "no pair of texts has a score of 50 or more" in none.err) == ("", True)
    more = cli(*search, "--threshold", 0, "--same-language", "--json").json["stories"]
    assert {story["lang_1"] for story in more if story["lang_1"] == story["lang_2"]}


def test_faiss_and_its_recall(cli: Run, world: World, tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    made = cli("retrieve", "index", world.train, "--encoder", world.encoder, "--out",
               tmp_path / "i", "--faiss")  # fmt: skip
    assert "FAISS finds 1.000 of the ten nearest of these texts in 1 list;" in made.err
    search = ["retrieve", "search", tmp_path / "i", QUERY, "--json"]
    found = cli(*search, "--faiss")
    assert "approximate search, which found 1.000" in found.err
    assert (
        found.json["results"][0]["hits"][0]["id"]
        == (cli(*search).json["results"][0]["hits"][0]["id"])
    )


def test_control_characters_are_shown(cli: Run, world: World, tmp_path: Path) -> None:
    file = write_tsv(tmp_path / "t.tsv", [("a\x1b]52;c;aGk=\x07",), ("b",)], header="text")
    words = ["retrieve", "index", file, "--encoder", world.encoder, "--out", tmp_path / "i"]
    assert cli(*words).code == 0
    assert "\x1b" not in cli("retrieve", "search", tmp_path / "i", "a").out


def test_ids_that_tell_nothing_apart_are_said(cli: Run, world: World, tmp_path: Path) -> None:
    rows = [("1", "en", "Rain"), ("2", "en", "Sun"), ("1", "ja", "雨"), ("2", "ja", "日")]
    words = ["retrieve", "index", "--encoder", world.encoder, "--lang-column", "lang", "--out",
             tmp_path / "i", "--overwrite"]  # fmt: skip
    parallel = write_tsv(tmp_path / "t.tsv", rows, header="id\tlang\ttext")
    assert "the id of another" not in cli(*words, parallel).err  # once in each language
    write_tsv(parallel, [*rows, ("2", "ja", "風")], header="id\tlang\ttext")
    said = "1 of 5 texts have the id of another text of their language"
    made = cli(*words, parallel)
    assert (made.code, said in made.err) == (0, True)
    strict = cli(*words, parallel, "--strict")
    assert (strict.code, said in strict.err) == (2, True)


def test_files_of_one_name_have_ids_of_their_own(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.txt").write_text("Rain\n")
    made = cli("retrieve", "index", "a/t.txt", "b/t.txt", "--encoder", world.encoder, "--out", "i")
    assert "the id of another" not in made.err
    (found,) = cli("retrieve", "search", "i", "Rain", "--json").json["results"]
    assert sorted(hit["id"] for hit in found["hits"]) == ["a/t.txt:1", "b/t.txt:1"]


def test_an_encoder_elsewhere(cli: Run, index: Path, world: World) -> None:
    search = ["retrieve", "search", index, QUERY, "--json"]
    there = cli(*search, "--encoder", world.encoder, "--device", "cpu", "--threads", 1, "--verify")
    assert there.json == cli(*search).json
    assert cli(*search, "--prefix", "ja ").json != there.json


def test_what_cannot_be_done_is_one_sentence(
    refuse: Refuse, index: Path, world: World, tmp_path: Path
) -> None:
    search = ["retrieve", "search", index]
    assert "name what to look for" in refuse(*search)
    assert "leave one out" in refuse(*search, QUERY, "--queries", world.train)
    assert "a query is empty" in refuse(*search, " ")
    assert "--duplicates has none" in refuse(*search, QUERY, "--duplicates")
    assert "--k is for queries" in refuse(*search, "--duplicates", "--k", 3)
    assert "add --duplicates" in refuse(*search, QUERY, "--threshold", 0.5)
    assert "no text of the index is in 'sw'" in refuse(*search, QUERY, "--lang", "sw")
    assert "made without --faiss" in refuse(*search, QUERY, "--faiss")
    assert "no such index" in refuse("retrieve", "search", tmp_path / "none", QUERY)
    spoken = ["retrieve", "index", f"de={world.german}", "--out", tmp_path / "new"]
    assert "--lang is for files given without LANG=" in refuse(*spoken, "--lang", "de")
    assert "--lang-column is for files given" in refuse(*spoken, "--lang-column", "lang")
    words = ["retrieve", "index", world.german, "--out", tmp_path / "new"]
    assert "no column 'nummer'" in refuse(*words, "--id", "nummer")
    assert len(JAPANESE) == 4
