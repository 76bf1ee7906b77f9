"""Groups of options: each a frozen dataclass, declared once and taken by many commands.

A field of a group is an option: its annotation says how it is read, its default what holds without
it. Of a dataclass of the library, which knows nothing of typer, ``Annotated[Group, Fields(…)]``
says how its fields are read. A command that takes groups is decorated with `grouped`; typer sees
one flat list of options. What makes an option useless stands beside it as `OnlyWith`;
``Annotated[Group, OnlyWith(…)]`` says it of all options of a group.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from isogloss.errors import InputError
from isogloss.limits import LARGEST_COUNT


def count(help: str, *names: str, least: int = 1, most: int = LARGEST_COUNT) -> Any:
    """Return the option for a whole number from `least` to `most`."""
    return typer.Option(*names, min=least, max=most, help=help)


class Fields:
    """Say which fields of a library's dataclass are options, and how each is read.

    Parameters
    ----------
    options
        Field → what `typer.Option` returns, or that and an `OnlyWith`. The field has the type and
        the default; other fields keep theirs.
    """

    def __init__(self, **options: Any) -> None:
        self.options = {
            name: option if isinstance(option, tuple) else (option,)
            for name, option in options.items()
        }


class OnlyWith:
    """Mark an option that is of use only where one of these conditions holds.

    Parameters
    ----------
    conditions
        ``"kb"``: that option of the command has a value; ``"tune=lora"``: it is this one;
        ``"!remove"``: the opposite; ``"@entities"``: a fact that the command finds out and states
        with `Given.refuse_useless`.
    why
        What follows the option in the sentence: ``"is for …; give --kb too"``.
    """

    def __init__(self, *conditions: str, why: str) -> None:
        self.conditions, self.why = conditions, why

    @property
    def names(self) -> set[str]:
        """The options and facts that the conditions ask for."""
        return {one.removeprefix("!").partition("=")[0] for one in self.conditions}

    def holds(self, values: Mapping[str, object]) -> bool:
        """Whether the option is of use with these values of options and facts."""
        return any(_holds(one, values) for one in self.conditions)


@dataclass(frozen=True)
class Given:
    """What was given on the command line, also with the value that it has by default."""

    spelled: Mapping[str, str]  # parameter that was given → how the help names it
    rules: Mapping[str, tuple[OnlyWith, ...]]  # parameter → when it is of use

    def refuse_useless(self, values: Mapping[str, object]) -> None:
        """Raise `InputError` for an option that was given and is of no use.

        Parameters
        ----------
        values
            Options (``"kb"``) or facts (``"@entities"``); rules that ask for others do not count.
        """
        for name, option in self.spelled.items():
            for rule in self.rules.get(name, ()):
                if rule.names <= values.keys() and not rule.holds(values):
                    raise InputError(f"{option} {rule.why}")


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the groups it takes; a parameter `Given` gets what was given.

    Raises
    ------
    ValueError
        When a rule asks for an option that the command has not: it would never refuse anything.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    flat = [Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    rules: dict[str, tuple[OnlyWith, ...]] = {}
    for name, parameter in signature(command).parameters.items():
        kind, marks = _parts(hints[name])
        if isinstance(kind, type) and is_dataclass(kind) and kind is not Given:
            options = _options(kind, marks)
            groups[name] = kind, [option[0] for option in options]
        else:
            options = [(name, hints[name], parameter.default, marks)]
        for option, hint, default, marked in options if kind is not Given else ():
            flat.append(Parameter(option, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
            rules[option] = tuple(mark for mark in marked if isinstance(mark, OnlyWith))
    known = {parameter.name for parameter in flat}
    for rule in (rule for marked in rules.values() for rule in marked):
        if unknown := {name for name in rule.names - known if not name.startswith("@")}:
            raise ValueError(f"{command.__name__} has no option {', '.join(unknown)}")

    @wraps(command)
    def run(context: typer.Context, **values: Any) -> None:
        given = Given(_spelled(context), rules)
        given.refuse_useless(values)
        made: dict[str, Any] = {name: given for name, hint in hints.items() if hint is Given}
        for name, (kind, options) in groups.items():
            made[name] = kind(**{option: values.pop(option) for option in options})
        command(**made, **values)

    run.__signature__ = Signature(flat)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run


def _options(
    group: type[Any], marks: tuple[Any, ...]
) -> list[tuple[str, Any, Any, tuple[Any, ...]]]:
    """Return name, annotation, default and marks of each option of a group."""
    hints = get_type_hints(group, include_extras=True)
    for mark in marks:
        if isinstance(mark, Fields):
            hints = {name: Annotated[(hints[name], *how)] for name, how in mark.options.items()}
    defaults = {
        one.name: Parameter.empty if one.default is MISSING else one.default
        for one in fields(group)
    }
    return [
        (name, hint, defaults[name], (*marks, *_parts(hint)[1]))
        for name, hint in hints.items()
        if name in defaults
    ]


def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of an annotation, and what else is in it."""
    if get_origin(hint) is not Annotated:
        return hint, ()
    kind, *marks = get_args(hint)
    return kind, tuple(marks)


def _spelled(context: typer.Context) -> dict[str, str]:
    found = {}
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            is_argument = parameter.param_type_name == "argument"
            found[name] = name.upper() if is_argument else parameter.opts[0]
    return found


def _holds(condition: str, values: Mapping[str, object]) -> bool:
    name, equals, wanted = condition.removeprefix("!").partition("=")
    value = values[name]
    is_given = value is not None and value is not False and value not in ("", [], ())
    holds = str(value) == wanted if equals else is_given
    return holds is not condition.startswith("!")
