"""``isogloss classify compare``."""

from pathlib import Path
from typing import Any

import pytest
from cli_world import Run, World


@pytest.fixture
def compare(cli: Run, world: World, tmp_path: Path) -> Any:
    def run(*options: object) -> Any:
        return cli(
            "classify", "compare", "--train", f"en={world.train}", "--test",
            f"ja={world.japanese}", "--test", f"de={world.german}", "--kb", world.kb,
            "--encoder", world.encoder, "--out", tmp_path / "out", "--seeds", 1, *options,
        )  # fmt: skip

    return run


@pytest.mark.filterwarnings("ignore::isogloss.errors.LossWarning")
def test_compare_prints_and_writes_its_tables(compare: Any, tmp_path: Path) -> None:
    outcome = compare("--rows=mboe-plus,-emb", "--published", "mldoc", "--json")
    assert outcome.code == 0, outcome.err
    rows = ["encoder", "mboe-plus", "mboe-plus -emb"]
    assert [line["row"] for line in outcome.json["summary"]] == rows
    assert {line["lang"] for line in outcome.json["languages"]} == {"ja", "de"}
    assert outcome.json["published"][0]["row"] == "M-BERT"
    assert (tmp_path / "out" / "summary.csv").read_text().startswith("row,accuracy,")
    shown = (tmp_path / "out" / "comparison.md").read_text()
    assert all(f"| {row} |" in shown for row in rows)
    assert "M-BERT + BoE" in shown
    again = compare("--rows=mboe-plus,-emb")
    assert again.code == 0, again.err
    assert "mboe-plus -emb" in again.out


def test_compare_refuses_before_it_works(compare: Any, tmp_path: Path) -> None:
    assert compare("--rows", "encoder").code == 2
    assert compare("--published", "mldo").code == 2
    assert not (tmp_path / "out").exists()
