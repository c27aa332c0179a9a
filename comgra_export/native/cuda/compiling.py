"""Compiling the CUDA files here with NVRTC, the compiler that comes with PyTorch."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["SOURCES", "CannotCompileError", "compile_kernels", "find_compiler"]

SOURCES = tuple(Path(__file__).with_name(name) for name in ("statistics.cu", "eigenvalues.cu"))
"""What the kernels are made of, in order."""


class CannotCompileError(Exception):
    """There are no kernels for a device. The message says why, as a clause."""


def find_compiler(names: Sequence[str], folders: Iterable[Path]) -> ctypes.CDLL:
    """Loads the library of the compiler.

    Args:
        names: The names of its file that will do, the best first.
        folders: Folders to look in, after those of the system.

    Raises:
        CannotCompileError: It is not found.
    """
    candidates = [*names, *(str(folder / name) for folder in folders for name in names)]
    for candidate in candidates:
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise CannotCompileError(f"the compiler NVRTC was not found ({' or '.join(names)})")


def compile_kernels(compiler: ctypes.CDLL, architecture: str) -> bytes:
    """Compiles the kernels. That takes about half a second.

    Args:
        compiler: What `find_compiler` returns.
        architecture: The processors they are for, such as `sm_90`.

    Returns:
        Machine code, as the driver loads it.

    Raises:
        CannotCompileError: The compiler refuses.
    """
    source = "\n".join(path.read_text("utf-8") for path in SOURCES).encode()
    program = ctypes.c_void_p()
    _check(compiler, compiler.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None))
    try:
        options = (ctypes.c_char_p * 2)(f"--gpu-architecture={architecture}".encode(), b"--std=c++17")
        if compiler.nvrtcCompileProgram(program, len(options), options):
            raise CannotCompileError(f"the compiler failed: {_log(compiler, program)}")
        size = ctypes.c_size_t()
        _check(compiler, compiler.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        code = ctypes.create_string_buffer(size.value)
        _check(compiler, compiler.nvrtcGetCUBIN(program, code))
        return code.raw
    finally:
        compiler.nvrtcDestroyProgram(ctypes.byref(program))


def _log(compiler: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    compiler.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    compiler.nvrtcGetProgramLog(program, log)
    return log.value.decode(errors="replace").strip()[-500:]


def _check(compiler: ctypes.CDLL, result: int) -> None:
    if result:
        compiler.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise CannotCompileError(f"the compiler failed: {compiler.nvrtcGetErrorString(result).decode()}")
