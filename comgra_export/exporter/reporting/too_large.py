"""A bundle that is larger than it may be: what the writer reports, and what the choice of what to keep goes by."""

from __future__ import annotations

__all__ = ["TooLargeError"]


class TooLargeError(Exception):
    """A bundle turned out to be larger than it may be.

    Attributes:
        bytes: Its size so far.
        numbers_raw: Raw bytes of the numbers in it so far; None if it is complete.
        numbers_encoded: What these take in the bundle.
    """

    def __init__(self, count: float, numbers_raw: int | None = None, numbers_encoded: float = 0) -> None:
        super().__init__(f"{count:.0f} bytes")
        self.bytes = count
        self.numbers_raw = numbers_raw
        self.numbers_encoded = numbers_encoded

    def projected(self, numbers: int) -> float:
        """Its size with this many raw bytes of numbers, if the rest is like what is there."""
        if not self.numbers_raw:
            return self.bytes
        return self.bytes + self.numbers_encoded * max(0.0, numbers / self.numbers_raw - 1)
