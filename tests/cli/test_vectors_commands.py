from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Refuse, Run, World, write_file

from isogloss.classify import TextClassifier
from isogloss.kb import KnowledgeBase
from isogloss.vectors import Vocabulary, WordEntityVectors, read_vectors, write_vectors

TITLES = ["Tokyo", "Germany", "Tax", "Association football", "Tennis"]
# Made by hand, in the published forms.
KORE = "Tokyo\n\tGermany\n\tTennis\n\tTax\n"
WIKISIM = (
    "termA\tidA\tmatchA\ttermB\tidB\tmatchB\trelatedness\n"
    "a\t1\tTokyo\tb\t2\tGermany\t0.9\na\t1\tTokyo\tb\t2\tTax\t0.1\na\t1\tTokyo\tb\tnull\tnull\t0.1\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    vocabulary = Vocabulary.of(
        ["tokyo", "tax"], TITLES, word_counts=[9, 8], entity_counts=[7, 6, 5, 4, 3],
        redirects={"Edo": "Tokyo"}, rare_entities={"Kyoto": 2}, min_entity_count=3,
    )  # fmt: skip
    matrix = np.array([[1, 0], [0, 1], [1, 0.1], [1, 1], [0, 2], [-1, 1], [0.5, 1]], np.float32)
    write_vectors(WordEntityVectors(vocabulary, matrix), tmp_path / "v", "native")
    return tmp_path / "v"


def test_similar(cli: Run, file: Path) -> None:
    outcome = cli("vectors", "similar", file, "tokyo", "--k", 2, "--json")
    near = outcome.json["neighbours"]
    assert outcome.talk == ["isogloss: the word 'tokyo'"]
    assert (outcome.code, outcome.json["name"]) == (0, "tokyo")
    assert [other["label"] for other in near] == ["ENTITY/Tokyo", "ENTITY/Germany"]
    assert near[1] == {"label": "ENTITY/Germany", "kind": "entity",
                       "cosine": pytest.approx(0.5**0.5), "count": 6}  # fmt: skip
    outcome = cli("vectors", "similar", file, "Edo", "--kind", "word")
    assert outcome.talk == ["isogloss: 'Edo' is found as 'ENTITY/Tokyo'"]
    assert [line.split()[0] for line in outcome.lines if "0." in line] == ["tokyo", "tax"]


def test_similar_says_why_not(refuse: Refuse, file: Path) -> None:
    said = refuse("vectors", "similar", file, "Kyoto")
    assert (
        "no vector for 'Kyoto': it is a title, which is linked 2 times, below the minimum" in said
    )
    assert "the closest are" in said
    assert "'ENTITY/Tokyo'" in said
    assert "not in the dump" in refuse("vectors", "similar", file, "ENTITY/Osaka")
    assert "no such file of vectors" in refuse("vectors", "similar", "none", "Tokyo")
    assert "--k is '0'" in refuse("vectors", "similar", file, "Tokyo", "--k", 0)


