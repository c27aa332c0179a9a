"""What comgra 0.11.5 recorded of a script is imported, and is what we record of the same script."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from comgra_export.errors import ForeignDataError, MisuseError, NotARecordingError
from comgra_export.importers.comgra import find_comgra_trials, import_comgra
from comgra_export.importers.comgra.packed_files import read_packed
from comgra_export.reading import Trial
from comgra_export.reading.table import Table
from comgra_export.storage import find_recordings, open_recording, verify
from support.importers.comgra_script import STEPS, train
from support.places import DATA

COMGRA = DATA / "comgra"
GROUPS = ("gradients 0", "gradients 1")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("theirs")
    done = import_comgra(COMGRA, folder)
    assert done == (((folder / "group" / "trial", len(STEPS)),), ())
    assert verify(open_recording(folder / "group" / "trial" / "rank-0")) == ()
    return comgra_export.read(folder).trial


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("ours")
    train(ComgraRecorder, DecisionMakerForRecordingsHardcoded, folder)
    return comgra_export.read(folder).trial


def rows(table: Table, columns: tuple[str, ...], values: tuple[str, ...]) -> dict[Any, list[float]]:
    every = zip(*(table[name].tolist() for name in (*columns, *values)), strict=True)
    return {row[: len(columns)]: list(row[len(columns) :]) for row in every}


def test_statistics_are_ours_number_by_number(theirs: Trial, ours: Trial) -> None:
    columns = ("step", "iteration", "tensor", "role", "group", "item")
    imported, recorded = (rows(trial.statistics, columns, ("mean", "abs_max", "std")) for trial in (theirs, ours))
    assert imported.keys() == recorded.keys()
    assert len(imported) > 300
    for key, numbers in recorded.items():
        np.testing.assert_allclose(imported[key], numbers, rtol=1e-5, atol=1e-6, err_msg=str(key))


def test_values_and_gradients_of_samples_are_ours(theirs: Trial, ours: Trial) -> None:
    for step in STEPS:
        for tensor in ("h", "out"):
            for iteration in (0, 1):
                np.testing.assert_allclose(theirs.values(tensor, step, iteration), ours.values(tensor, step, iteration), atol=1e-6)
            for iteration, group in enumerate(GROUPS):
                imported, recorded = (trial.gradients(tensor, step, group, iteration=iteration) for trial in (theirs, ours))
                assert imported.shape[0] == 2
                np.testing.assert_allclose(imported, recorded, atol=1e-6)


def test_graphs_curves_and_notes_are_ours(theirs: Trial, ours: Trial) -> None:
    for step in STEPS:
        edges, nodes = [], []
        for trial in (theirs, ours):
            graph = trial.graph(step)
            edges.append(set(rows(graph.edges, ("iteration", "source", "target"), ())))
            nodes.append(set(rows(graph.nodes, ("node", "role", "type"), ())))
        assert edges[0] == edges[1]
        assert nodes[0] == nodes[1]
    curve = ("curve", "group", "type", "t")
    imported, recorded = (rows(trial.curves.where(group="loss"), curve, ("value",)) for trial in (theirs, ours))
    assert imported.keys() == recorded.keys()
    np.testing.assert_allclose(list(imported.values()), [recorded[key] for key in imported], rtol=1e-5)
    assert theirs.notes["text"].tolist()[1:] == ["A note."]


def test_a_page_is_built_of_it(tmp_path: Path) -> None:
    import_comgra(COMGRA / "group", tmp_path / "out")
    page = comgra_export.export(tmp_path / "out", tmp_path / "report.html").path
    assert comgra_export.read(page).trial.steps["step"].tolist() == list(STEPS)


def test_an_import_is_replaced_if_asked(tmp_path: Path) -> None:
    trial = COMGRA / "group" / "trials" / "trial"
    assert find_comgra_trials(COMGRA) == [trial]
    import_comgra(trial, tmp_path)
    with pytest.raises(MisuseError, match="already"):
        import_comgra(trial, tmp_path)
    assert import_comgra(trial, tmp_path, replace=True).trials[0][1] == len(STEPS)


def test_who_opens_the_files_of_comgra_is_told_how(tmp_path: Path) -> None:
    for path in (COMGRA, COMGRA / "group", COMGRA / "group" / "trials" / "trial"):
        with pytest.raises(NotARecordingError, match="comgra-export import comgra"):
            find_recordings(path)
    with pytest.raises(NotARecordingError, match="There is no recording"):
        find_recordings(tmp_path)
    with pytest.raises(ForeignDataError, match="there is no trial of comgra"):
        import_comgra(tmp_path, tmp_path / "out")


class Calls:
    def __reduce__(self) -> Any:  # noqa: ANN401
        return os.system, ("touch hacked",)


def damaged(kind: str, trial: Path) -> str:
    """Changes step 2, and returns what must be said of it."""
    if kind == "a call":
        (trial / "configurations" / "2.pkl").write_bytes(pickle.dumps(Calls()))
        return "it names (posix|nt).system"
    if kind == "a graph elsewhere":
        file = trial / "configurations" / "2.pkl"
        content = file.read_bytes()
        at = content.index(b"node_graph_hash_")
        file.write_bytes(content[:at] + b"../" + content[at + 3 :])
        return "names a graph that cannot be a file"
    numbers = trial / "recordings" / "2__even" / "1.msgpack"
    if kind == "a file that is cut off":
        numbers.write_bytes(numbers.read_bytes()[:-5])
        return "damaged or cut off"
    if kind == "no numbers":
        numbers.write_bytes(b"\x80")
        return "not one of comgra's"
    if kind == "another shape":
        shapes = numbers.with_name("0.msgpack")
        # The shape [3, 2] of `out` and `y` becomes [3, 127].
        shapes.write_bytes(shapes.read_bytes().replace(b"\x92\x03\x02", b"\x92\x03\x7f"))
        return "do not fit the shape"
    numbers.rename(numbers.with_suffix(".pkl"))
    return "type_of_serialization"


@pytest.mark.parametrize("kind", ["a call", "a graph elsewhere", "a file that is cut off", "no numbers", "another shape", "a pickle"])
def test_a_step_that_cannot_be_read_is_a_gap(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(COMGRA, tmp_path / "comgra")
    words = damaged(kind, tmp_path / "comgra" / "group" / "trials" / "trial")
    done = import_comgra("comgra", "out")
    assert len(done.gaps) == 1
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(done.gaps[0])
    assert comgra_export.read("out").trial.steps["step"].tolist() == [0, 3]
    assert not Path("hacked").exists()


DAMAGED = [
    b"", b"\xa5hi", b"\xdd\xff\xff\xff\xff", b"\x91" * 9000 + b"\x01", b"\xc4\x01a", b"\xc7\x01\x01a", b"\xc7\x00\x01", b"\x81\x90\x01",
    b"\xa1\xff", b"\x01\x02", b"\xd6\xff\x00\x00\x00\x01",
]  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED)
def test_a_hostile_file_is_refused(data: bytes) -> None:
    with pytest.raises(ForeignDataError):
        read_packed(data, "x")


def test_the_package_that_reads_the_files_is_named_if_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comgra_export.importers.comgra.packed_files.find_spec", lambda _: None)
    with pytest.raises(ForeignDataError, match="pip install msgpack"):
        import_comgra(COMGRA, tmp_path / "out")
    assert not (tmp_path / "out").exists()
