"""Tiny random models with each kind of tokenizer, and sentence-transformers chains of them."""

import json
from pathlib import Path
from typing import Any

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "Où est passée la forêt où chantaient les hérissons ?",
    "Съешь же ещё этих мягких французских булок.",
    "ذهب الولد إلى المدرسة في الصباح الباكر",
    "भारत एक विशाल देश है और यहाँ कई भाषाएँ हैं।",
    "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "北京是中华人民共和国的首都。",
    "東京は日本の首都です。カタカナも読みます。",
    "서울은 대한민국의 수도입니다.",
    "🙂🚀 emoji 👩‍👩‍👧 too",
    "",
    " \t\n ",
    "word " * 60,
    "<s> and </s> and [CLS] <mask>",
]


def build_tiny(
    directory: Path, *, kind: str, seed: int = 7, with_pooler: bool = True, spread: float = 0.3
) -> Path:
    """Write a random model of 2 layers, width 32, 40 tokens at most, as transformers does.

    Its weights are far apart, so that a mistake shows; for learning they need a small `spread`.
    """
    import torch
    from transformers import (
        BertConfig,
        BertModel,
        PreTrainedTokenizerFast,
        RobertaConfig,
        RobertaModel,
        XLMRobertaConfig,
        XLMRobertaModel,
    )

    config_class, model_class, n_positions = {
        "bert": (BertConfig, BertModel, 40),
        "roberta": (RobertaConfig, RobertaModel, 42),
        "xlm-roberta": (XLMRobertaConfig, XLMRobertaModel, 42),
    }[kind]
    tokenizer, names = train_tokenizer(kind)
    config = config_class(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=64, max_position_embeddings=n_positions,
        pad_token_id=tokenizer.token_to_id(names["pad_token"]), initializer_range=spread,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_class(config, add_pooling_layer=with_pooler)
    model.save_pretrained(directory)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **names)
    fast.save_pretrained(directory)
    return directory


def train_tokenizer(kind: str) -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    if kind == "bert":
        names = {
            "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]",
            "unk_token": "[UNK]", "mask_token": "[MASK]",
        }  # fmt: skip
    else:
        names = {
            "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>",
            "unk_token": "<unk>", "mask_token": "<mask>",
        }  # fmt: skip
    special = [names[f"{key}_token"] for key in ("cls", "pad", "sep", "unk", "mask")]
    trainer: Any
    if kind == "bert":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=400, special_tokens=special + _characters(tokenizer)
        )
    elif kind == "roberta":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=400, special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )  # fmt: skip
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=400, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer = _settled(tokenizer, special)
    start, end = names["cls_token"], names["sep_token"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in (start, end)],
    )
    return tokenizer, names


def _characters(tokenizer: Any) -> list[str]:
    """Return the pieces of one character in a fixed order: training breaks ties by their number."""
    found = set()
    for text in TEXTS:
        normal = tokenizer.normalizer.normalize_str(text)
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal):
            found |= {word[0]} | {f"##{one}" for one in word[1:]}
    return sorted(found)


def _settled(trained: Any, special: list[str]) -> Any:
    """Return the tokenizer with a vocabulary that is equal in every run, unlike the trainers'."""
    from tokenizers import Tokenizer, models

    from isogloss.align.pretraining.tokenizer_training import in_fixed_order

    model: Any = json.loads(trained.to_str())["model"]
    if isinstance(trained.model, models.WordPiece):
        model = models.WordPiece(trained.get_vocab(), unk_token="[UNK]")
    elif isinstance(trained.model, models.Unigram):
        learned = [(piece, score) for piece, score in model["vocab"]]
        n = len(special)
        model = models.Unigram(
            learned[:n] + in_fixed_order(learned[n:]), model["unk_id"], byte_fallback=False
        )
    else:
        return trained
    settled = Tokenizer(model)
    settled.normalizer, settled.pre_tokenizer = trained.normalizer, trained.pre_tokenizer
    settled.decoder = trained.decoder or settled.decoder
    settled.add_special_tokens(special)
    return settled


def build_chain(
    tiny: Path,
    directory: Path,
    *,
    modules: tuple[str, ...] = ("Transformer", "Pooling", "Normalize"),
    pooling: dict[str, Any] | None = None,
    dense: dict[str, Any] | None = None,
    prompts: dict[str, Any] | None = None,
    sentence_bert: dict[str, Any] | None = None,
) -> Path:
    """Write a sentence-transformers directory around a copy of the tiny model."""
    import shutil

    import numpy as np
    from safetensors.numpy import save_file

    shutil.copytree(tiny, directory)
    entries = []
    for number, kind in enumerate(modules):
        folder = "" if kind == "Transformer" else f"{number}_{kind}"
        entries.append(
            {
                "idx": number, "name": str(number), "path": folder,
                "type": f"sentence_transformers.models.{kind}",
            }
        )  # fmt: skip
        (directory / folder).mkdir(exist_ok=True)
        if kind == "Pooling":
            chosen = pooling or {"pooling_mode_mean_tokens": True}
            config: dict[str, Any] = {"word_embedding_dimension": 32} | chosen
            (directory / folder / "config.json").write_text(json.dumps(config))
        if kind == "Dense":
            config = {
                "in_features": 32, "out_features": 8, "bias": True,
                "activation_function": "torch.nn.modules.activation.Tanh",
            } | (dense or {})  # fmt: skip
            (directory / folder / "config.json").write_text(json.dumps(config))
            rng = np.random.default_rng(3)
            weights = {
                "linear.weight": rng.normal(size=(8, 32)).astype(np.float32),
                "linear.bias": rng.normal(size=8).astype(np.float32),
            }
            save_file(weights, directory / folder / "model.safetensors")
    (directory / "modules.json").write_text(json.dumps(entries))
    if prompts is not None:
        (directory / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    options = {"max_seq_length": 40, "do_lower_case": False} | (sentence_bert or {})
    (directory / "sentence_bert_config.json").write_text(json.dumps(options))
    return directory
