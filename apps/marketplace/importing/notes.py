"""What an import says about single members of a document."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class Outcome(StrEnum):
    IGNORED = "ignored"
    CLAMPED = "clamped"
    REFUSED = "refused"
    NOTICED = "noticed"


@dataclass(frozen=True, slots=True)
class Note:
    """One line: which member, what became of it, and why. Never a value."""

    member: str
    outcome: Outcome
    why: str

    def __str__(self) -> str:
        return f"{self.member}: {self.outcome.value}: {self.why}"


@dataclass(slots=True)
class Notes:
    """The lines of one document; an import with a refusal changes nothing."""

    lines: list[Note] = field(default_factory=list)

    def ignored(self, member: str, why: str) -> None:
        self.lines.append(Note(member, Outcome.IGNORED, why))

    def clamped(self, member: str, why: str) -> None:
        self.lines.append(Note(member, Outcome.CLAMPED, why))

    def refused(self, member: str, why: str) -> None:
        self.lines.append(Note(member, Outcome.REFUSED, why))

    def noticed(self, member: str, why: str) -> None:
        self.lines.append(Note(member, Outcome.NOTICED, why))

    @property
    def has_refusal(self) -> bool:
        return any(note.outcome is Outcome.REFUSED for note in self.lines)

    def __iter__(self) -> Iterator[Note]:
        return iter(self.lines)
