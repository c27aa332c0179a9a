"""Which line of the code made a tensor."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from comgra_export.errors import MisuseError
from comgra_export.recorder.host.source_lines import project_folder
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_records

NETWORK = """\
import torch


def rescaled(x):
    return x * 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 4)

    def forward(self, x, record, wrapped):
        record("first", self.first(x))
        record("rescaled", rescaled(x))
        changed = x.clone()
        changed.add_(1)
        record("changed", changed)
        record("wrapped", wrapped(x))
        with torch.no_grad():
            record("chosen", (lambda values: values.argmax(1))(x))
        return record
"""
WRAPPED = """\
import torch


def wrapped(x):
    return torch.tanh(x)
"""


def load(path: Path, content: str) -> ModuleType:
    """Writes a module of Python's, and imports it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    spec = importlib.util.spec_from_file_location("loaded_for_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in whose subfolder Python was started."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "scripts").mkdir()
    monkeypatch.chdir(project / "scripts")
    return project


def record(make_recorder: MakeRecorder, network: ModuleType, wrapped: Any = torch.tanh, **arguments: Any) -> dict[str, str | None]:  # noqa: ANN401
    """Records a step of the network, and returns the line of each tensor."""
    recorder = make_recorder(request_input_gradients=False, **arguments)
    net = network.Net()
    recorder.track_module("net", net)
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.randn(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        net(x, recorder.register_tensor, wrapped)
    lines = {name: record.entry.source for (_, name, _), record in read_records(recorder).items()}
    return {name: None if line is None else str(line) for name, line in lines.items()}


def test_a_tensor_has_the_innermost_line_of_the_project_that_made_it(project: Path, make_recorder: MakeRecorder) -> None:
    network = load(project / "src" / "net.py", NETWORK)
    installed = load(project / ".venv" / "lib" / "site-packages" / "wrapped.py", WRAPPED)
    lines = record(make_recorder, network, installed.wrapped, source=True)
    assert lines == {
        "first": "src/net.py:14 in forward",
        "rescaled": "src/net.py:5 in rescaled",
        "changed": "src/net.py:17 in forward",
        # What is installed is no part of the project, although it lies in its folder.
        "wrapped": "src/net.py:19 in forward",
        "chosen": "src/net.py:21 in <lambda>",
        # They were made before the step.
        "x": None,
        "net.first.weight": None,
        "net.first.bias": None,
    }


def test_twins_leave_lines_as_they_are(project: Path, make_recorder: MakeRecorder) -> None:
    network = load(project / "net.py", NETWORK)
    recorder = make_recorder(source=True)
    net = network.Net()
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.randn(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        net(x, recorder.register_tensor, torch.tanh)
    lines = {name: str(record.entry.source) for (_, name, _), record in read_records(recorder).items()}
    assert (lines["rescaled"], lines["changed"]) == ("net.py:5 in rescaled", "net.py:17 in forward")


def test_lines_are_off_by_default_and_leave_no_trace(project: Path, make_recorder: MakeRecorder) -> None:
    network = load(project / "net.py", NETWORK)
    recorder = make_recorder()
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.randn(2, 3)
        network.Net()(x, recorder.register_tensor, torch.tanh)
    (layout,) = (folder_of(recorder) / "layouts").iterdir()
    assert "net.py" not in layout.read_text()
    assert json.loads(layout.read_text()).keys() == {"tensors", "groups"}


def test_what_lies_elsewhere_is_not_named(project: Path, tmp_path: Path, make_recorder: MakeRecorder) -> None:
    network = load(tmp_path / "elsewhere" / "net.py", NETWORK)
    lines = record(make_recorder, network, source=True)
    assert set(lines.values()) == {None}
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*.json"))
    assert b"batch_dimension" in everything
    assert b"elsewhere" not in everything
    assert b"net.py" not in everything
    assert str(project).encode() not in everything


def test_a_function_mode_of_the_script_is_not_the_line(project: Path, make_recorder: MakeRecorder) -> None:
    network = load(project / "net.py", NETWORK)
    mode = load(
        project / "mode.py",
        "from torch.overrides import TorchFunctionMode\n\n\nclass Mode(TorchFunctionMode):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n        return func(*args, **(kwargs or {}))\n",
    ).Mode()
    assert isinstance(mode, TorchFunctionMode)
    with mode:
        lines = record(make_recorder, network, source=True)
    assert lines["rescaled"] == "net.py:5 in rescaled"


def test_steps_with_the_same_lines_share_them(project: Path, make_recorder: MakeRecorder) -> None:
    network = load(project / "net.py", NETWORK)
    recorder = make_recorder(source=True)
    net = network.Net()
    for step in range(3):
        with recorder.batch(step, 2), recorder.iteration():
            net(torch.randn(2, 3), recorder.register_tensor, torch.tanh)
    (layout,) = (folder_of(recorder) / "layouts").iterdir()
    content = json.loads(layout.read_text())
    assert content["sources"]["line"] == [14, 5, 17, 19, 21]
    assert content["tensors"]["source"] == [0, 1, 2, 3, 4]


def test_lines_need_calls_that_are_seen(make_recorder: MakeRecorder) -> None:
    with pytest.raises(MisuseError, match='source=True needs to see calls, and graph="autograd" does not'):
        make_recorder(graph="autograd", source=True)


@pytest.mark.parametrize(
    ("script", "current", "repository", "expected"),
    [
        ("work/train.py", "work", None, "work"),
        ("work/scripts/train.py", "work", None, "work"),
        ("work/train.py", "other", None, "work"),
        ("work/scripts/train.py", "other", "work", "work"),
        (None, "work/notebooks", "work", "work"),
        (None, "work/notebooks", None, "work/notebooks"),
        # A script in no repository, started in one.
        ("work/train.py", "other/folder", "other", "other"),
    ],
)
def test_the_project_is_the_repository_of_the_script_or_its_folder(
    script: str | None, current: str, repository: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (current, expected, *([] if script is None else [str(Path(script).parent)])):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    if repository is not None:
        (tmp_path / repository / ".git").mkdir()
    monkeypatch.chdir(tmp_path / current)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", None if script is None else str(tmp_path / script), raising=False)
    assert project_folder() == tmp_path / expected


def test_an_installed_script_and_the_whole_file_system_are_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(Path(sys.prefix) / "bin" / "runner"), raising=False)
    monkeypatch.chdir("/")
    assert project_folder() is None


@pytest.mark.parametrize("repository", [None, "home", "home/ada"])
def test_a_folder_that_holds_the_home_of_the_user_is_no_project(
    repository: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / "ada" / "net"
    folder.mkdir(parents=True)
    if repository is not None:
        (tmp_path / repository / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "ada"))
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(folder / "train.py"), raising=False)
    monkeypatch.chdir(tmp_path / "home")
    assert project_folder() is None
    # In a folder of its own, it is one.
    monkeypatch.chdir(folder)
    assert project_folder() == folder
