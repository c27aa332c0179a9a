"""What rules say, for readers that do not know what backticks mean."""

from __future__ import annotations

import re

__all__ = ["as_sentence", "in_plain_text", "reason_of"]

_CODE = re.compile(r"`([^`]+)`")


def in_plain_text(text: str) -> str:
    """A text with quotes around names and code, in place of backticks: `'model.0: output' is the result of softmax`."""
    return _CODE.sub(r"'\1'", text)


def as_sentence(text: str) -> str:
    """A text with a capital letter at its beginning and a full stop at its end, unless it has them."""
    end = "" if text.endswith((".", "!", "?")) else "."
    return text[:1].upper() + text[1:] + end if text else ""


def reason_of(reason: str, rules: int) -> str:
    """Why so many rules were not checked. A reason is written for one of them: `the loss functions that this rule checks ...`."""
    return reason if rules == 1 else reason.replace("this rule checks", "these rules check")
