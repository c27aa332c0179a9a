"""Gradient flows are written as files that vnittest opens, with the same content as its own files."""

from __future__ import annotations

import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from comgra_export import ComgraRecorder
from comgra_export.errors import OutputExistsError, WrongChoiceError
from comgra_export.importers.pickles.writer import write_pickle
from comgra_export.importers.vnittest import Written, import_vnittest, write_vnittest
from comgra_export.storage import (
    Header,
    RecordingWriter,
)
from support.importers.vnittest_files import CHAIN_RULE, SAMPLE, SEEN_BY, connectivity, write_debug_data, write_explicit, write_files
from support.importers.vnittest_flows import assert_same, read, read_sample, write_channels


def there_and_back(source: Path | str, tmp_path: Path, **options: Any) -> Written:  # noqa: ANN401
    done = import_vnittest(str(source), tmp_path / "recordings")
    return write_vnittest(done.folder, tmp_path / "back", **options)


def test_the_sample_comes_back_equal(tmp_path: Path) -> None:
    done = there_and_back(SAMPLE, tmp_path)
    assert_same(read(tmp_path / "back"), read_sample())
    assert done.layers == 2
    assert done.remarks == (
        "Between layers whose flows are estimates, no numbers are written: vnittest makes its own. --flow NAME writes them.",
    )


def test_matrices_and_integers_come_back_equal(tmp_path: Path) -> None:
    source = write_debug_data(tmp_path / "debug_data")
    assert there_and_back(source, tmp_path).remarks == ()
    assert_same(read(tmp_path / "back"), read(source))


def test_the_explicit_mode_comes_back_equal(tmp_path: Path) -> None:
    source = write_explicit(tmp_path / "explicit")
    there_and_back(source, tmp_path)
    assert_same(read(tmp_path / "back"), read(source))


def test_given_and_estimated_flows_come_back_together(tmp_path: Path) -> None:
    layer = np.arange(1, 5, dtype=np.float32).reshape(2, 2)
    flows = {("a", "b"): np.eye(4, dtype=np.float32), ("b", "c"): None}
    source = write_files(tmp_path / "x", {"a": layer, "b": layer, "c": layer}, flows, layer, layer)
    there_and_back(source, tmp_path)
    assert_same(read(tmp_path / "back"), read(source))


def test_a_flow_that_is_named_is_written_with_its_numbers(tmp_path: Path) -> None:
    there_and_back(SAMPLE, tmp_path, flow=CHAIN_RULE)
    matrix = read(tmp_path / "back")[0]["gradient_flows"]["in", "out"]
    expected = np.zeros((96, 96), np.float32)
    expected[29] = 1 / 96
    np.testing.assert_allclose(matrix, expected, rtol=1e-6)


def test_only_names_that_every_numpy_knows_are_written(tmp_path: Path) -> None:
    there_and_back(write_debug_data(tmp_path / "debug_data"), tmp_path)
    opcodes = list(pickletools.genops((tmp_path / "back" / "flow_info.pkl").read_bytes()))
    assert {argument for opcode, argument, _ in opcodes if opcode.name == "GLOBAL"} == {
        "numpy.core.multiarray _reconstruct",
        "numpy ndarray",
        "numpy dtype",
    }
    assert max(opcode.proto for opcode, _, _ in opcodes) <= 3
    assert opcodes[0][1] == 3


@pytest.mark.parametrize(
    "content",
    [
        None,
        "é\udcff",
        {},
        {"a": (None, "b", ()), "c": {("x", "y"): None}},
        *(np.arange(6).reshape(2, 3).astype(dtype) for dtype in ("?", "i1", "u2", ">i4", "<i8", "f2", ">f4", "f8")),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3)),
        np.array(2.5),
    ],
)
def test_a_pickle_is_read_by_python_as_it_was(content: Any) -> None:  # noqa: ANN401
    actual = pickle.loads(write_pickle(content))
    np.testing.assert_equal(actual, content)
    if isinstance(content, np.ndarray):
        assert actual.dtype == content.dtype.newbyteorder("=")


def test_one_sample_and_one_channel_are_written(tmp_path: Path) -> None:
    write_channels(tmp_path)
    done = write_vnittest(tmp_path, tmp_path / "back", sample=5, channels=["x=1"])
    info, picture, target = read(tmp_path / "back")
    assert done.step == 8
    assert_same(info["activation_gradients"]["x"], np.array([[-1, -2]], np.float32))
    # The flows into y, since its gradients are not known.
    assert_same(info["activation_gradients"]["y"], np.array([[50 + 51 + 52 + 53, -1]], np.float32))
    assert_same(info["gradient_flows"], {("x", "y"): np.array([[52, 0], [53, 0]], np.float32)})
    assert_same(picture, np.array([[6, 7]], np.float32))
    assert_same(target, np.zeros((1, 2), np.float32))
    assert done.remarks == (
        "x has 2 channels; channel 1 is written.",
        "Not all flows from x to y were computed.",
        "There are no gradients of y: the sums of its flows are written.",
        "The flow has no values of the target, which vnittest needs: its picture is zeros of the size of y.",
    )


def test_the_first_sample_and_the_channel_with_the_largest_flows_are_the_default(tmp_path: Path) -> None:
    write_channels(tmp_path)
    done = write_vnittest(tmp_path, tmp_path / "back", step=4)
    assert read(tmp_path / "back")[0]["gradient_flows"]["x", "y"].tolist() == [[32, 0], [33, 0]]
    assert done.step == 4
    assert done.remarks[:2] == (
        "The flow has the samples 3, 5; sample 3 is written.",
        "x has 2 channels; channel 1, which has the largest flows, is written.",
    )
    done = write_vnittest(tmp_path, tmp_path / "other", channels=["0"])
    assert read(tmp_path / "other")[0]["gradient_flows"]["x", "y"].tolist() == [[30, 0], [31, -1]]


