"""The counting of conlleval (Tjong Kim Sang, version 2004-01-26), word by word as published."""


def chunk_ends(prev_tag: str, tag: str, prev_type: str, kind: str) -> bool:
    return (
        (prev_tag == "B" and tag in "BO")
        or (prev_tag == "I" and tag in "BO")
        or (prev_tag == "E" and tag in "EIO")
        or (prev_tag != "O" and prev_type != kind)
    )


def chunk_starts(prev_tag: str, tag: str, prev_type: str, kind: str) -> bool:
    return (
        (prev_tag in "BIO" and tag == "B")
        or (prev_tag == "O" and tag in "IE")
        or (prev_tag == "E" and tag in "EI")
        or (tag != "O" and prev_type != kind)
    )


def conlleval(gold: list[list[str]], predicted: list[list[str]]) -> tuple[int, int, int]:
    """Return correct, guessed and gold chunks; a boundary of sentences is a word with O."""
    n_correct = n_guessed = n_gold = 0
    in_correct = False
    last = last_guessed = ("O", "")
    words = [
        (tag, guess)
        for tags, guesses in zip(gold, predicted, strict=True)
        for tag, guess in [*zip(tags, guesses, strict=True), ("O", "O")]
    ]
    for tag, guess in words:
        this, this_guessed = ((one[:1], one[2:]) for one in (tag, guess))
        ends = chunk_ends(last[0], this[0], last[1], this[1])
        ends_guessed = chunk_ends(
            last_guessed[0], this_guessed[0], last_guessed[1], this_guessed[1]
        )
        if in_correct:
            if ends and ends_guessed and last[1] == last_guessed[1]:
                in_correct = False
                n_correct += 1
            elif ends != ends_guessed or this[1] != this_guessed[1]:
                in_correct = False
        starts = chunk_starts(last[0], this[0], last[1], this[1])
        starts_guessed = chunk_starts(
            last_guessed[0], this_guessed[0], last_guessed[1], this_guessed[1]
        )
        if starts and starts_guessed and this[1] == this_guessed[1]:
            in_correct = True
        n_gold += starts
        n_guessed += starts_guessed
        last, last_guessed = this, this_guessed
    return n_correct + in_correct, n_guessed, n_gold
