"""A short run of the demo: what it makes, and what it does not touch."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export.cli.demo import run_demo
from comgra_export.errors import OutputExistsError
from comgra_export.storage import Header, RecordingWriter, find_recordings, open_recording


def demo(folder: Path, *, force: bool, output: str = "demo.html") -> list[float]:
    """Runs the demo for two steps, or for one step if it replaces an earlier demo. Returns the recorded steps of all trials."""
    run_demo(folder / output, folder / "recordings", steps=1 if force else 2, force=force, open_page=False)
    return [step for rank in find_recordings(folder / "recordings") for step in open_recording(rank).steps]


def test_an_earlier_demo_is_replaced_only_when_asked(tmp_path: Path) -> None:
    assert demo(tmp_path, force=False) == [0, 1, 0, 1]
    with pytest.raises(OutputExistsError, match=r"there is a recording in .* --force"):
        demo(tmp_path, force=False, output="other.html")
    assert not (tmp_path / "other.html").exists()
    assert demo(tmp_path, force=True) == [0, 0]
    assert (tmp_path / "demo.html").exists()


def test_progress_is_told_for_each_variant_without_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo(tmp_path, force=False)
    lines = capsys.readouterr().out.splitlines()
    begin = lines.index("Variant leaky_relu_after_every_layer ...")
    assert lines[begin : begin + 6] == [
        "Variant leaky_relu_after_every_layer ...",
        "  1 of 4 steps",
        "  2 of 4 steps",
        "Variant no_activation_on_outputs ...",
        "  3 of 4 steps",
        "  4 of 4 steps",
    ]


@pytest.mark.parametrize("below", ["rank-0/thesis.txt", "rank-0/steps/thesis.txt"])
def test_a_file_of_the_user_within_a_recording_stays_and_is_named(tmp_path: Path, below: str) -> None:
    trial = tmp_path / "recordings" / "tutorial" / "leaky_relu_after_every_layer"
    RecordingWriter(trial / "rank-0", Header("tutorial", trial.name))
    thesis = trial / below
    thesis.write_text("mine")
    with pytest.raises(OutputExistsError, match=r"thesis\.txt"):
        demo(tmp_path, force=True)
    assert thesis.read_text() == "mine"
    assert not (tmp_path / "demo.html").exists()


def test_files_of_the_user_beside_the_recordings_stay(tmp_path: Path) -> None:
    group = tmp_path / "recordings" / "tutorial"
    trial = group / "leaky_relu_after_every_layer"
    RecordingWriter(trial / "rank-0", Header("tutorial", trial.name))
    mine = [group / "thesis.txt", trial / "thesis.txt"]
    for file in mine:
        file.write_text("mine")
    assert demo(tmp_path, force=True) == [0, 0]
    assert [file.read_text() for file in mine] == ["mine", "mine"]
