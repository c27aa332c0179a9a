"""Hyperparameters that a script hands over."""

from __future__ import annotations

import argparse
import enum
import math
import pathlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of


class Activation(str, enum.Enum):
    RELU = "relu"


@dataclass
class Inner:
    lr: float = 0.001
    betas: tuple[float, float] = (0.9, 0.999)


@dataclass
class Outer:
    optimizer: Inner = field(default_factory=Inner)
    never_set: int = field(init=False)


def config_of(recorder: ComgraRecorder) -> Mapping[str, object]:
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    return recording.config


def reasons_of(recorder: ComgraRecorder) -> list[str]:
    return [gap.reason for gap in open_recording(folder_of(recorder)).gaps]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (3, 3),
        (0.5, 0.5),
        (math.inf, math.inf),
        (True, True),
        (None, None),
        ("adam", "adam"),
        (Activation.RELU, "relu"),
        (np.float64(0.25), 0.25),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (2**53 - 1, 2**53 - 1),
        (2**63 + 1, "9223372036854775809"),
        ([1, 2], "[1, 2]"),
        ((0.9, 0.999), "(0.9, 0.999)"),
        ({}, "{}"),
        (torch.float16, "torch.float16"),
        (torch.zeros(2, 3), "a Tensor of the shape [2, 3]"),
        (np.zeros(2), "a ndarray of the shape [2]"),
        (reasons_of, "<function reasons_of>"),
        ("x" * 1001, "x" * 1000),
        (["y" * 2000], "['" + "y" * 998),
    ],
)
def test_a_value_is_kept_or_described(make_recorder: MakeRecorder, value: object, kept: object) -> None:
    recorder = make_recorder()
    recorder.set_config({"value": value})
    config = config_of(recorder)
    assert config == {"value": kept}
    assert type(config["value"]) is type(kept)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("/data/imagenet", "…/imagenet"),
        ("/home/an author/runs/first/", "…/first"),
        ("/home/author", "…"),
        ("C:\\Users\\author", "…"),
        ("C:\\Users\\author\\data", "…/data"),
        ("~/runs/first", "…/first"),
        (pathlib.PurePosixPath("/home/author/x.pt"), "…/x.pt"),
        (["/home/author/x.pt", "b"], "['…/x.pt', 'b']"),
        ("runs/first", "runs/first"),
        ("a/b, 1/2", "a/b, 1/2"),
        ("https://example.org/a/b", "https://example.org/a/b"),
    ],
)
def test_paths_of_this_machine_are_cut(make_recorder: MakeRecorder, value: object, kept: str) -> None:
    recorder = make_recorder()
    recorder.set_config({"value": value})
    assert config_of(recorder) == {"value": kept}


def test_nested_values_get_names_with_dots_and_later_calls_add_and_replace(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.set_config({"model": {"layers": {0: 5, "act": "relu"}}, "lr": 0.1})
    with recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("x", torch.ones(2, 3))
        recorder.set_config(argparse.Namespace(lr=0.2, epochs=3))
    recorder.set_config({"seed": 1})
    assert list(config_of(recorder).items()) == [
        ("model.layers.0", 5),
        ("model.layers.act", "relu"),
        ("lr", 0.2),
        ("epochs", 3),
        ("seed", 1),
    ]


def test_a_dataclass_is_taken_field_by_field(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with pytest.warns(ComgraRecordingWarning, match="never_set"):
        recorder.set_config(Outer())
    assert config_of(recorder) == {"optimizer.lr": 0.001, "optimizer.betas": "(0.9, 0.999)"}


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class OddMapping(Mapping[str, int]):
    def __getitem__(self, name: str) -> int:
        return {"a": 1}[name]

    def __iter__(self) -> Iterator[str]:
        yield "a"
        raise OSError("gone")

    def __len__(self) -> int:
        return 2


def test_odd_values_are_gaps_and_the_others_stay(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with pytest.warns(ComgraRecordingWarning):
        recorder.set_config({"odd": Odd(), "fine": 1, "inner": OddMapping(), "huge": 10**5000})
    assert config_of(recorder) == {"fine": 1, "inner.a": 1}
    (reason,) = reasons_of(recorder)
    assert reason.startswith(
        "hyperparameters are left out: 'odd' could not be read (RuntimeError: no words); 'inner' could not be read (OSError: gone); 'huge' "
    )
    with pytest.warns(ComgraRecordingWarning):
        make_recorder(strict=False).set_config(OddMapping())
    with pytest.raises(RecordingGapError, match="'odd'"):
        make_recorder().set_config({"odd": Odd()})


def test_what_holds_itself_ends(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    endless: dict[str, object] = {"n": 1}
    endless["me"] = endless
    recorder.set_config(endless)
    config = config_of(recorder)
    assert len(config) == 22
    assert config["me.me.n"] == 1


def test_more_than_a_thousand_are_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recorder.set_config({"vocabulary": {str(number): number for number in range(1005)}})
        recorder.set_config({"one more": 1, "vocabulary.0": -1})
    assert len(caught) == 1
    config = config_of(recorder)
    assert (len(config), config["vocabulary.0"], "one more" in config) == (1000, -1, False)
    assert [reason.split(":")[0] for reason in reasons_of(recorder)] == [
        "5 hyperparameters are left out",
        "1 hyperparameters are left out",
    ]


@pytest.mark.parametrize("values", [3, "lr=1", None, [("lr", 1)], Inner])
def test_what_is_no_set_of_values_is_misuse(recorder: ComgraRecorder, values: object) -> None:
    with pytest.raises(MisuseError, match=r"set_config: the hyperparameters are .*Give a dictionary"):
        recorder.set_config(values)


def test_an_inactive_recorder_writes_nothing(tmp_path: Path) -> None:
    ComgraRecorder(tmp_path / "none", comgra_is_active=False).set_config({"a": 1})
    assert not (tmp_path / "none").exists()


def test_watch_takes_them_and_a_continued_recording_keeps_them(tmp_path: Path) -> None:
    for existing, config in (("error", {"lr": 0.1, "seed": 1}), ("append", {"lr": 0.2})):
        recorder = comgra_export.watch(nn.Linear(3, 2), tmp_path, config=config, existing_trial=existing)
        with pytest.warns(ComgraRecordingWarning, match="No call of a watched module"):
            recorder.finalize()
    assert config_of(recorder) == {"lr": 0.2, "seed": 1}
    with pytest.raises(MisuseError, match="set_config"):
        comgra_export.watch(nn.Linear(3, 2), tmp_path, config="lr", trial_id="other")


def test_a_full_disk_is_a_gap(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    recorder = make_recorder(strict=False)
    monkeypatch.setattr("comgra_export.storage.writer.write_json", fail)
    with pytest.warns(ComgraRecordingWarning, match="hyperparameters could not be written"):
        recorder.set_config({"a": 1})
