"""Train a vocabulary of subwords on texts of several languages, sampled by smoothed shares.

The work is done by the `tokenizers` library; here is what it leaves open: how much of each language
it sees (p ∝ n^0.3 in LaBSE, n the characters of a language), which characters get a token of their
own, and equal results of equal runs. The library numbers characters in the order of a hash table,
which differs from run to run, and breaks ties by those numbers: WordPiece so gets its characters
in a fixed order beforehand, and what Unigram learns is put in a fixed order afterwards.

Texts are read twice and never held: memory is that of the different words.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from isogloss.align.pretraining.text_counts import TextCounts, count_texts
from isogloss.align.sampling import smoothed_sizes
from isogloss.encode.foreign import TOKENIZER_CONFIG, library_faults
from isogloss.errors import InputError, did_you_mean, warn_caller, warn_omitted
from isogloss.limits import check_count
from isogloss.progress import activity
from isogloss.storage.files import atomic_directory, parse_json, read_json, write_json
from isogloss.train.options import is_number

Kind = Literal["unigram", "wordpiece"]
KINDS: tuple[Kind, ...] = ("unigram", "wordpiece")
MOST_TOKENS = 501_153  # of LaBSE
LARGEST_LENGTH = 1 << 20
FORMAT = "isogloss tokenizer 1"
SPECIALS: Mapping[Kind, Mapping[str, str]] = {
    "wordpiece": {
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    },
    "unigram": {
        "cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>",
        "mask_token": "<mask>",
    },
}  # fmt: skip
CONTINUES = "##"
_DELTA = 1e-4  # between the scores that the trainer gives to characters it has to keep


@dataclass(frozen=True)
class TrainedTokenizer:
    """A tokenizer, and what it was trained on.

    Attributes
    ----------
    backend
        The `tokenizers.Tokenizer`.
    kind
        ``"wordpiece"`` or ``"unigram"``.
    max_length
        Maximum number of tokens of a text, for those who read the directory.
    counts
        What there was of each language, and what was drawn of it, in characters.
    """

    backend: Any
    kind: Kind
    max_length: int
    counts: TextCounts
    drawn: Mapping[str, int] = field(default_factory=dict)

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special ones included."""
        return int(self.backend.get_vocab_size())

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write a directory that ``transformers.AutoTokenizer`` and `Pretrainer` read.

        Raises
        ------
        InputError
            When `folder` exists and `overwrite` is false.
        """
        from transformers import PreTrainedTokenizerFast

        names = dict(SPECIALS[self.kind])
        fast_class = "PreTrainedTokenizerFast"
        fast = PreTrainedTokenizerFast(
            tokenizer_object=self.backend, model_max_length=self.max_length, **names
        )
        with atomic_directory(Path(folder), overwrite=overwrite) as made:
            fast.save_pretrained(made)
            config = read_json(made / TOKENIZER_CONFIG, what="a tokenizer")
            # The name that transformers 4 knows too.
            write_json(made / TOKENIZER_CONFIG, config | {"tokenizer_class": fast_class})
            write_json(made / "special_tokens_map.json", names)
            facts = {
                "kind": self.kind, "vocab_size": self.vocab_size, "characters": self.counts.sizes,
                "drawn": dict(self.drawn),
            }  # fmt: skip
            write_json(made / "manifest.json", {"format": FORMAT} | facts)


def train_tokenizer(
    texts: Mapping[str, Iterable[str]],
    *,
    kind: Kind = "wordpiece",
    vocab_size: int = 32_000,
    smoothing: float = 0.3,
    cased: bool = True,
    max_length: int = 512,
    max_characters: int = 200_000_000,
    seed: int = 0,
) -> TrainedTokenizer:
    """Train a tokenizer on texts of several languages.

    Parameters
    ----------
    texts
        Language to its texts, which are gone through twice: a list, or an object that begins anew
        each time; no iterator that can be used up.
    kind
        ``"wordpiece"`` (BERT's words and ``##`` continuations) or ``"unigram"`` (Kudo 2018, as in
        XLM-R; words are told apart by blanks).
    vocab_size
        Number of tokens, special ones included; at most LaBSE's 501,153. Fewer where there are not
        as many in the texts.
    smoothing
        A language with n characters is drawn in proportion to n to this power.
    cased
        Whether upper and lower case stay apart; accents always do.
    max_length
        Maximum number of tokens of a text, for those who use the tokenizer.
    max_characters
        Characters drawn in all, at most; so many bound the time and the memory.
    seed
        Of the draw of texts.

    Raises
    ------
    InputError
        For texts without any character, an iterator, or an option out of range.

    Warns
    -----
    OmissionWarning
        With the number of rare characters for which the vocabulary has no room.
    UserWarning
        When the texts do not hold as many tokens.

    Examples
    --------
    >>> found = train_tokenizer({"en": ["a fox", "a dog"], "de": ["ein Fuchs"]}, vocab_size=80)
    >>> found.backend.encode("a fox").tokens
    ['[CLS]', 'a', 'fox', '[SEP]']
    """
    _check(kind, vocab_size, smoothing, max_length, max_characters)
    for lang, some in texts.items():
        if isinstance(some, str) or iter(some) is some:
            raise InputError(
                f"the texts of '{lang}' can be gone through once; give a list, or an object that "
                "begins anew each time"
            )
    empty = _empty(kind, cased=cased)
    normalized = empty.normalizer.normalize_str
    with activity("counting characters"):
        counts = count_texts(texts, normalized)
    alphabet = _alphabet(counts, empty, kind, most=(vocab_size - len(SPECIALS[kind])) // 2)
    total = min(max_characters, sum(counts.sizes.values()))
    langs = list(counts.sizes)
    drawn = dict(zip(langs, smoothed_sizes(list(counts.sizes.values()), smoothing, total=total),
                     strict=True))  # fmt: skip
    known = {*alphabet}
    left_out = str.maketrans({one: " " for one in counts.characters if one not in known})

    def sampled() -> Iterator[str]:
        for lang, n in drawn.items():
            for text in _sampled(texts[lang], n / counts.sizes[lang], [seed, langs.index(lang)]):
                yield normalized(text).translate(left_out) if left_out else text

    with activity("training the tokenizer"), library_faults(None, "no tokenizer could be trained"):
        train = {"wordpiece": _train_wordpiece, "unigram": _train_unigram}[kind]
        trained = train(empty, sampled(), vocab_size, alphabet)
    found = TrainedTokenizer(_finished(trained, kind), kind, max_length, counts, drawn)
    if found.vocab_size < vocab_size:
        warn_caller(
            f"the vocabulary has {found.vocab_size:,} tokens: the texts hold no {vocab_size:,}"
        )
    return found


def _check(kind: Any, vocab_size: Any, smoothing: Any, max_length: Any, most: Any) -> None:
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"kind is {kind!r:.40}; {did_you_mean(str(kind), KINDS)}")
    check_count("vocab_size", vocab_size, least=len(SPECIALS[kind]) + 8, most=MOST_TOKENS)
    check_count("max_length", max_length, least=3, most=LARGEST_LENGTH)
    check_count("max_characters", most)
    if not is_number(smoothing) or not 0.0 <= smoothing <= 1.0:
        raise InputError(f"smoothing is {smoothing!r:.40}; give 0 to 1")


def _alphabet(counts: TextCounts, tokenizer: Any, kind: Kind, *, most: int) -> list[str]:
    """Return the characters that get tokens of their own, the most frequent; count the others.

    With WordPiece a character has a second one, ``##c``, where it can continue a word.

    Parameters
    ----------
    most
        Tokens that characters may take.
    """
    ranked = sorted(counts.characters, key=lambda one: (-counts.characters[one], one))
    ranked = [one for one in ranked if not one.isspace()]
    if not ranked:
        raise InputError("the texts hold no character to learn from; give other files")
    found: list[str] = []
    n_used = n_kept = 0
    for one in ranked:
        tokens = [one, CONTINUES + one] if kind == "wordpiece" and _continues(one, tokenizer) else [
            one
        ]  # fmt: skip
        if len(found) + len(tokens) > most:
            break
        found += tokens
        n_kept += 1
        n_used += counts.characters[one]
    n_all = sum(counts.characters[one] for one in ranked)
    if n_kept < len(ranked):
        warn_omitted(
            f"{len(ranked) - n_kept:,} of {len(ranked):,} different characters "
            f"({100 * (1 - n_used / n_all):.3g} % of the text) get no token and become "
            f"{SPECIALS[kind]['unk_token']}; a larger vocabulary takes more"
        )
    return sorted(found, key=lambda token: (token.startswith(CONTINUES), token))


def _continues(character: str, tokenizer: Any) -> bool:
    """Whether a character can stand inside a word: Han and punctuation are words of their own."""
    inside = tokenizer.normalizer.normalize_str(f"a{character}a")
    return len(tokenizer.pre_tokenizer.pre_tokenize_str(inside)) == 1


def _sampled(texts: Iterable[str], share: float, seed: Sequence[int]) -> Iterator[str]:
    """Yield each text `share` times: the whole part of it, and once more with that probability."""
    generator = np.random.default_rng(seed)
    whole, rest = divmod(share, 1.0)
    for text in texts:
        for _ in range(int(whole) + int(generator.random() < rest)):
            yield text


def _empty(kind: Kind, *, cased: bool) -> Any:
    """Return an untrained tokenizer: how texts are normalised, and cut into words."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    if kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece({}, unk_token=SPECIALS[kind]["unk_token"]))
        # Without accents, Indic vowels would go with those of Latin.
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased, strip_accents=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return tokenizer
    tokenizer = Tokenizer(models.Unigram())
    steps = [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    tokenizer.normalizer = normalizers.Sequence(
        steps + ([] if cased else [normalizers.Lowercase()])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def _train_wordpiece(
    tokenizer: Any, texts: Iterator[str], vocab_size: int, alphabet: list[str]
) -> Any:
    from tokenizers import models, trainers

    specials = list(SPECIALS["wordpiece"].values())
    # The trainer merges by count and breaks ties by number, so that numbers must be settled.
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=[*specials, *alphabet], show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    learned = tokenizer.get_vocab(with_added_tokens=True)
    tokenizer = _like(tokenizer)
    tokenizer.model = models.WordPiece(learned, unk_token=SPECIALS["wordpiece"]["unk_token"])
    return tokenizer


def _train_unigram(
    tokenizer: Any, texts: Iterator[str], vocab_size: int, alphabet: list[str]
) -> Any:
    from tokenizers import models, trainers

    names = SPECIALS["unigram"]
    trainer = trainers.UnigramTrainer(
        vocab_size=vocab_size, special_tokens=list(names.values()), unk_token=names["unk_token"],
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    learned = [(one, score) for one, score in parse_json(tokenizer.to_str())["model"]["vocab"]]
    n_specials = len(names)
    ordered = learned[:n_specials] + in_fixed_order(learned[n_specials:])
    tokenizer = _like(tokenizer)
    unknown = list(names.values()).index(names["unk_token"])
    tokenizer.model = models.Unigram(ordered, unk_id=unknown, byte_fallback=False)
    return tokenizer


def in_fixed_order(learned: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return what Unigram learned in an order that does not depend on the run.

    Characters that are too rare for the model, but have to be kept, get scores just above its
    lowest, in steps of 0.0001 and in the order of a hash table: these scores are given out anew,
    in the order of the characters. Other scores are sums in another order, and are rounded.
    """
    lowest = min((score for _, score in learned), default=0.0)
    n_single = sum(len(one) == 1 for one, _ in learned)
    bound = lowest + _DELTA * (n_single + 2)
    is_rest = [len(one) == 1 and score <= bound for one, score in learned]
    scores = sorted((pair[1] for pair, rest in zip(learned, is_rest, strict=True) if rest))
    names = sorted(pair[0] for pair, rest in zip(learned, is_rest, strict=True) if rest)
    others = [pair for pair, rest in zip(learned, is_rest, strict=True) if not rest]
    settled = [*others, *zip(names, reversed(scores), strict=True)]
    rounded = [(one, round(score, 6)) for one, score in settled]
    return sorted(rounded, key=lambda pair: (-pair[1], pair[0]))


def _like(tokenizer: Any) -> Any:
    """Return a tokenizer with the same words and nothing learned."""
    from tokenizers import Tokenizer

    found = Tokenizer(type(tokenizer.model)())
    found.normalizer, found.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    return found


def _finished(tokenizer: Any, kind: Kind) -> Any:
    """Add the special tokens and what goes around a text, or around two."""
    from tokenizers import AddedToken, decoders, processors

    names = SPECIALS[kind]
    tokenizer.add_special_tokens(
        [AddedToken(one, special=True, normalized=False, lstrip=name == "mask_token")
         for name, one in names.items()]
    )  # fmt: skip
    start, end = names["cls_token"], names["sep_token"]
    between = end if kind == "wordpiece" else f"{end} {end}"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", pair=f"{start} $A {between} $B {end}",
        special_tokens=[(one, tokenizer.token_to_id(one)) for one in (start, end)],
    )  # fmt: skip
    decoder: dict[Kind, Callable[[], Any]] = {
        "wordpiece": lambda: decoders.WordPiece(prefix=CONTINUES),
        "unigram": decoders.Metaspace,
    }
    tokenizer.decoder = decoder[kind]()
    return tokenizer