def test_convert(cli: Run, refuse: Refuse, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "v.txt"
    outcome = cli("vectors", "convert", file, "--to", "word2vec", "--out", out)
    assert outcome.talk == [f"isogloss: WordEntityVectors(2 words, 5 entities, width 2) → {out}"]
    assert out.read_text().splitlines()[:3] == ["7 2", "tokyo 1 0", "tax 0 1"]
    assert "already exists" in refuse("vectors", "convert", file, "--out", out)
    assert cli("vectors", "convert", out, "--out", tmp_path / "back").code == 0
    assert list(read_vectors(tmp_path / "back").vocabulary.entities) == TITLES


def test_convert_adds_ids(
    cli: Run, refuse: Refuse, file: Path, world: World, tmp_path: Path
) -> None:
    words = ["vectors", "convert", file, "--out", tmp_path / "w", "--kb", world.kb]
    outcome = cli(*words, "--lang", "en")
    assert "isogloss: 2 of 5 entities have an id" in outcome.talk
    assert list(read_vectors(tmp_path / "w").vocabulary.entity_ids or ()) == [
        "Q1490", "Q183", "", "", ""]  # fmt: skip
    assert "give --lang" in refuse(*words, "--overwrite")
    assert "--kb gives ids" in refuse(*words, "--overwrite", "--to", "glove")
    assert "give --kb too" in refuse(*words[:-2], "--overwrite", "--lang", "en")


def test_evaluate(cli: Run, refuse: Refuse, file: Path, tmp_path: Path) -> None:
    kore = write_file(tmp_path / "kore.txt", KORE)
    wikisim = write_file(tmp_path / "wikisim.txt", WIKISIM)
    words = ["vectors", "evaluate", file, "--kore", kore, "--wikisim", wikisim]
    rows = cli(*words, "--json").json
    assert [(row["test"], row["n"], row["n_missing"]) for row in rows] == [
        ("kore", 3, 0), ("wikisim", 2, 0)]  # fmt: skip
    assert rows[0]["spearman"] == pytest.approx(1.0)
    assert rows[1]["n_without_article"] == 1
    assert "wikisim" in cli(*words).out
    assert "give --kore FILE, --wikisim FILE" in refuse("vectors", "evaluate", file)
    assert "is not WikiSim's form" in refuse("vectors", "evaluate", file, "--wikisim", kore)


def test_vectors_go_straight_into_fit(
    cli: Run, refuse: Refuse, file: Path, world: World, tmp_path: Path
) -> None:
    text = tmp_path / "v.txt"
    cli("vectors", "convert", file, "--to", "wikipedia2vec", "--out", text)
    words = ["classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder,
             "--out", tmp_path / "m", "--preset", "mboe"]  # fmt: skip
    assert "give --kb too" in refuse(*words, "--init", text)
    words += ["--kb", world.kb]
    outcome = cli(*words, "--init", text)
    assert outcome.code == 0, outcome.err
    assert f"isogloss: EntityVectors(2 entities, width 2) of {text}" in outcome.talk
    assert TextClassifier.load(tmp_path / "m").init.ids == ["Q1490", "Q183"]
    said = refuse(*words, "--init", f"ja={text}", "--overwrite", talk=True)
    assert "by its title in ja; is it the right language?" in said


WIKI: dict[str, str | None] = {
    "Oslo": "Oslo lies in [[Norway]] and is [[Norge|its]] capital by the Sea of [[Norway]]",
    "Norway": "Norway is where [[Oslo]] lies, by the sea; see [[Oslo|it]]\n== Short ==\nTiny",
    "Norge": None,
}


NAMED: dict[str, str | None] = {
    "Mercury (planet)": "The planet of [[Sol|sun]] light, a sun, a sun and a sun",
    "Mercury (god)": "The god has no sun of his own",
    "Sol": "It has [[Mercury (planet)|Mercury]], [[Mercury (planet)|Mercury]] and more of them",
    "Tale": "Once [[Mercury (planet)|Mercury]] and [[Mercury (god)|Mercury]] met without a name",
    "Song": "It is a song of Mercury alone",
}


def write_source(path: Path, wiki: dict[str, str | None]) -> str:
    pages = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id>"
        + (f"<revision><text>{text}</text></revision></page>\n" if text else
           '<redirect title="Norway" /><revision><text /></revision></page>\n')
        for number, (title, text) in enumerate(wiki.items(), 1)
    )  # fmt: skip
    written = f'<mediawiki xml:lang="en">\n{pages}</mediawiki>\n'
    return f"wikipedia:en={write_file(path, written)}"


@pytest.fixture
def source(tmp_path: Path) -> str:
    return write_source(tmp_path / "en.xml", WIKI)


