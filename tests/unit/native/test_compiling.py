"""Compiling the kernels: what comes of it with and without a compiler, and which libraries are loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from comgra_export.native import kernels, load_kernels
from comgra_export.native.compiling import SOURCES, compile_kernels

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def load(library: Path, monkeypatch: pytest.MonkeyPatch) -> kernels.Kernels | None:
    monkeypatch.setattr(kernels, "LIBRARY", library)
    return load_kernels.__wrapped__()


def compile_with(compiler: str, folder: Path) -> Path:
    """The library, in a folder that holds nothing else and has a space in its name."""
    library = folder / "with a space" / "kernels.so"
    library.parent.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", compiler)
        assert compile_kernels(SOURCES, library) is None
    assert list(library.parent.iterdir()) == [library]
    return library


@pytest.mark.parametrize(
    ("compiler", "reason"),
    [
        ("no-such-compiler", "there is no C compiler (cc, or what CC names)"),
        ("", "there is no C compiler (cc, or what CC names)"),
        ("false", "the compiler failed: "),
    ],
)
def test_without_a_compiler_there_is_a_reason_and_no_library(
    compiler: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "kernels.so"
    library.write_bytes(b"of an older version")
    monkeypatch.setenv("CC", compiler)
    assert compile_kernels(SOURCES, library) == reason
    assert list(tmp_path.iterdir()) == []
    assert load(library, monkeypatch) is None


@pytest.mark.slow
@needs_compiler
def test_what_another_build_has_compiled_is_there_until_it_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "kernels.so"
    library.write_bytes(b"of another build")
    # A compiler that fails where it finds no library of the other build.
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\ntest -e "{library}" && exec cc "$@"\n', "utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert compile_kernels(SOURCES, library) is None
    assert load(library, monkeypatch) is not None


def test_where_nothing_can_be_written_there_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    reason = compile_kernels(SOURCES, tmp_path / "file" / "kernels.so")
    assert reason is not None
    assert "could not be compiled" in reason


@pytest.mark.slow
@needs_compiler
def test_a_library_of_other_files_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [tmp_path / source.name for source in SOURCES]
    for source, other in zip(SOURCES, others, strict=True):
        other.write_text(source.read_text("utf-8") + "/* Another. */\n", "utf-8")
    assert compile_kernels(others, tmp_path / "other.so") is None
    assert load(tmp_path / "other.so", monkeypatch) is None
    (tmp_path / "no.so").write_bytes(b"no library")
    assert load(tmp_path / "no.so", monkeypatch) is None


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("compiler", ["cc", "cc -D__clang__"], ids=["several processors", "one"])
def test_every_variant_of_the_code_is_loaded_and_finds_the_same(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second is what other compilers than GCC make of it.
    compiled = load(compile_with(compiler, tmp_path), monkeypatch)
    assert compiled is not None
    values = np.random.default_rng(0).standard_normal((3, 40_001)).astype(np.float32)
    values[1, 7] = 0
    sums, wide = np.empty((5, 3)), values.astype(np.float64)
    assert compiled.read_rows(values.ctypes.data, 3, 40_001, sums.ctypes.data) == 1
    expected = [wide.min(1), wide.max(1), wide.sum(1), np.abs(wide).sum(1), wide.var(1) * 40_001]
    assert sums == pytest.approx(np.stack(expected), rel=1e-6, abs=1e-3)
