"""A command that cannot do what was asked: one clear sentence and an exit code."""


class Failure(Exception):
    """Ends a command; the words go to standard error."""

    def __init__(self, why: str, *, code: int = 1) -> None:
        super().__init__(why)
        self.code = code
