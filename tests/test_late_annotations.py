"""Python 3.14 looks up annotations late: a name of the class hides one of the module there."""

import ast
from collections.abc import Iterator
from pathlib import Path

import isogloss

SOURCE = Path(isogloss.__file__).parent


def hidden_names(text: str) -> Iterator[str]:
    """Yield names in annotations of a class that mean its own function or default from 3.14 on."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ClassDef):
            continue
        functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        own = {part.name for part in functions} | {
            part.target.id for part in fields if part.value and isinstance(part.target, ast.Name)
        }
        annotations: list[ast.expr | None] = [part.annotation for part in fields]
        for part in functions:
            annotations.append(part.returns)
            annotations += [one.annotation for one in part.args.args + part.args.kwonlyargs]
        for annotation in filter(None, annotations):
            for one in ast.walk(annotation):
                if isinstance(one, ast.Name) and one.id in own:
                    yield f"{node.name}.{one.id}"


def test_no_class_hides_a_name_that_its_annotations_use() -> None:
    found = {
        str(path.relative_to(SOURCE)): names
        for path in SOURCE.rglob("*.py")
        if (names := list(hidden_names(path.read_text("utf-8"))))
    }
    assert not found


def test_a_hidden_name_is_found() -> None:
    text = "class A:\n    x: options.P = None\n    def options(self) -> int: ...\n"
    assert list(hidden_names(text)) == ["A.options"]