def test_train(cli: Run, source: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    out = tmp_path / "trained"
    command = ["vectors", "train", "--source", source, "--out", out, "--workers", 1]
    outcome = cli(*command, "--min-word-count", 1, "--min-entity-count", 1, "--dim-size", 6)
    assert outcome.code == 0, outcome.err
    assert "15 words and 2 entities, width 6, 1 thread: 0.00 GB of memory" in caplog.text
    assert "million a second" in caplog.text
    assert outcome.talk[-1].endswith(f"pairs → {out}")
    vectors = read_vectors(out)
    assert list(vectors.vocabulary.entities) == ["Norway", "Oslo"]
    assert vectors.facts["source"] == "wikipedia:en=en.xml"
    assert vectors.facts["reading"]["tokenizer"] == "isogloss words 1"
    assert vectors.facts["lang"] == "en"
    assert not list(tmp_path.glob(".trained*"))
    assert cli("vectors", "similar", out, "Norge").talk[0].endswith("found as 'ENTITY/Norway'")


GIVEN = {
    "--dim-size": 4, "--sample": 0.5, "--min-word-count": 1, "--min-entity-count": 1,
    "--workers": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "fact", "changes"),
    [
        (["--no-lowercase"], ("reading", "lowercase", False), {"words"}),
        (["--min-word-count", 2], ("reading", "min_word_count", 2), {"words"}),
        (["--min-entity-count", 3], ("reading", "min_entity_count", 3), {"entities"}),
        (["--min-paragraph-len", 1], ("reading", "min_paragraph_len", 1), {"words"}),
        (["--limit", 1], ("reading", "limit", 1), {"words", "entities"}),
        (["--dim-size", 3], ("training", "width", 3), {"matrix"}),
        (["--window", 1], ("training", "window", 1), {"n_pairs"}),
        (["--epochs", 2], ("training", "epochs", 2), {"n_pairs"}),
        (["--negative", 1], ("training", "negatives", 1), {"matrix"}),
        (["--sample", 1e-3], ("training", "sample", 1e-3), {"n_pairs"}),
        (["--word-neg-power", 0], ("training", "word_neg_power", 0), {"matrix"}),
        (["--entity-neg-power", 1], ("training", "entity_neg_power", 1), {"matrix"}),
        (["--learning-rate", 0.5], ("training", "learning_rate", 0.5), {"matrix"}),
        (["--min-learning-rate", 0.02], ("training", "min_learning_rate", 0.02), {"matrix"}),
        (["--entities-per-page", 1], ("training", "entities_per_page", 1), {"n_pairs"}),
        (["--no-link-graph"], ("training", "link_graph", False), {"n_pairs"}),
        (["--shared-negatives"], ("training", "shared_negatives", True), {"matrix"}),
        (["--seed", 3], ("seed", "", 3), {"matrix"}),
        (["--workers", 2], ("n_workers", "", 2), set()),
    ],
)  # fmt: skip
def test_options_of_train(
    cli: Run, source: str, tmp_path: Path, words: list[object], fact: tuple[str, str, object],
    changes: set[str],
) -> None:  # fmt: skip
    """Each changes the fact of its name, no other, and what that fact is to change."""
    out = tmp_path / "v"
    command = ["vectors", "train", "--source", source, "--overwrite", "--out", out]
    usual = [word for option in GIVEN.items() for word in option]
    found, facts = [], []
    for more in ([], words):
        outcome = cli(*command, *usual, *more)
        assert outcome.code == 0, outcome.err
        vectors = read_vectors(out)
        vocabulary = vectors.vocabulary
        facts.append({name: vectors.facts[name] for name in FACTS})
        found.append({
            "words": list(vocabulary.words), "entities": list(vocabulary.entities),
            "n_pairs": vectors.facts["n_pairs"], "matrix": vectors.matrix.tobytes(),
        })  # fmt: skip
    assert facts[0] == FACTS
    kind, name, value = fact
    old: Any = FACTS[kind]
    assert (old[name] if name else old) != value
    assert facts[1] == {**FACTS, kind: {**old, name: value} if name else value}
    differing = {name for name in found[0] if found[0][name] != found[1][name]}
    assert changes <= differing
    if "words" not in changes and "entities" not in changes:
        assert not {"words", "entities"} & differing


