"""``isogloss kb``: each option does what it says."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from cli_world import ENTITIES, Outcome, Refuse, Run, World

from isogloss.cli import texts
from isogloss.data.blocks import read_blocks


def _ids(outcome: Outcome) -> list[list[str]]:
    """Entities of each row."""
    return [
        [candidate["id"] for mention in json.loads(line)["mentions"]
         for candidate in mention["candidates"]]
        for line in outcome.lines
    ]  # fmt: skip


@pytest.fixture
def link(cli: Run, world: World, tmp_path: Path) -> Any:
    def run(text: str, *more: object, kb: Path = world.kb) -> Outcome:
        outcome = cli("kb", "link", kb, *more, stdin=text)
        assert outcome.code == 0, outcome.err
        return outcome

    return run


def test_build_and_info(cli: Run, world: World, tmp_path: Path) -> None:
    out = tmp_path / "kb"
    built = cli("kb", "build", "--source", "cldr", "--source", f"names:{world.names}",
                "--langs", "en,jpn,deu_Latn", "--out", out)  # fmt: skip
    assert built.code == 0
    assert built.out == ""
    facts = cli("kb", "info", out, "--json").json
    assert set(facts["languages"]) == {"en", "ja", "de"}
    assert facts["n_entities"] > len(ENTITIES)
    shown = cli("kb", "info", out, "--verify")
    assert shown.code == 0
    assert f"n_entities: {facts['n_entities']}" in shown.lines
    assert "source cldr" in shown.lines
    assert max(map(len, shown.lines)) <= 100
    rows = [line.split() for line in shown.lines]
    assert ["lang", "n_names", "n_entities", "n_spellings", "n_blocked"] in [r[:5] for r in rows]
    for lang, counts in facts["languages"].items():
        assert [lang, *map(str, counts.values())] in rows
    assert "{" not in shown.out
    assert "checksum" in shown.err


def test_a_table_of_names_compressed(cli: Run, tmp_path: Path) -> None:
    names = tmp_path / "n.tsv.gz"
    names.write_bytes(gzip.compress("id\tlang\tname\nQ1\tja\t東京\nQ1\ten\tTokyo\n".encode()))
    assert cli("kb", "build", "--source", f"names:{names}", "--out", tmp_path / "kb").code == 0
    assert _ids(cli("kb", "link", tmp_path / "kb", "--lang", "ja", stdin="東京へ\n")) == [["Q1"]]


def test_overwrite_replaces(cli: Run, world: World, tmp_path: Path) -> None:
    out = tmp_path / "kb"
    words = ["kb", "build", "--source", f"names:{world.names}", "--out", out]
    assert cli(*words).code == 0
    assert cli(*words, "--langs", "ja", "--overwrite").code == 0
    assert list(cli("kb", "info", out, "--json").json["languages"]) == ["ja"]


def test_keywords_are_names_when_asked_for(
    cli: Run, link: Any, world: World, tmp_path: Path
) -> None:
    words = ["kb", "build", "--source", f"names:{world.names}", "--keywords"]
    assert cli(*words, "--out", tmp_path / "kb").code == 0
    assert _ids(link("a capital\n", "--lang", "en")) == [[]]
    assert _ids(link("a capital\n", "--lang", "en", kb=tmp_path / "kb")) == [["Q1490"]]


def test_skip_bad_counts(cli: Run, tmp_path: Path) -> None:
    names = tmp_path / "n.jsonl"
    names.write_text('{"id": "a", "names": {"en": ["x y"]}}\n{bad\n{"id": "b"}\n')
    words = ["kb", "build", "--source", f"names:{names}", "--out", tmp_path / "kb"]
    built = cli(*words, "--skip-bad")
    assert "isogloss: names:n.jsonl: 1 name of 1 entity, 2 bad lines skipped" in built.talk
    assert f"isogloss: 1 entity, 1 name in 1 language → {tmp_path / 'kb'}" in built.talk
    (source,) = cli("kb", "info", tmp_path / "kb", "--json").json["sources"]
    assert source["n_bad_lines"] == 2


def test_link_gives_spans_of_the_original_text(link: Any) -> None:
    text = "🙂 今日は東京大学とドイツへ。"
    (line,) = link(f"{text}\n", "--lang", "ja").lines
    record = json.loads(line)
    assert record["row"] == 0
    assert record["lang"] == "ja"
    surfaces = [mention["surface"] for mention in record["mentions"]]
    assert surfaces == ["東京大学", "ドイツ"]
    for mention in record["mentions"]:
        assert text[mention["start"] : mention["end"]] == mention["surface"]


def test_nested_names(link: Any) -> None:
    assert _ids(link("東京大学\n", "--lang", "ja")) == [["Q7842"]]
    assert sorted(_ids(link("東京大学\n", "--lang", "ja", "--nested"))[0]) == ["Q1490", "Q7842"]


def test_names_with_endings_can_be_left_unfound(cli: Run, link: Any, tmp_path: Path) -> None:
    names = tmp_path / "n.jsonl"
    names.write_text('{"id": "Q1490", "names": {"ko": ["도쿄"]}}\n', encoding="utf-8")
    kb = tmp_path / "kb"
    assert cli("kb", "build", "--source", f"names:{names}", "--out", kb).code == 0
    assert _ids(link("도쿄에서\n", "--lang", "ko", kb=kb)) == [["Q1490"]]
    assert _ids(link("도쿄에서\n", "--lang", "ko", "--no-inflection", kb=kb)) == [[]]


def test_pivot_keeps_what_that_language_names(link: Any) -> None:
    assert _ids(link("人間と東京\n", "--lang", "ja")) == [["Q5", "Q1490"]]
    outcome = link("人間と東京\n", "--lang", "ja", "--pivot", "en")
    assert _ids(outcome) == [["Q1490"]]
    assert "isogloss: 1 entity left out that 'en' does not name" in outcome.talk
    outcome = link("東京と税金\n", "--lang", "ja", "--pivot", "th-TH")
    assert _ids(outcome) == [["Q1490"]]
    assert "isogloss: 1 entity left out that 'th-TH' does not name" in outcome.talk


def test_a_pivot_that_leaves_nothing_out_is_not_talked_of(link: Any) -> None:
    assert "left out" not in link("東京\n", "--lang", "ja", "--pivot", "en").err


@pytest.mark.parametrize("text", ["I live in Berlin", "東京", "Berlin." * 90])
def test_a_text_in_the_place_of_the_file(refuse: Refuse, world: World, text: str) -> None:
    said = refuse("kb", "link", world.kb, text, "--lang", "en")
    assert said.endswith(
        f"; a text itself comes on standard input: echo 'TEXT' | isogloss kb link {world.kb} -"
    )


def test_the_advised_command_links(cli: Run, world: World) -> None:
    assert _ids(cli("kb", "link", world.kb, "-", "--lang", "ja", stdin="東京\n")) == [["Q1490"]]


def test_a_language_without_names_is_an_error_under_strict(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    words = ["kb", "build", "--source", f"names:{world.names}", "--langs", "en,sw", "--out"]
    outcome = cli(*words, tmp_path / "kb")
    assert outcome.code == 0
    assert "isogloss: no source has names in sw, of --langs" in outcome.err
    assert "no source has names in sw" in refuse(*words, tmp_path / "strict", "--strict")
    assert not (tmp_path / "strict").exists()


def test_fallback_lang(link: Any) -> None:
    text = "Germany und Deutschland\n"
    assert _ids(link(text, "--lang", "de")) == [["Q183"]]
    both = json.loads(link(text, "--lang", "de", "--fallback-lang", "en").out)["mentions"]
    assert [(mention["surface"], mention["lang"]) for mention in both] == [
        ("Germany", "en"), ("Deutschland", "de"),
    ]  # fmt: skip


def test_a_text_of_unknown_language_is_linked_by_the_fallback_alone(link: Any) -> None:
    words = ["--lang-column", "lang", "--text", "body"]
    text = "lang\tbody\n\tGermany\n"
    alone = link(text, *words)
    assert _ids(alone) == [[]]
    assert "nothing is linked in 1 text of unknown language" in alone.err
    assert _ids(link(text, *words, "--fallback-lang", "en", "--strict")) == [["Q183"]]


def test_thresholds(link: Any) -> None:
    assert _ids(link("the Jordan\n", "--lang", "en")) == [["Q90", "Q91"]]
    assert _ids(link("the Jordan\n", "--lang", "en", "--min-commonness", "0.5")) == [["Q90"]]
    assert _ids(link("the Jordan\n", "--lang", "en", "--min-link-prob", "0.5")) == [[]]


def test_lang_column_and_ids(link: Any) -> None:
    text = "id\tlang\tbody\nx1\tjpn_Jpan\t東京\nx2\tde\tSteuer\nx3\t\t東京\n"
    outcome = link(text, "--lang-column", "lang", "--text", "body")
    assert _ids(outcome) == [["Q1490"], ["Q8161"], []]
    assert [json.loads(line)["id"] for line in outcome.lines] == ["x1", "x2", "x3"]
    assert [json.loads(line)["lang"] for line in outcome.lines] == ["ja", "de", None]
    assert "isogloss: ja: 1 text, 1 linked" in outcome.talk
    assert "isogloss: unknown: 1 text, 0 linked" in outcome.talk


def test_lang_auto(link: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    text = "東京で新しい税金が決まりました。\nDie Steuer ist in diesem Jahr sehr hoch.\n7\n"
    outcome = link(text, "--lang", "auto")
    assert [json.loads(line)["lang"] for line in outcome.lines] == ["ja", "de", None]
    assert _ids(outcome) == [["Q1490", "Q8161"], ["Q8161"], []]
    assert "1 of 3 texts could not be told" in caplog.text


def test_languages_without_names_are_said_once_for_all(link: Any) -> None:
    text = "text\tlang\n" + "".join(f"x\t{code}\n" for code in ("sw", "ja", "xh", "sw", "zu"))
    table = ("--text", "text", "--lang-column", "lang")
    said = [line for line in link(text, *table).talk if "has no names in" in line]
    assert len(said) == 1
    assert said[0].endswith("has no names in 'sw', 'xh', 'zu': nothing is linked")
    for_country = link("x\n", "--lang", "kr").talk
    assert any(
        line.endswith("linked; if South Korea is meant, Korean is 'ko'") for line in for_country
    )
    more = link(text, *table, "--fallback-lang", "sw")
    said = [line for line in more.talk if "has no names in" in line]
    assert [line.partition(" has no names in ")[2] for line in said] == [
        "'sw': no fallback names are linked", "'sw', 'xh', 'zu': nothing is linked",
    ]  # fmt: skip


ROWS = ["", "東京", " ", "\0東京\0", "x" * 50_000, "🙂", ""]


def test_rows_out_are_rows_in(link: Any) -> None:
    outcome = link("\n".join(ROWS) + "\n", "--lang", "ja")
    assert [json.loads(line)["row"] for line in outcome.lines] == list(range(len(ROWS)))
    assert _ids(outcome) == [[], ["Q1490"], [], ["Q1490"], [], [], []]


def test_lone_surrogates_are_escaped(link: Any) -> None:
    text = '{"text": "\\ud800東京", "id": "\\udfff"}\n'
    outcome = link(text, "--lang", "ja")
    assert json.loads(outcome.out)["id"] == "\udfff"
    assert _ids(outcome) == [["Q1490"]]


def test_quoting_none_keeps_quotes(link: Any) -> None:
    text = 'text\tx\n"東京" "a\t1\n'
    assert _ids(link(text, "--lang", "ja", "--quoting", "none", "--text", "text")) == [["Q1490"]]


def test_links_come_block_by_block(cli: Run, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(f"Osaka {row}\n" for row in range(9))
    whole = cli("kb", "link", world.kb, "--lang", "en", stdin=lines)
    two = lambda file, *, format, rows: read_blocks(file, format=format, rows=2)  # noqa: E731
    monkeypatch.setattr(texts, "read_blocks", two)
    blocks = cli("kb", "link", world.kb, "--lang", "en", stdin=lines)
    assert blocks == whole
    assert [json.loads(line)["row"] for line in blocks.out.splitlines()] == [*range(9)]
    broken = cli("kb", "link", world.kb, "--lang", "en", stdin=lines.encode() + b"\xff\n")
    assert broken.code == 2
    assert whole.out.startswith(broken.out)
    assert len(broken.out.splitlines()) == 8
