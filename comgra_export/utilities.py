"""Helpers that comgra has under this name, so that scripts for comgra can import them. Nothing here needs torch."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Collection
from types import TracebackType
from typing import TypeVar

from comgra_export import utilities_initialization_config

__all__ = [
    "DEBUG_MODE",
    "PRINT_EACH_TIME",
    "get_error_message_details",
    "print_total_runtimes",
    "runtime_analysis_decorator",
    "the",
    "warn_once",
]

_Element = TypeVar("_Element")
_Function = TypeVar("_Function", bound=Callable[..., object])
_ErrorInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]

DEBUG_MODE = utilities_initialization_config.DEBUG_MODE
PRINT_EACH_TIME = utilities_initialization_config.PRINT_EACH_TIME

_printed: set[str] = set()


def warn_once(msg: str) -> None:
    """Prints a message, unless it was printed before."""
    if msg not in _printed:
        _printed.add(msg)
        print(msg)


def get_error_message_details(exception: _ErrorInfo | None = None) -> str:
    """An exception with its traceback, as text.

    Args:
        exception: What `sys.exc_info()` returned. By default the exception that is being handled.
    """
    kind, error, trace = sys.exc_info() if exception is None else exception
    return "".join(traceback.format_exception(kind, error, trace))


def runtime_analysis_decorator(function: _Function) -> _Function:
    """Returns the function as it is. comgra measures its own run time with it, and only if it is being debugged."""
    return function


def print_total_runtimes() -> None:
    """Does nothing: nothing was measured."""


def the(a: Collection[_Element]) -> _Element:
    """The only element of a collection.

    Raises:
        ValueError: It does not have exactly one.
    """
    if len(a) != 1:
        raise ValueError(f"There should be exactly one element, and there are {len(a)}.")
    return next(iter(a))
