"""How templates speak a language: its words, times, sizes, numbers and prices."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from ccweb.clock import system_clock
from ccweb.hub import strings
from ccweb_contract.enums import EXPLANATIONS, Lang
from ccweb_contract.errors import MEANINGS, ErrorCode

_KIB: Final = 1024
_THOUSAND: Final = 1000
_CENTS: Final = 0.1
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What templates call to speak a language."""

    lang: Lang

    def say(self, key: str, /, **values: object) -> str:
        """Return a text of the page."""
        return strings.words(self.lang)[key].format(**values)

    def count(self, key: str, number: int) -> str:
        """Return a text that depends on a number: `key.one` or `key.many`."""
        return self.say(f"{key}.one" if number == 1 else f"{key}.many", count=number)

    def explain(self, member: StrEnum) -> str:
        """Return what a value of the contract means."""
        return EXPLANATIONS[type(member)][member.value][self.lang]

    def meaning(self, code: ErrorCode) -> str:
        """Return what a code of a refusal means."""
        return MEANINGS[code][self.lang]

    def ago(self, at: datetime) -> str:
        """Return how long ago something was, in its largest unit."""
        passed = max((system_clock() - at).total_seconds(), 0)
        for unit, seconds in (("days", _DAY_S), ("hours", _HOUR_S), ("minutes", _MINUTE_S)):
            if passed >= seconds:
                return self.say(f"ago.{unit}", count=int(passed // seconds))
        return self.say("ago.now")

    def duration(self, begun: datetime | None, ended: datetime | None) -> str:
        """Return the time between two moments as a person says it; '' when one is missing."""
        if begun is None or ended is None:
            return ""
        passed = max((ended - begun).total_seconds(), 0)
        if passed < 1:
            return self.say("duration.ms", count=round(passed * 1000))
        if passed < _MINUTE_S:
            return self.say("duration.s", count=f"{passed:.1f}" if passed < 10 else int(passed))
        minutes, seconds = divmod(int(passed), _MINUTE_S)
        return self.say("duration.min", minutes=minutes, seconds=seconds)

    def tokens(self, count: int) -> str:
        """Return a number of tokens, rounded as people say it."""
        if count < _THOUSAND:
            return str(count)
        if count < _THOUSAND * _THOUSAND:
            return self.say("number.thousand", count=f"{count / _THOUSAND:.1f}")
        return self.say("number.million", count=f"{count / _THOUSAND / _THOUSAND:.1f}")

    def money(self, microusd: int) -> str:
        """Return a price; a very small one with the digits that tell something."""
        dollars = microusd / 1_000_000
        return f"${dollars:.2f}" if dollars >= _CENTS else f"${dollars:.4f}"

    def size(self, characters: int) -> str:
        """Return the size of a text."""
        if characters < _KIB * _KIB:
            return self.say("size.kib", count=max(characters // _KIB, 1))
        return self.say("size.mib", count=f"{characters / _KIB / _KIB:.1f}")
