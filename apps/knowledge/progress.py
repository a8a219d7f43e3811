"""A progress bar for the command line: one line that moves on a terminal, one line a document elsewhere."""

from django.core.management.base import OutputWrapper

WIDTH = 24
NAME_WIDTH = 40


class ProgressBar:
    """``total`` is how many documents there are."""

    def __init__(self, stream: OutputWrapper, total: int) -> None:
        self._stream = stream
        self._total = total
        self._finished = 0
        self._moves = stream.isatty()

    def passages(self, name: str, done: int, total: int) -> None:
        """Some passages of the document under way are embedded."""
        if self._moves:
            share = (self._finished + (done / total if total else 0)) / self._total
            self._draw(share, f"{_short(name)} {done}/{total}")

    def finished(self, name: str, outcome: str) -> None:
        """One document is done with, in whatever way."""
        self._finished += 1
        if not self._moves:
            self._write(f"[{self._finished}/{self._total}] {name}: {outcome}\n")
            return
        self._draw(self._finished / self._total, f"{_short(name)}: {outcome}")
        if self._finished == self._total:
            self._write("\n")

    def note(self, text: str) -> None:
        """A line of its own."""
        self._write(f"\r\x1b[K{text}\n" if self._moves else f"{text}\n")

    def _draw(self, share: float, text: str) -> None:
        filled = round(share * WIDTH)
        bar = "#" * filled + "." * (WIDTH - filled)
        self._write(f"\r\x1b[K[{bar}] {self._finished}/{self._total} {text}")

    def _write(self, text: str) -> None:
        # Plain: what goes to standard error is red otherwise.
        self._stream.write(text, style_func=str, ending="")
        self._stream.flush()


def _short(name: str) -> str:
    return name if len(name) <= NAME_WIDTH else f"…{name[1 - NAME_WIDTH :]}"
