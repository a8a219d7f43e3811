"""A file that cannot become a document."""


class Unreadable(ValueError):
    """``message`` is our own sentence and quotes nothing of the file."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
