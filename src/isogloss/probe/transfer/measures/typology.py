"""How alike the word order of two languages is (Pires et al. 2019, Figure 2 and Table 5)."""

from dataclasses import dataclass

from isogloss.probe.transfer.measures.word_orders import (
    ADJECTIVE_NOUN,
    SUBJECT_VERB_OBJECT,
    WordOrder,
)

VERB_ORDERS = {"SVO": "SVO", "SOV": "SOV"}  # value in WALS → name of the group
ADJECTIVE_ORDERS = {"Adjective-Noun": "AN", "Noun-Adjective": "NA"}


@dataclass(frozen=True)
class SharedFeatures:
    """Of two languages, how many features have equal values, and how many are known of both."""

    n_shared: int
    n_known: int

    @property
    def share(self) -> float:
        """The share of the known features; NaN where none is known of both."""
        return self.n_shared / self.n_known if self.n_known else float("nan")

    @property
    def is_shown(self) -> bool:
        """Whether the pair is in Figure 2, which leaves out pairs that share none."""
        return self.n_shared > 0


def shared_features(first: WordOrder, second: WordOrder) -> SharedFeatures:
    """Compare the word order of two languages.

    Examples
    --------
    >>> english = WordOrder("eng", "English", {"81A": "SVO", "87A": "Adjective-Noun"})
    >>> french = WordOrder("fre", "French", {"81A": "SVO", "87A": "Noun-Adjective", "89A": "x"})
    >>> shared_features(english, french)
    SharedFeatures(n_shared=1, n_known=2)
    """
    known = first.values.keys() & second.values.keys()
    n_shared = sum(first.values[name] == second.values[name] for name in known)
    return SharedFeatures(n_shared, len(known))


def verb_order(order: WordOrder | None) -> str | None:
    """Return ``"SVO"`` or ``"SOV"``; None for any other order, or none that is known."""
    return None if order is None else VERB_ORDERS.get(order.values.get(SUBJECT_VERB_OBJECT, ""))


def adjective_order(order: WordOrder | None) -> str | None:
    """Return ``"AN"``, adjective before noun, or ``"NA"``; None for any other, or none known."""
    return None if order is None else ADJECTIVE_ORDERS.get(order.values.get(ADJECTIVE_NOUN, ""))
