"""What isogloss keeps on disk, made small, and for each form a command that reads all of it.

`build_world` makes one folder with everything; a `Form` says which part of it is damaged and which
answer must then be the same, or be refused.
"""

import contextlib
import hashlib
import io
import json
import runpy
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HELPERS = Path(__file__).resolve().parents[1] / "helpers"
sys.path.append(str(HELPERS))

from cli_world import ENTITIES, GERMAN, JAPANESE, TRAIN, write_tsv  # noqa: E402
from small_task import Small, fit, weights  # noqa: E402

from isogloss.cli.main import main  # noqa: E402
from isogloss.errors import InputError  # noqa: E402
from isogloss.train import Checkpoints  # noqa: E402
from isogloss.vectors import (  # noqa: E402
    EntityVectors,
    Vocabulary,
    WordEntityVectors,
    write_vectors,
)

FOREIGN = ("word2vec-binary", "wikipedia2vec", "word2vec", "glove")


class RefusedError(Exception):
    """A command ended with one sentence."""


@dataclass(frozen=True)
class Form:
    """A kind of files.

    Attributes
    ----------
    folder
        Part of the world that is damaged.
    answer
        World → what is made of the files, as text; raises `RefusedError`.
    has_checksum
        Whether no other answer may come of a damage.
    share
        Of all damages.
    """

    folder: str
    answer: Callable[[Path], str]
    has_checksum: bool
    share: float


def command(*words: object) -> str:
    """Run a command line in this process; return its output.

    Raises
    ------
    RefusedError
        When it ends with 2 and one sentence; any other end is the caller's to report.
    """
    out, talk = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(talk):
        code = main([str(word) for word in words])
    out.flush()
    text = out.buffer.getvalue().decode()
    if code == 0:
        return text
    sentence = talk.getvalue().rstrip("\n").rpartition("\n")[2]
    if code == 2 and sentence.startswith("isogloss: ") and "Traceback" not in talk.getvalue():
        raise RefusedError(sentence)
    raise RuntimeError(f"code {code}: {talk.getvalue()}")


def build_world(root: Path) -> None:
    """Make one of each form; ``about`` beside them holds what commands read besides."""
    (root / "about").mkdir(parents=True)
    build_tiny = runpy.run_path(str(HELPERS / "tiny_models.py"))["build_tiny"]
    build_tiny(root / "encoder", kind="bert")
    names = root / "about" / "names.jsonl"
    names.write_text("".join(json.dumps(entity) + "\n" for entity in ENTITIES), "utf-8")
    train = write_tsv(root / "about" / "train.tsv", TRAIN)
    texts = [("en", text) for _, text in TRAIN] + [("de", text) for _, text in GERMAN]
    texts += [("ja", text) for _, text in JAPANESE]
    write_tsv(root / "about" / "texts.tsv", texts, header="lang\ttext")
    command("kb", "build", "--source", f"names:{names}", "--out", root / "kb")
    command("classify", "fit", "--train", f"en={train}", "--encoder", root / "encoder",
            "--kb", root / "kb", "--out", root / "model")  # fmt: skip
    _encode(root)
    _write_vectors(root)
    with contextlib.suppress(KeyboardInterrupt):
        _train(root / "checkpoint", stop_after=20)


def _write_vectors(root: Path) -> None:
    draw = np.random.default_rng(0)
    titles = {"Tokyo": "Q1490", "Germany": "Q183", "Tax": "Q8161"}
    words = ["beer", "snake_case", "東京", *(f"word{number}" for number in range(60))]
    matrix = draw.normal(size=(len(words) + len(titles), 16)).astype(np.float32)
    vocabulary = Vocabulary.of(words, list(titles), redirects={"Tokio": "Tokyo"})
    vectors = WordEntityVectors(vocabulary, matrix, {"lang": "en"})
    for form in ("native", *FOREIGN):
        (root / form).mkdir()
        write_vectors(vectors, root / form / "vectors", form)  # type: ignore[arg-type]
    (root / "entity").mkdir()
    EntityVectors([*titles.values(), "Q2"], matrix[:4]).save(root / "entity" / "vectors")


def _encode(root: Path) -> str:
    """Encode with the cache; where it was refused in part, in other batches, to 1e-5."""
    out, right = root / "about" / "out.npy", root / "about" / "right.npy"
    command("encode", "--encoder", root / "encoder", "--cache", root / "cache", "--overwrite",
            "--out", out, root / "about" / "texts.tsv")  # fmt: skip
    if not right.exists():
        shutil.copy(out, right)
    vectors, wanted = np.load(out), np.load(right)
    if vectors.shape == wanted.shape and np.allclose(vectors, wanted, rtol=0, atol=1e-5):
        return "the right vectors"
    return hashlib.sha256(out.read_bytes()).hexdigest()


def _encode_anew(root: Path) -> str:
    shutil.rmtree(root / "cache")
    return _encode(root)


def _link(root: Path) -> str:
    texts = root / "about" / "texts.tsv"
    said = command("kb", "link", root / "kb", texts, "--lang-column", "lang", "--pivot", "en")
    return said + command("kb", "info", root / "kb", "--json")


def _predict(root: Path) -> str:
    return command("classify", "predict", root / "model", root / "about" / "texts.tsv",
                   "--lang-column", "lang", "--json")  # fmt: skip


def _similar(form: str) -> Callable[[Path], str]:
    def answer(root: Path) -> str:
        out = root / "about" / "vectors.txt"
        path = root / form / "vectors"
        command("vectors", "convert", path, "--to", "wikipedia2vec", "--out", out, "--overwrite")
        name = "Q183" if form == "entity" else "ENTITY/Tokyo"
        return out.read_text("utf-8") + command("vectors", "similar", path, name)

    return answer


def _train(folder: Path, *, stop_after: int | None = None) -> str:
    left = [stop_after]

    def tick() -> None:
        if left[0] is not None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt

    module = Small(dropout=0.2)
    result = fit(module, checkpoints=Checkpoints(folder, seconds=0), average_checkpoints=2,
                 after_step=tick)  # fmt: skip
    whole = hashlib.sha256(b"".join(value.tobytes() for value in weights(module).values()))
    return f"{result} {whole.hexdigest()}"


def _resume(root: Path) -> str:
    try:
        return _train(root / "checkpoint")
    except InputError as error:
        raise RefusedError(f"isogloss: {error}") from error


FORMS = {
    "knowledge base": Form("kb", _link, True, 0.25),
    "knowledge base of a model": Form("kb", _predict, True, 0.05),
    "model": Form("model", _predict, True, 0.14),
    "encoder of a model": Form("encoder", _predict, True, 0.05),
    "encoder": Form("encoder", _encode_anew, False, 0.05),
    "checkpoint": Form("checkpoint", _resume, True, 0.08),
    "vector cache": Form("cache", _encode, True, 0.08),
    "vectors, native": Form("native", _similar("native"), True, 0.10),
    "vectors of entities": Form("entity", _similar("entity"), True, 0.06),
    **{f"vectors, {form}": Form(form, _similar(form), False, 0.035) for form in FOREIGN},
}
