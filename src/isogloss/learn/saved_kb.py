"""The knowledge base that a saved model names: found again, and refused where it is another."""

from pathlib import Path

from msgspec import Struct

from isogloss.encode.source import way_to
from isogloss.errors import InputError, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.kb.matching.inflection import rules_fingerprint
from isogloss.storage.files import is_there
from isogloss.storage.refusals import without_detours


class SavedKb(Struct, frozen=True):
    """How the knowledge base is found and known again."""

    path: str
    fingerprint: str
    rules: str

    @classmethod
    def of(cls, kb: KnowledgeBase, path: Path, *, place: str | None = None) -> "SavedKb":
        """Return how a model in the folder `path` names it.

        Parameters
        ----------
        place
            Where its copy is in the model; None: it stays where it is.
        """
        return cls(place or way_to(kb.path, path), kb.fingerprint, rules_fingerprint())

    def open(self, path: Path, given: str | Path | KnowledgeBase | None) -> KnowledgeBase:
        """Return the knowledge base of the model in `path`.

        Parameters
        ----------
        given
            It, or where it is now, when it is not where it was.

        Raises
        ------
        InputError
            When it is gone, or has another fingerprint.
        """
        place = without_detours(path / self.path)
        if given is None and not is_there(place):
            raise InputError(
                f"the model's knowledge base is not at {place} any more; name it with --kb",
                path=path,
            )
        found = given if isinstance(given, KnowledgeBase) else KnowledgeBase.open(given or place)
        if found.fingerprint != self.fingerprint:
            raise InputError(
                f"the model was trained with another knowledge base (fingerprint "
                f"{self.fingerprint[:12]}) than {found.path} ({found.fingerprint[:12]}); "
                "name the right one with --kb or fit the model again",
                path=path,
            )
        if self.rules != rules_fingerprint():
            warn_omitted(
                f"{path} was fitted with other rules for finding names than this isogloss has: "
                "texts may name other entities than they did; fit the model again"
            )
        return found
