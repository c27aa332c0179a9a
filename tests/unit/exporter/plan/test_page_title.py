"""What a page is called if nobody says it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import comgra_export
from comgra_export import ComgraRecorder
from support.exporter.unpacker import Bundle


class Classifier(torch.nn.Linear):
    """A network with a class of its own."""


class Other(Classifier):
    """Another one."""


def _watch(folder: Path, model: torch.nn.Module, group: str = "default", trial: str = "trial") -> None:
    with comgra_export.watch(model, folder / "runs", group=group, trial_id=trial):
        model(torch.ones(2, 2)).sum().backward()


def _title(folder: Path, title: str | None = None) -> str:
    page = Bundle(comgra_export.export(folder / "runs", folder / "page.html", title=title, force=True).path)
    assert page.page.one("title").text == page.index["title"]
    return str(page.index["title"])


@pytest.mark.parametrize(
    ("names", "title"),
    [
        ([("default", "trial")], "Classifier"),
        ([("default", "wide")], "wide"),
        ([("default", "wide"), ("default", "deep")], "Classifier"),
        ([("widths", "trial")], "widths"),
        ([("widths", "wide")], "widths"),
    ],
)
def test_a_page_has_the_best_name_that_is_known(names: list[tuple[str, str]], title: str, tmp_path: Path) -> None:
    for group, trial in names:
        _watch(tmp_path, Classifier(2, 1), group, trial)
    assert _title(tmp_path) == title
    assert _title(tmp_path, title="Mine") == "Mine"
    # An empty title was chosen too.
    assert _title(tmp_path, title="") == ""


def test_networks_of_several_classes_have_no_name_in_common(tmp_path: Path) -> None:
    _watch(tmp_path, Classifier(2, 1), trial="wide")
    _watch(tmp_path, Other(2, 1), trial="deep")
    assert _title(tmp_path) == "Recording"


def test_a_recording_without_a_network_is_a_recording(tmp_path: Path) -> None:
    with ComgraRecorder(tmp_path / "runs") as recorder, recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("x", torch.ones(2, 3))
    assert _title(tmp_path) == "Recording"
