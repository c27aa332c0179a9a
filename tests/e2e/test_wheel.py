"""The wheel, installed away from the sources, holds everything that the package needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.tags import sys_tags

from support.exporter.recordings import write_trial
from support.places import CHECKOUT

RECORD_AND_EXPORT = """
import sys, torch, comgra_export
assert comgra_export.__file__.startswith(sys.argv[1]), comgra_export.__file__
recorder = comgra_export.ComgraRecorder("runs", "group", "trial")
layer = torch.nn.Linear(3, 2)
recorder.track_module("net", layer)
with recorder.batch(0, 4), recorder.iteration():
    x = torch.ones(4, 3)
    recorder.register_tensor("x", x, is_input=True)
    y = layer(x)
    recorder.register_tensor("y", y)
    y.sum().backward()
    recorder.record_current_gradients("gradients")
recorder.finalize()
print(comgra_export.export("runs", "report.html").path)
"""

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from comgra_export.cli import main
main()
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, so that building leaves no files in the original."""
    folder = tmp_path_factory.mktemp("sources") / "checkout"
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "build", "dist-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(CHECKOUT, folder, ignore=left_out)
    return folder


@pytest.fixture(scope="module")
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout. `make test` has built it already: the other tests run against it."""
    if request.config.getoption("installed"):
        return next((CHECKOUT / "build" / "wheel").glob("*.whl"))
    return build_wheel(request.getfixturevalue("sources"), tmp_path_factory.mktemp("wheel"), {})


def build_wheel(sources: Path, folder: Path, variables: dict[str, str]) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(sources)]
    built = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the wheel's content; the dependencies come from the running environment."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run(command, check=True)
    return folder


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_holds_the_page_and_no_sources_of_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packed = [name for name in names if name.startswith("comgra_export/_packed/")]
    assert "comgra_export/_packed/static/dist/viewer.js" in packed
    assert "comgra_export/_packed/static/dist/viewer.css" in packed
    assert "comgra_export/_packed/examples/tutorial.py" in packed
    assert any(name.startswith("comgra_export/_packed/templates/") for name in packed)
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]
    assert "comgra_export/py.typed" in names


def test_the_wheel_holds_compiled_kernels_where_there_is_a_compiler(wheel: Path, installed: Path, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    platform = next(tag.platform for tag in sys_tags() if not tag.platform.startswith(("manylinux", "musllinux")))
    assert wheel.name.endswith(f"-py3-none-{platform}.whl")
    done = run(installed, tmp_path, "-m", "comgra_export", "--version")
    assert "(with compiled kernels)" in done.stdout


def test_without_a_compiler_the_wheel_is_for_every_platform(sources: Path, tmp_path: Path) -> None:
    wheel = build_wheel(sources, tmp_path, {"CC": "no-such-compiler"})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    assert "comgra_export/native/numbers.c" in zipfile.ZipFile(wheel).namelist()


def test_the_sdist_installs_and_records_without_a_compiler(sources: Path, tmp_path: Path) -> None:
    variables = {**os.environ, "CC": "no-such-compiler"}
    subprocess.run([sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(sources)], capture_output=True, check=True)
    folder = tmp_path / "installed"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--no-deps",
        "--target",
        str(folder),
        str(next(tmp_path.glob("*.tar.gz"))),
    ]
    subprocess.run(command, env=variables, check=True)
    assert (
        "(without compiled kernels: recording on the CPU takes longer)" in run(folder, tmp_path, "-m", "comgra_export", "--version").stdout
    )
    done = run(folder, tmp_path, "-c", RECORD_AND_EXPORT, str(folder))
    assert done.returncode == 0, done.stderr
    assert 'id="bundle-index"' in (tmp_path / "report.html").read_text(encoding="ascii")


def test_recording_and_exporting_work_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "-c", RECORD_AND_EXPORT, str(installed))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="ascii")
    assert 'id="bundle-index"' in page
    assert str(tmp_path) not in page


def test_the_demo_works_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "-m", "comgra_export", "demo", "--steps", "13", "--no-open")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo.html").stat().st_size > 100_000


def test_the_command_line_needs_no_torch(installed: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", "trial")
    for arguments in (["inspect", "runs"], ["build", "runs", "-o", "report.html"]):
        done = run(installed, tmp_path, "-c", WITHOUT_TORCH, *arguments)
        assert done.returncode == 0, done.stderr
    assert 'id="bundle-index"' in (tmp_path / "report.html").read_text(encoding="ascii")
