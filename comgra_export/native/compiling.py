"""Compiling the C files here when the package is installed. Without a compiler, the package still works, only slower.

The build loads this module by itself, where nothing but Python's own library can be imported.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

__all__ = ["LIBRARY", "SOURCES", "compile_kernels", "fingerprint"]

SOURCES = tuple(sorted(Path(__file__).parent.glob("*.[ch]")))
"""What the kernels are made of."""

LIBRARY = Path(__file__).with_name("_kernels.dll" if sys.platform == "win32" else "_kernels.so")
"""The compiled kernels, if there are any."""

# Nobody looks at `errno`, or at the flags of floating-point exceptions. A product that is added may be rounded once instead of twice. No
# other rule of arithmetic is bent.
_FLAGS = ("-std=c11", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fPIC", "-shared")


def fingerprint(sources: Sequence[Path] = SOURCES) -> int:
    """What tells a library of these files, compiled as it is here, from others: from 0 to 2**31 - 1."""
    return zlib.crc32(b"".join([*map(str.encode, _FLAGS), *(source.read_bytes() for source in sources)])) & 0x7FFFFFFF


def compile_kernels(sources: Sequence[Path] = SOURCES, library: Path = LIBRARY) -> str | None:
    """Compiles the kernels, with the compiler that the variable `CC` names, or else `cc`.

    The compiler has to understand the options of GCC. On Windows, Clang for MinGW does, and so does Zig:
    `CC="python -m ziglang cc -target x86_64-windows-gnu"`. On macOS, `ARCHFLAGS` says for which processors to compile.

    What was compiled before is replaced as soon as the new library is there; where none comes of it, it is removed.

    Args:
        sources: The C files, and the headers beside them.
        library: What to write.

    Returns:
        None; or why there are no compiled kernels, as a clause.
    """
    try:
        reason = _compile(sources, library)
        if reason is not None:
            library.unlink(missing_ok=True)
        return reason
    except OSError as error:
        return f"they could not be compiled: {error}"


def _compile(sources: Sequence[Path], library: Path) -> str | None:
    compiler = shlex.split(os.environ.get("CC", "cc"), posix=sys.platform != "win32")
    if not compiler or shutil.which(compiler[0]) is None:
        return "there is no C compiler (cc, or what CC names)"
    # Another process may load or pack the library that is there, so it stays until it is replaced. Some compilers write files beside
    # their result: all of them go into a folder of their own.
    with tempfile.TemporaryDirectory(prefix=f"{library.name}.", dir=library.parent) as folder:
        unfinished = Path(folder, library.name)
        files = [str(source) for source in sources if source.suffix == ".c"]
        processors = shlex.split(os.environ.get("ARCHFLAGS", "")) if sys.platform == "darwin" else []
        command = [*compiler, *_FLAGS, *processors, f"-DFINGERPRINT={fingerprint(sources)}", *files, "-o", str(unfinished), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"the compiler failed: {done.stderr.strip()[-500:]}"
        unfinished.replace(library)
    return None
