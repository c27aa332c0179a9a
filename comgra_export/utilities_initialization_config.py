"""Switches that comgra has under this name. They are there so that scripts for comgra can set them, and do nothing."""

from __future__ import annotations

__all__ = ["DEBUG_MODE", "PRINT_EACH_TIME"]

DEBUG_MODE = False
PRINT_EACH_TIME = False
