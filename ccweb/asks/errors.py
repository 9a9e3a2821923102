"""Refusals about forms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from ccweb.asks.fields import Problem
from ccweb.errors import CcwebError
from ccweb_contract.errors import ErrorCode

_SHOWN: Final = 5


@dataclass(eq=False)
class FormNotFound(CcwebError):
    """The form does not exist, or another conversation has asked for it."""

    code: ClassVar = ErrorCode.FORM_NOT_FOUND
    form_id: str

    @property
    def detail(self) -> str:
        return f"There is no form {self.form_id!r} of yours."


@dataclass(eq=False)
class AnswersRefused(CcwebError):
    """Answers do not fit the form that they are for."""

    code: ClassVar = ErrorCode.INVALID_PARAMS
    problems: Mapping[str, Problem]
    """By the name of the field."""

    @property
    def detail(self) -> str:
        first = list(self.problems.items())[:_SHOWN]
        return " ".join(f"`{name[:64]}`: {problem.sentence}" for name, problem in first)
