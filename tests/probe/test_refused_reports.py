"""What a report of probes refuses: damaged results, folders without any, a file that is there."""

import json
import math
from pathlib import Path
from typing import Any

import made_up
import pytest

from isogloss.errors import InputError
from isogloss.probe.report.page import write_probe_report


def refusal(folders: list[Path], out: Path) -> str:
    with pytest.raises(InputError) as caught:
        write_probe_report(folders, out)
    assert not out.exists()
    return str(caught.value)


def test_folders_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    good = made_up.folder(tmp_path / "good", made_up.geometry())
    assert "no folder to report on" in refusal([], out)
    assert "no such folder; name one that" in refusal([tmp_path / "none"], out)
    (tmp_path / "empty").mkdir()
    assert "not results of a probe: it has no manifest.json" in refusal([tmp_path / "empty"], out)
    assert "is a file" in refusal([good / "manifest.json"], out)
    for number, other in enumerate(({"format": "isogloss model"}, [], {"format": ["x"]})):
        folder = made_up.folder(tmp_path / f"other {number}", other)
        assert "holds no results of a probe" in refusal([good, folder], out)
    newer = made_up.folder(tmp_path / "newer", made_up.geometry() | {"version": 4})
    assert "was written in version 4 of the format, this isogloss reads version 3" in refusal(
        [newer], out
    )
    again = made_up.folder(tmp_path / "again", made_up.geometry([("b", "en"), ("tiny", "en")]))
    said = refusal([good, again], out)
    assert f"measures 'tiny' in 'en', as {good} does; leave one out" in said
    one, two = (made_up.folder(tmp_path / name, made_up.neutrality()) for name in "nm")
    assert f"measures 'tiny', as {one} does" in refusal([one, two], out)


@pytest.mark.parametrize("numbers", [[0, 0, 1], [2, 1, 0], [3, 4, 4]])
def test_layers_that_are_not_ascending_are_damage(tmp_path: Path, numbers: list[int]) -> None:
    manifest = made_up.neutrality(langs=("en",))
    for table in ("layers", "languages"):
        for row, number in zip(manifest[table], numbers, strict=True):
            row["layer"] = number
    folder = made_up.folder(tmp_path / "damaged", manifest)
    assert "damaged (its" in refusal([folder], tmp_path / "out.html")


def test_languages_of_other_layers_are_damage(tmp_path: Path) -> None:
    manifest = made_up.of_last_layer("pooled", 12)
    manifest["languages"][1]["layer"] = 11
    folder = made_up.folder(tmp_path / "damaged", manifest)
    assert "damaged (its" in refusal([folder], tmp_path / "out.html")


@pytest.mark.parametrize("make", [made_up.geometry, made_up.neutrality, made_up.translation])
def test_damage_is_named(tmp_path: Path, make: Any) -> None:
    out = tmp_path / "out.html"
    number = 0

    def damaged(change: Any) -> str:
        nonlocal number
        number += 1
        manifest = json.loads(json.dumps(make()))
        change(manifest)
        return refusal([made_up.folder(tmp_path / str(number), manifest)], out)

    assert "missing required field `notes`" in damaged(lambda one: one.pop("notes"))
    assert "got `int` - at `$.made_by`" in damaged(lambda one: one.update(made_by=3))
    assert "at `$.options" in damaged(lambda one: one["options"].update(a=[1]))
    assert "at `$.notes[0]`" in damaged(lambda one: one.update(notes=[3]))
    assert "missing required field `layers`" in damaged(lambda one: one.pop("layers"))
    assert "got `object` - at `$.layers`" in damaged(lambda one: one.update(layers={}))
    assert "at `$.layers[0]`" in damaged(lambda one: one.update(layers=[3]))
    if make is not made_up.translation:  # whose other table is not by layer
        assert "not of the same encoders" in damaged(lambda one: one["layers"].pop())
    assert "not ascending" in damaged(lambda one: one.update(layers=[]))
    first = {made_up.geometry: "baseline", made_up.neutrality: "cka"}.get(make, "accuracy")
    for value in ("x", True, [1], math.inf):
        said = damaged(lambda one, value=value: one["layers"][1].update({first: value}))
        assert f"at `$.layers[1].{first}`" in said
    assert "at `$.layers[0].layer`" in damaged(lambda one: one["layers"][0].update(layer=-1))
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "manifest.json").write_text('{"format": ')
    assert "damaged: not JSON" in refusal([tmp_path / "cut"], out)


def test_claims_of_other_pairs_are_damage(tmp_path: Path) -> None:
    manifest = made_up.translation()
    manifest["claims"][0]["other"] = "fr"
    folder = made_up.folder(tmp_path / "damaged", manifest)
    assert "not of the same encoders" in refusal([folder], tmp_path / "out.html")
    one, two = (made_up.folder(tmp_path / name, made_up.translation()) for name in "nm")
    said = refusal([one, two], tmp_path / "out.html")
    assert f"measures 'tiny' in 'en-de', as {one} does" in said


def test_damaged_claims_and_lists_are_named(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    for number, (table, column, value) in enumerate((
        ("claims", "claim", "the earth is flat"), ("claims", "verdict", "maybe"),
        ("claims", "limit", None), ("isotropy", "rogue_dimensions", 15),
        ("isotropy", "shares_of_cosine", ["x"]), ("extremes", "context_specific", "some"),
        ("extremes", "word", ""),
    )):  # fmt: skip
        manifest = made_up.geometry()
        manifest[table][0][column] = value
        said = refusal([made_up.folder(tmp_path / str(number), manifest)], out)
        assert f"at `$.{table}[0].{column}" in said
    manifest = made_up.geometry()
    manifest["extremes"][0]["lang"] = "ja"
    assert "not of the same encoders" in refusal([made_up.folder(tmp_path / "x", manifest)], out)


def test_an_existing_report_stays(tmp_path: Path) -> None:
    folder = made_up.folder(tmp_path / "good", made_up.geometry())
    out = tmp_path / "out.html"
    out.write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        write_probe_report([folder], out)
    assert out.read_text() == "mine"
    write_probe_report([folder], out, overwrite=True)
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
