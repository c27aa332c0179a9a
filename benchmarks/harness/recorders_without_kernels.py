"""Our recorder as on a machine without a C compiler. Imported only in a process of its own, before anything of the recorder."""

from __future__ import annotations

import sys

from comgra_export import native

__all__ = ["our_recorder_without_kernels"]

if "comgra_export.recorder" in sys.modules:
    raise ImportError("The recorder is here already, with its kernels.")
native.load_kernels = lambda: None  # type: ignore[assignment]

from benchmarks.harness.recorders import our_recorder as our_recorder_without_kernels  # noqa: E402
