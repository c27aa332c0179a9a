"""`comgra-export rerun`: a user's function runs a network on an edited input, which adds a trial."""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.cli.edited import read_edit
from comgra_export.storage import find_recordings, open_recording
from support.cli.run import Run

pytestmark = pytest.mark.slow


USAGE, OTHER, RECORDING, EXPORT = 2, 1, 3, 4

SCRIPT = """
import torch
from comgra_export import ComgraRecorder

def run(x, recorder):
    with recorder.batch(0, len(x)), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("squares", x * x)

def rerun(input, recorder):
    run(input, recorder)

def twice(input, recorder):
    run(input, recorder)
    with recorder.batch(1, len(input)), recorder.iteration():
        recorder.register_tensor("x", input, is_input=True)
        recorder.register_tensor("squares", input * input)

def broken(input, recorder):
    with recorder.batch(0, len(input)), recorder.iteration():
        helper(input)

def helper(x):
    return x @ torch.zeros(7, 7)

def silent(input, recorder):
    pass

if __name__ == "__main__":
    with ComgraRecorder("recordings", group="squares", trial_id="first") as recorder:
        run(torch.arange(6.0).reshape(2, 3), recorder)
"""


@pytest.fixture
def edited(tmp_path: Path) -> NDArray[np.float32]:
    """A recording, a script with adapters, an input with one changed cell, and the JSON that describes the change."""
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        run_path(str(tmp_path / "train.py"), run_name="__main__")
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    array[1, 2] = -7
    _write(tmp_path, array, {"changed": [[5, 5, -7]]})
    return array


def _write(folder: Path, array: NDArray[np.float32], changes: dict[str, object]) -> None:
    np.save(folder / "edited.npy", array)
    description = {
        "format": "comgra-edit", "version": 1, "group": "squares", "trial": "first", "rank": 0, "step": 0, "iteration": 0, "tensor": "x",
        "shape": list(array.shape), "dtype": "F32", "samples": [0, 1], "missing": [], "changed": [],
    }  # fmt: skip
    (folder / "edited.json").write_text(json.dumps(description | changes), encoding="utf-8")


@pytest.mark.parametrize(
    ("step", "words"), [(3, "step 3"), (4.000002, "evaluation 2 after step 4"), (-0.999999, "evaluation 1 before training")]
)
def test_an_input_of_an_evaluation_can_be_edited(step: float, words: str, tmp_path: Path) -> None:
    array = np.zeros((2, 3), np.float32)
    _write(tmp_path, array, {"step": step})
    assert f"trial 'first', {words}, iteration 0" in read_edit(tmp_path / "edited.json", array).in_words()


def _trials(tmp_path: Path) -> list[str]:
    return sorted(folder.parent.name for folder in find_recordings(tmp_path / "recordings"))


def _values(tmp_path: Path, trial: str, step: int, name: str) -> NDArray[np.float32]:
    """The recorded values of a tensor in a step of a trial, flat."""
    recording = open_recording(tmp_path / "recordings" / "squares" / trial / "rank-0")
    names = [entry.name for entry in recording.layout(recording.step(step).layout).tensors]
    values = recording.blobs(step)["values.F32"].data.astype(np.float32)
    of_tensor: NDArray[np.float32] = values.reshape(len(names), -1)[names.index(name)]
    return of_tensor