# By hand, as the page of the command line has them, but what `GIVEN` changes.
FACTS: dict[str, Any] = {
    "training": {
        "width": 4, "window": 5, "epochs": 5, "negatives": 5, "sample": 0.5,
        "word_neg_power": 0.75, "entity_neg_power": 0.0, "learning_rate": 0.025,
        "min_learning_rate": 0.0001,
        "entities_per_page": 10, "link_graph": True, "shared_negatives": False,
    },
    "reading": {
        "lowercase": True, "min_word_count": 1, "min_entity_count": 1, "min_paragraph_len": 5,
        "limit": None, "kb": None, "tokenizer": "isogloss words 1",
    },
    "seed": 0,
    "n_workers": 1,
}  # fmt: skip


def test_train_with_names_of_a_knowledge_base(cli: Run, refuse: Refuse, tmp_path: Path) -> None:
    """Of its names, *sun* is rarely a link, and *Mercury* means the planet three in four."""
    source = write_source(tmp_path / "en.xml", NAMED)
    kb, out = tmp_path / "kb", tmp_path / "v"
    assert cli("kb", "build", "--source", source, "--out", kb, "--workers", 1).code == 0
    command = ["vectors", "train", "--source", source, "--workers", 1, "--overwrite", "--out", out,
               "--work", tmp_path / "w", "--min-word-count", 1, "--min-entity-count", 1,
               "--dim-size", 4, "--epochs", 1, "--sample", 0, "--window", 1]  # fmt: skip
    n_pairs = []
    for thresholds in ({}, {"--min-link-prob": 0.9}, {"--min-commonness": 0.3}):
        outcome = cli(
            *command, "--kb", kb, *(word for given in thresholds.items() for word in given)
        )
        assert outcome.code == 0, outcome.err
        facts = read_vectors(out).facts
        n_pairs.append(facts["n_pairs"])
        assert facts["reading"]["kb"] == KnowledgeBase.open(kb).fingerprint
        assert facts["reading"]["min_link_prob"] == thresholds.get("--min-link-prob", 0.2)
        assert facts["reading"]["min_commonness"] == thresholds.get("--min-commonness", 0.01)
    assert n_pairs[1] < n_pairs[0] < n_pairs[2]
    for option, value in (("--min-link-prob", 0.3), ("--min-commonness", 0.3)):
        assert f"{option} is for names of a knowledge base; give --kb too" in refuse(
            *command, option, value
        )


def test_train_goes_on(cli: Run, source: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    command = ["vectors", "train", "--source", source, "--work", work, "--workers", 1, "--out",
               tmp_path / "v", "--min-word-count", 1]  # fmt: skip
    assert cli(*command).code == 0
    assert [part.name for part in (work / "en").glob("*.part")] == ["000000.part"]
    assert cli(*command, "--overwrite", "--dim-size", 3).code == 0
    assert read_vectors(tmp_path / "v").width == 3


def test_bad_training(refuse: Refuse, source: str, tmp_path: Path) -> None:
    def said(*words: object, dump: str = source) -> str:
        return refuse("vectors", "train", "--source", dump, "--out", tmp_path / "v", *words)

    assert "is no Wikipedia" in said(dump="cldr")
    assert "is the code of no Wikipedia" in said(dump="wikipedia:xx=a")
    assert "no such file" in said(dump="wikipedia:en=none.xml")
    assert "no such knowledge base" in said("--kb", "nowhere", "--workers", 1)
    assert "--dim-size is '0'" in said("--dim-size", 0)
    assert "window is 100001; give 1 to 100,000" in said("--window", 100_001)
    assert "is --out or in it" in said("--work", tmp_path / "v")
    (tmp_path / "folder").mkdir()
    for out, why in (("v.gz", "not compressed"), ("folder", "is a folder")):
        words = ("--source", source, "--out", tmp_path / out, "--overwrite")
        assert why in refuse("vectors", "train", *words)
