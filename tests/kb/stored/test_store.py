import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.stored.write import pack_strings, unpack_string

MakeKb = Callable[..., KnowledgeBase]
RECORDS = [
    {"id": f"e:{i}", "names": {"en": [f"river {i}", "river"], "ja": ["川辺"], "ar": ["نهر"]}}
    for i in range(9)
]


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_same_input_same_bytes(make_kb: MakeKb) -> None:
    first, second = make_kb(*RECORDS), make_kb(*RECORDS)
    one, two = files_of(first.path), files_of(second.path)
    manifests = [json.loads(part.pop("manifest.json")) for part in (one, two)]
    assert one == two
    for manifest in manifests:  # the name of the source differs, and the checksum with it
        del manifest["checksum"], manifest["sources"][0]["name"]
    assert manifests[0] == manifests[1]
    assert first.fingerprint == second.fingerprint


def test_other_content_other_fingerprint(make_kb: MakeKb) -> None:
    assert make_kb(*RECORDS).fingerprint != make_kb(*RECORDS[1:]).fingerprint


def test_every_changed_byte_is_found_and_its_file_named(make_kb: MakeKb) -> None:
    kb = make_kb(*RECORDS)
    kb.verify()
    for name in ("entities.bin", "languages/ja.bin"):
        path = kb.path / name
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(InputError, match=name):
            KnowledgeBase.open(kb.path).verify()
        path.write_bytes(content)


def test_a_file_cut_off_or_missing_is_found_on_opening(make_kb: MakeKb) -> None:
    path = make_kb(*RECORDS).path
    file = path / "languages" / "ar.bin"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(InputError, match=r"ar\.bin: damaged"):
        KnowledgeBase.open(path)
    file.unlink()
    with pytest.raises(InputError, match=r"ar\.bin: missing"):
        KnowledgeBase.open(path)


def test_what_is_no_knowledge_base_is_refused(tmp_path: Path, make_kb: MakeKb) -> None:
    with pytest.raises(InputError, match="no such knowledge base"):
        KnowledgeBase.open(tmp_path / "none")
    with pytest.raises(InputError, match=r"has no manifest\.json"):
        KnowledgeBase.open(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match="does not say format"):
        KnowledgeBase.open(tmp_path)
    path = make_kb(*RECORDS).path
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    (path / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(InputError, match="format version 99"):
        KnowledgeBase.open(path)
    (path / "manifest.json").write_text(json.dumps({**manifest, "n_entities": 8}))
    with pytest.raises(InputError, match=r"manifest\.json: damaged"):
        KnowledgeBase.open(path)


def test_an_existing_folder_is_kept_unless_told_otherwise(make_kb: MakeKb) -> None:
    kb = make_kb(*RECORDS)
    file = kb.path.parent / "names0.jsonl"
    before = files_of(kb.path)
    with pytest.raises(InputError, match="already exists"):
        build_knowledge_base([f"names:{file}"], kb.path)
    file.write_text('{"id": "e:1", "names": {"en": ["a lake"]}}\n{oops\n')
    with pytest.raises(InputError, match="not JSON"):
        build_knowledge_base([f"names:{file}"], kb.path, overwrite=True)
    assert files_of(kb.path) == before
    build_knowledge_base([f"names:{file}"], kb.path, overwrite=True, skip_bad=True)
    assert KnowledgeBase.open(kb.path).n_entities == 1
    assert [path.name for path in kb.path.parent.iterdir() if path.name.startswith(".")] == []


def test_arrays_and_strings_come_back_read_only(make_kb: MakeKb) -> None:
    strings = ["", "東京", "é\ud800", "🙂"]
    data, offsets = pack_strings(strings)
    assert [unpack_string(data, offsets, i) for i in range(len(strings))] == strings
    arrays = make_kb(*RECORDS).names_in("ja")
    assert arrays["records"].shape[1] == 4
    assert not any(array.flags.writeable for array in arrays.values())
