from isogloss.text.compiled import compiled


def test_a_function_whose_code_cannot_be_saved_still_runs() -> None:
    space: dict[str, object] = {}
    exec("def double(x): return 2 * x", space)  # numba finds no folder for a function of no file
    assert compiled(space["double"])(21) == 42