def test_the_result_is_a_new_trial(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    done = run("rerun", "train.py", "--input", "edited.npy")
    assert done.returncode == 0, done.stderr
    assert "first edit 1" in done.stdout
    assert run("rerun", "train.py:twice", "--input", "edited.npy").returncode == 0
    assert _trials(tmp_path) == ["first", "first edit 1", "first edit 2"]
    added = open_recording(tmp_path / "recordings" / "squares" / "first edit 2" / "rank-0")
    assert list(added.steps) == [0, 1]
    (note,) = added.notes
    assert note.text == "Input 'x' of trial 'first', step 0, iteration 0, with 1 cell changed: [1, 2] 5 -> -7."
    assert _values(tmp_path, "first", 0, "squares").tolist() == [0, 1, 4, 9, 16, 25]
    np.testing.assert_array_equal(_values(tmp_path, "first edit 2", 1, "squares"), (edited**2).reshape(-1))


def test_an_edit_can_be_edited_again(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    assert run("rerun", "train.py", "--input", "edited.npy").returncode == 0
    done = run("rerun", "train.py", "--input", "edited.npy", "--trial", "first edit 1")
    assert done.returncode == 0, done.stderr
    assert _trials(tmp_path) == ["first", "first edit 1", "first edit 1 edit 1"]


def test_a_module_can_be_named_and_the_bundle_be_built(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    done = run("rerun", "train:rerun", "--input", "edited.npy", "--recordings", "recordings/squares/first", "--build", "report.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="ascii")
    assert "first edit 1" in page
    # An obstacle is noticed before anything runs.
    assert run("rerun", "train:rerun", "--input", "edited.npy", "--build", "report.html").returncode == EXPORT
    assert _trials(tmp_path) == ["first", "first edit 1"]


def test_without_the_json_the_trial_must_be_clear(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    (tmp_path / "edited.json").unlink()
    assert run("rerun", "train.py", "--input", "edited.npy").returncode == 0
    done = run("rerun", "train.py", "--input", "edited.npy")
    assert (done.returncode, "squares/first, squares/first edit 1. Give --recordings, --group or --trial" in done.stderr) == (USAGE, True)
    assert run("rerun", "train.py", "--input", "edited.npy", "--trial", "squares/first").returncode == 0
    assert _trials(tmp_path) == ["first", "first edit 1", "first edit 2"]


def test_an_error_of_the_function_is_shown_with_its_own_places(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    done = run("rerun", "train.py:broken", "--input", "edited.npy")
    assert done.returncode == OTHER
    assert "in broken" in done.stderr
    assert "return x @ torch.zeros(7, 7)" in done.stderr
    assert "RuntimeError" in done.stderr
    assert "comgra_export/" not in done.stderr
    assert _trials(tmp_path) == ["first"]
    assert [entry.name for entry in (tmp_path / "recordings" / "squares").iterdir()] == ["first"]


@pytest.mark.filterwarnings("default")
def test_a_function_that_records_nothing_gets_advice(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    done = run("rerun", "train.py:silent", "--input", "edited.npy")
    assert (done.returncode, "recorded no step" in done.stderr) == (OTHER, True)
    assert _trials(tmp_path) == ["first"]


def test_a_script_that_fails_or_ends(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    for line, message in (
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("import no_such_package", "no_such_package"),
    ):
        (tmp_path / "failing.py").write_text(f"{line}\n", encoding="utf-8")
        for adapter in ("failing.py", "failing:rerun"):
            done = run("rerun", adapter, "--input", "edited.npy")
            assert (done.returncode, message in done.stderr) == (OTHER, True)
            assert line in done.stderr
    assert _trials(tmp_path) == ["first"]


@pytest.mark.parametrize(
    ("adapter", "options", "message"),
    [
        ("nothing.py", [], "There is no file nothing.py"),
        ("no_such_module:f", [], "There is no module 'no_such_module'"),
        ("train.py:other", [], "train.py has no function 'other'"),
        ("train.py", ["--trial", "third"], "no trial with the group 'squares' and the trial 'third'"),
        ("train.py", ["--edit", "other.json"], "other.json cannot be read"),
        ("train.py", ["--edit", "train.py"], "train.py is not a JSON file"),
        ("train.py", ["--input", "train.py"], "train.py is not read: it does not begin as numpy.save writes it. Give the input"),
        ("train.py", ["--input", "nothing.npy"], "nothing.npy cannot be read"),
    ],
)
def test_wrong_arguments(run: Run, edited: NDArray[np.float32], adapter: str, options: list[str], message: str) -> None:
    done = run("rerun", adapter, "--input", "edited.npy", *options)
    assert done.returncode == USAGE, done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "does not say what was edited"),
        ({"version": 2}, "has the version 2"),
        ({"shape": [3, 2]}, "describes an array of the shape [3, 2]"),
        ({"shape": ["a"]}, "is damaged"),
        ({"changed": [[1, 2]]}, "is damaged"),
        ({"changed": [[1, {"a": 1}, 2]]}, "is damaged"),
        ({"changed": [[1, 0, "\x1b[31mred"]]}, "is damaged"),
        ({"changed": [[6, 0, 1]]}, "names a cell that the input does not have"),
        ({"changed": [[-1, 0, 1]]}, "is damaged"),
        ({"changed": [[5, 5, -8]]}, "names values that differ from the input's"),
        ({"trial": 5}, "is damaged"),
    ],
)
def test_a_json_file_that_does_not_fit(
    run: Run, edited: NDArray[np.float32], tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    _write(tmp_path, edited, changes)
    done = run("rerun", "train.py", "--input", "edited.npy")
    assert done.returncode == USAGE
    assert message in done.stderr
    assert _trials(tmp_path) == ["first"]


def test_a_hostile_header_gives_a_plain_message(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n"
    (tmp_path / "edited.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    done = run("rerun", "train.py", "--input", "edited.npy")
    assert done.returncode == USAGE
    assert "edited.npy is not read" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hostile_array_is_not_executed(run: Run, edited: NDArray[np.float32], tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (tmp_path / "executed",)

    np.save(tmp_path / "edited.npy", np.array([Hostile()], dtype=object), allow_pickle=True)
    done = run("rerun", "train.py", "--input", "edited.npy")
    assert done.returncode == USAGE
    assert not (tmp_path / "executed").exists()
