"""Checkpoints become a recording. What is expected is computed with NumPy from the arrays that were saved."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch_file

import comgra_export
from comgra_export.errors import ForeignDataError, MisuseError, NotARecordingError
from comgra_export.importers.checkpoints import ImportedCheckpoints, import_checkpoints
from comgra_export.storage import open_recording, verify

RNG = np.random.default_rng(0)
STEPS = (0, 90, 200)


def weights() -> dict[str, np.ndarray]:
    return {
        "net.0.weight": RNG.normal(size=(5, 3)).astype(np.float32),
        "net.0.bias": np.array([0.0, -0.0, np.nan, np.inf, 1.0], np.float32),
        "scale": RNG.normal(size=()).astype(np.float64),
        "net.1.large": RNG.normal(size=(300, 301)).astype(np.float32),
        "net.1.half": RNG.normal(size=(4, 1, 2)).astype(np.float16),
        "net.1.seen": np.array(RNG.integers(100), np.int64),
    }


CHECKPOINTS = [weights() for _ in STEPS]


def as_torch(content: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.array(array)) for name, array in content.items()}


def write(folder: Path, suffix: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    files = [folder / f"model2-{step}{suffix}" for step in STEPS]
    for file, content in zip(files, CHECKPOINTS, strict=True):
        if suffix == ".safetensors":
            save_file({name: np.asarray(array) for name, array in content.items()}, file)
        else:
            # As state_dict() does, with attributes on the dict, and a parameter among tensors.
            state = torch.nn.Linear(1, 1).state_dict()
            state.clear()
            state.update(as_torch(content))
            state["scale"] = torch.nn.Parameter(state["scale"])
            torch.save({"epoch": 3, "state_dict": state, "optimizer": {"state": {0: {"step": torch.tensor(1.0)}}}}, file)
    return files


@pytest.fixture(params=[".safetensors", ".pt"])
def imported(request: pytest.FixtureRequest, tmp_path: Path) -> ImportedCheckpoints:
    files = write(tmp_path / "ck", request.param)
    return import_checkpoints([files[2], files[0], files[1]], tmp_path / "recordings")


def test_each_checkpoint_is_a_step_with_the_number_in_its_name(imported: ImportedCheckpoints) -> None:
    assert [step for step, _ in imported.steps] == list(STEPS)
    assert imported.folder.name == "ck"
    assert not imported.gaps
    recording = open_recording(imported.folder / "rank-0")
    assert list(recording.steps) == list(STEPS)
    assert verify(recording) == ()


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_statistics_are_those_of_numpy(imported: ImportedCheckpoints) -> None:
    statistics = comgra_export.read(imported.folder).trial.statistics
    for step, content in zip(STEPS, CHECKPOINTS, strict=True):
        for name, array in content.items():
            rows = statistics.where(tensor=name, step=step)
            numbers = array.astype(np.float64).reshape(-1)
            finite = numbers[np.isfinite(numbers)]
            expected = {"mean": numbers.mean(), "abs_mean": np.abs(numbers).mean(), "abs_max": np.abs(numbers).max()}
            if numbers.size > 1:
                expected["std"] = numbers.std(ddof=1)
            else:
                expected = {"single_value": numbers[0]}
            assert set(rows["item"]) == set(expected)
            np.testing.assert_allclose(rows["mean"], [expected[item] for item in rows["item"]], rtol=1e-5)
            np.testing.assert_allclose([rows["min"][0], rows["max"][0]], [finite.min(), finite.max()], rtol=1e-6)
            assert rows["nan"][0] == np.isnan(numbers).sum()
            assert rows["posinf"][0] == np.isposinf(numbers).sum()
            assert rows["zeros"][0] == (numbers == 0).sum()


def test_histograms_count_every_value_of_a_small_tensor_and_a_sample_of_a_large_one(imported: ImportedCheckpoints) -> None:
    trial = comgra_export.read(imported.folder).trial
    array = CHECKPOINTS[1]["net.0.weight"].astype(np.float64)
    histogram = trial.histogram("net.0.weight", 90)
    expected, _ = np.histogram(array, histogram.edges)
    assert histogram.counts.tolist() == expected.tolist()
    # 90,300 values are more than 65,536. A stride that shares a divisor with a size would fall into step with rows or columns.
    large = CHECKPOINTS[1]["net.1.large"].astype(np.float64).reshape(-1)
    histogram = trial.histogram("net.1.large", 90)
    every = next(s for s in range(2, 100) if np.gcd(s, 300) == 1 and np.gcd(s, 301) == 1)
    expected, _ = np.histogram(large[::every], histogram.edges)
    assert histogram.counts.tolist() == expected.tolist()


def test_norms_of_updates_and_differences_are_those_between_neighbours(imported: ImportedCheckpoints) -> None:
    recording = open_recording(imported.folder / "rank-0")
    names = [parameter.name for parameter in recording.network.parameters]
    statistics = comgra_export.read(imported.folder).trial.statistics
    assert recording.step(0).parameters is None
    for number, before, after in ((90, CHECKPOINTS[0], CHECKPOINTS[1]), (200, CHECKPOINTS[1], CHECKPOINTS[2])):
        facts = recording.step(number).parameters
        assert facts is not None
        update_of = {
            names[place]: (norm, update) for place, norm, update in zip(facts.parameters, facts.norm, facts.update_norm, strict=True)
        }
        assert "net.1.seen" not in update_of
        for name in ("net.0.weight", "scale", "net.1.large", "net.1.half"):
            wide = before[name].astype(np.float64), after[name].astype(np.float64)
            np.testing.assert_allclose(update_of[name][0], np.sqrt((wide[0] ** 2).sum()), rtol=1e-6)
            np.testing.assert_allclose(update_of[name][1], np.sqrt(((wide[1] - wide[0]) ** 2).sum()), rtol=1e-6)
            row = statistics.where(tensor=f"{name} (change)", step=number)
            np.testing.assert_allclose(row["max"], (wide[1] - wide[0]).max(), rtol=1e-6)
        assert np.isnan(update_of["net.0.bias"][1])
    curves = comgra_export.read(imported.folder).trial.curves.where(curve="norm")
    assert np.isnan(curves["value"]).all()


def test_names_without_a_number_are_counted_in_the_order_in_which_people_count(tmp_path: Path) -> None:
    for name in ("last", "9 a", "10 a"):
        save_file({"w": np.ones(2, np.float32)}, tmp_path / f"{name}.safetensors")
    done = import_checkpoints(list(tmp_path.glob("*.safetensors")), tmp_path / "out")
    assert done.steps == ((0, "9 a.safetensors"), (1, "10 a.safetensors"), (2, "last.safetensors"))


def test_a_folder_is_one_checkpoint_of_several_files(tmp_path: Path) -> None:
    for step in (1, 2):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        save_torch_file({"a": torch.full((2,), step, dtype=torch.bfloat16)}, folder / "model-00001-of-00002.safetensors")
        save_torch_file({"b": torch.full((3,), 0.5)}, folder / "model-00002-of-00002.safetensors")
        torch.save({"not": "weights"}, folder / "optimizer.pt")
    done = import_checkpoints(sorted(tmp_path.glob("checkpoint-*")), tmp_path / "out", trial="t")
    statistics = comgra_export.read(done.folder).trial.statistics
    assert statistics.where(tensor="a", step=2)["mean"][0] == 2
    assert statistics.where(tensor="a (change)", step=2)["mean"][0] == 1
    assert statistics.where(tensor="b (change)", step=2)["zeros"][0] == 3


def test_a_tensor_that_comes_goes_or_changes_its_shape_is_a_gap(tmp_path: Path) -> None:
    save_file({"a": np.ones(2), "b": np.ones(3), "a (change)": np.ones(1)}, tmp_path / "1.safetensors")
    save_file({"a": np.ones(2), "b": np.ones(4), "c": np.ones(3), "a (change)": np.ones(1)}, tmp_path / "2.safetensors")
    save_file({"a": np.ones(2)}, tmp_path / "3.safetensors")
    done = import_checkpoints(list(tmp_path.glob("*.safetensors")), tmp_path / "out")
    assert [gap.split(":")[0] for gap in done.gaps] == ["b", "a (change)", "b", "c"]
    assert len(comgra_export.read(done.folder).trial.statistics.where(step=3, item="mean")) == 2


def test_views_of_one_storage_are_read_as_torch_reads_them(tmp_path: Path) -> None:
    whole = torch.arange(24.0)
    views = {"turned": whole.view(4, 6).T, "part": whole[3:9:2], "empty": whole[:0], "tied": whole}
    torch.save(views, tmp_path / "1.pt")
    done = import_checkpoints([tmp_path / "1.pt"], tmp_path / "out")
    statistics = comgra_export.read(done.folder).trial.statistics
    assert statistics.where(tensor="part")["mean"][0] == views["part"].mean().item()
    assert statistics.where(tensor="turned")["count"][0] == 24
    assert statistics.where(tensor="empty")["count"][0] == 0


class Calls:
    def __reduce__(self) -> Any:  # noqa: ANN401
        return os.system, ("touch hacked",)


def hostile_zip(content: bytes, storage: bytes = b"\0" * 8, compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("m/data.pkl", content)
        archive.writestr("m/data/0", storage)
    return stream.getvalue()


def tensor(size: int, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], key: str = "0") -> bytes:
    """The pickle of a dict with a tensor, written by hand."""
    numbers = "".join(f"I{number}\n" for number in shape)
    steps = "".join(f"I{number}\n" for number in strides)
    return (
        f"(dVx\nctorch._utils\n_rebuild_tensor_v2\n((Vstorage\nctorch\nFloatStorage\nV{key}\nVcpu\nI{size}\ntQI{offset}\n({numbers}t({steps}t"
        "I00\n(dtRs."
    ).encode()


HOSTILE = {
    "a call": (hostile_zip(pickle.dumps({"x": Calls()})), "it names (posix|nt).system"),
    "a tensor beyond its storage": (hostile_zip(tensor(2, 1, (2,), (1,))), "does not fit its storage"),
    "a tensor larger than its storage": (hostile_zip(tensor(2, 0, (10**9,), (0,))), "does not fit its storage"),
    "other strides than sizes": (hostile_zip(tensor(2, 0, (2,), ())), "does not fit its storage"),
    "a storage that is not there": (hostile_zip(tensor(2, 0, (2,), (1,), "1")), "not there as announced"),
    "a storage of another size": (hostile_zip(tensor(3, 0, (2,), (1,))), "not there as announced"),
    "a bomb": (hostile_zip(b"N" * 10**6 + b".", compression=zipfile.ZIP_DEFLATED), "is compressed"),
    "no pickle": (hostile_zip(b"")[:10], "zip is damaged"),
    "an empty pickle": (hostile_zip(b""), "ends in the middle"),
    "no safetensors file": (b"\xff" * 40, "announce"),
    "an empty file": (b"", "announce|header"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, words = HOSTILE[name]
    Path("1.pt").write_bytes(content)
    with pytest.raises(ForeignDataError, match=words):
        import_checkpoints(["1.pt"], "out")
    assert os.listdir() == ["1.pt"]


def test_a_tensor_written_by_hand_is_read(tmp_path: Path) -> None:
    (tmp_path / "1.pt").write_bytes(hostile_zip(tensor(2, 0, (2,), (1,)), np.array([1, 3], "<f4").tobytes()))
    done = import_checkpoints([tmp_path / "1.pt"], tmp_path / "out")
    assert comgra_export.read(done.folder).trial.statistics.where(item="mean")["mean"].tolist() == [2]


def test_an_import_is_replaced_if_asked_and_a_recording_never(tmp_path: Path) -> None:
    files = write(tmp_path / "ck", ".safetensors")
    import_checkpoints(files, tmp_path / "out")
    with pytest.raises(MisuseError, match="already"):
        import_checkpoints(files, tmp_path / "out")
    assert len(import_checkpoints(files[:1], tmp_path / "out", replace=True).steps) == 1
    (tmp_path / "out" / "checkpoints" / "ck" / "mine.txt").touch()
    with pytest.raises(MisuseError, match="already"):
        import_checkpoints(files, tmp_path / "out", replace=True)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotARecordingError, match="does not exist"):
        import_checkpoints([tmp_path / "ck"], tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ForeignDataError, match=r"a folder without \*.safetensors"):
        import_checkpoints([tmp_path / "empty"], tmp_path / "out")