def test_layers_that_vnittest_would_sort_otherwise_have_numbers_before_their_names(tmp_path: Path) -> None:
    write_channels(tmp_path, names=("x", "a"))
    done = write_vnittest(tmp_path, tmp_path / "back")
    info, *_ = read(tmp_path / "back")
    assert sorted(info["activation_gradients"]) == ["1 x", "2 a"]
    assert list(info["gradient_flows"]) == [("1 x", "2 a")]
    assert done.remarks[-2] == "vnittest sorts layers by their names, so these have numbers before them: '1 x'."


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sample": 4}, "no sample 4.*The samples are: 3, 5"),
        ({"step": 5}, "No step 5 with a gradient flow"),
        ({"flow": "z"}, "no gradient flow 'z' in step 8. There are: exact flow"),
        ({"channels": ["2"]}, "x has 2 channels, counted from 0, and no channel 2"),
        ({"channels": ["z=1"]}, "no layer 'z'.*The layers are: x, y"),
        ({"channels": ["x"]}, "'x' is not understood.*conv1=3"),
    ],
)
def test_a_wrong_choice_says_what_there_is(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    write_channels(tmp_path)
    with pytest.raises(WrongChoiceError, match=words):
        write_vnittest(tmp_path, tmp_path / "back", **options)
    assert not (tmp_path / "back").exists()


def test_several_recordings_need_a_choice(tmp_path: Path) -> None:
    for trial in ("one", "two"):
        import_vnittest(str(SAMPLE), tmp_path / "recordings", trial=trial)
    with pytest.raises(WrongChoiceError, match=r"2 recordings.*recordings/vnittest/one/rank-0, .*recordings/vnittest/two/rank-0"):
        write_vnittest(tmp_path / "recordings", tmp_path / "back")


def test_a_recording_without_flows_is_reported(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "group" / "trial" / "rank-0", Header("group", "trial"))
    writer.close()
    with pytest.raises(WrongChoiceError, match="No step with a gradient flow"):
        write_vnittest(tmp_path, tmp_path / "back")


def test_files_that_are_there_are_replaced_only_when_asked(tmp_path: Path) -> None:
    source = write_debug_data(tmp_path / "debug_data")
    done = import_vnittest(str(SAMPLE), tmp_path / "recordings")
    with pytest.raises(OutputExistsError, match="Pass force=True"):
        write_vnittest(done.folder, source)
    assert np.array_equal(read(source)[0]["gradient_flows"]["conv1", "conv2"], connectivity())
    write_vnittest(done.folder, source, force=True)
    assert_same(read(source), read_sample())


def test_an_import_replaces_only_an_import(tmp_path: Path) -> None:
    import_vnittest(str(SAMPLE), tmp_path / "recordings", trial="x")
    done = import_vnittest(str(write_debug_data(tmp_path / "debug_data")), tmp_path / "recordings", trial="x", replace=True)
    write_vnittest(done.folder, tmp_path / "back")
    assert set(read(tmp_path / "back")[0]["activation_gradients"]) == {"conv1", "conv2", "conv3"}
    write_channels(tmp_path / "recordings")
    with pytest.raises(ValueError, match="already"):
        import_vnittest(str(SAMPLE), tmp_path / "recordings", group="group", trial="trial", replace=True)


def test_a_flow_that_was_recorded_in_training_is_written(tmp_path: Path) -> None:
    """A 3 x 3 convolution of ones, stride 2, padding 1: the outputs of an element, times their gradients."""
    convolution = torch.nn.Conv2d(1, 2, 3, stride=2, padding=1, bias=False)
    torch.nn.init.ones_(convolution.weight)
    upstream = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    with ComgraRecorder(tmp_path / "recordings") as recorder, recorder.batch(0, 1), recorder.iteration():
        picture = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
        recorder.register_tensor("picture", picture, is_input=True)
        seen = convolution(picture)
        recorder.register_tensor("seen", seen)
        loss = (seen[:, 1] * upstream).sum() - seen[:, 0].sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        recorder.record_gradient_flow(loss, ["picture", "seen"])
        loss.backward()
    done = write_vnittest(tmp_path / "recordings", tmp_path / "back", channels=["1"])
    info, shown, target = read(tmp_path / "back")
    expected = np.zeros((16, 4), np.float32)
    for source, targets in enumerate(SEEN_BY):
        expected[source, targets] = np.array([1, 2, 3, 4])[targets]
    assert_same(info["gradient_flows"]["picture", "seen"], expected)
    assert np.count_nonzero(expected) == 25
    assert expected[5].tolist() == [1, 2, 3, 4]
    assert_same(info["activation_gradients"]["seen"], upstream.numpy())
    # All of it, which both channels have a part in: that of channel 0 is -1 for each pixel that sees it.
    both = np.array([[1, 3, 2, 2], [4, 10, 6, 6], [3, 7, 4, 4], [3, 7, 4, 4]]) - np.array([len(seen) for seen in SEEN_BY]).reshape(4, 4)
    assert_same(info["activation_gradients"]["picture"], both.astype(np.float32))
    assert_same(shown, np.arange(16, dtype=np.float32).reshape(4, 4))
    assert target.shape == (2, 2)
    assert "seen has 2 channels; channel 1 is written." in done.remarks
