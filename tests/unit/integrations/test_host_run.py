"""What all hosts share, driven by a trainer of our own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecordingWarning, MisuseError, RecordingGapError, TrialExistsError
from comgra_export.integrations._host import HostRun, Settings, chart_of
from comgra_export.storage import Recording, find_recordings, open_recording
from support.processes import ReadyProcesses


class Trainer:
    """Trains, validates, and tells a run what it does. Not every trainer knows how many steps it has made."""

    def __init__(self, run: HostRun, *, counts: bool = True) -> None:
        torch.manual_seed(0)
        self.run = run
        self.counts = counts
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.step = 0
        self.losses: list[float] = []

    def loss(self) -> Tensor:
        return self.net[1](self.net[0](torch.randn(4, 3))).square().mean()  # type: ignore[no-any-return]

    def fit(self, folder: Path, steps: int, accumulate: int = 1) -> None:
        self.run.begin(self.net, folder, first_step=self.step if self.counts else None, config={"lr": 0.1})
        self.run.epoch(0)
        for _ in range(steps):
            self.optimizer.zero_grad()
            for _ in range(accumulate):
                self.run.begin_pass(None)
                loss = self.loss()
                loss.backward()
            self.optimizer.step()
            self.run.end_step()
            self.losses.append(loss.item())
            self.run.metrics({"train_loss": loss.detach(), "epoch_name": "first", "flag": True}, self.step, "train")
            self.step += 1
        with torch.no_grad():
            self.run.begin_pass("validate")
            self.run.metrics({"val_loss": self.loss()}, self.step - 1, "validate")


def settings(**arguments: Any) -> Settings:  # noqa: ANN401
    return Settings(every_n_steps=1, **arguments)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert torch._C._len_torch_function_stack() == 0


def recordings_in(folder: Path) -> dict[str, Recording]:
    return {folder.parent.name: open_recording(folder) for folder in find_recordings(folder)}


def types_of(recording: Recording) -> list[tuple[float, str]]:
    return [(step, recording.step(step).type_of_execution) for step in recording.steps]


@pytest.mark.parametrize("accumulate", [1, 3])
def test_a_run_is_recorded_and_its_page_written(tmp_path: Path, accumulate: int) -> None:
    trainer, waited = Trainer(HostRun("Host", settings())), []
    trainer.fit(tmp_path, 3, accumulate)
    bundle = trainer.run.finish(wait=lambda: waited.append(True))
    assert bundle is not None
    assert bundle.path == tmp_path / "comgra.html"
    assert waited == [True]
    (recording,) = recordings_in(tmp_path).values()
    assert types_of(recording) == [(0, "train"), (1, "train"), (2, "train"), (2.000001, "validate")]
    assert [len(recording.step(step).calls) for step in (0, 1, 2)] == [accumulate] * 3
    assert recording.config == {"lr": 0.1}
    points = [(point.group, point.name, point.type, point.t) for point in recording.curve_points if not point.is_own]
    assert points == [*(("loss", "train_loss", "train", step) for step in range(3)), ("loss", "val_loss", "validate", 2)]
    assert recording.step(0).epoch == 0


def test_training_is_as_without(tmp_path: Path) -> None:
    weights = []
    for active in (True, False):
        trainer = Trainer(HostRun("Host", settings(arguments={"comgra_is_active": active})))
        trainer.fit(tmp_path, 5)
        trainer.run.finish()
        weights.append([*trainer.net.state_dict().values(), torch.get_rng_state()])
    assert all(torch.equal(first, second) for first, second in zip(*weights, strict=True))


@pytest.mark.parametrize("counts", [True, False])
def test_a_second_training_goes_on_with_the_recording(tmp_path: Path, counts: bool) -> None:
    trainer = Trainer(HostRun("Host", settings()), counts=counts)
    for trained in (2, 4):
        trainer.fit(tmp_path, 2)
        assert trainer.run.trained == trained
        trainer.run.finish()
    (recording,) = recordings_in(tmp_path).values()
    assert [step for step, kind in types_of(recording) if kind == "train"] == [0, 1, 2, 3]


def test_another_object_resumes_it(tmp_path: Path) -> None:
    first = Trainer(HostRun("Host", settings()))
    first.fit(tmp_path, 2)
    first.run.finish()
    second = Trainer(HostRun("Host", settings()))
    place = first.run.place
    assert place is not None
    second.run.resume(*place)
    second.step = 2
    second.fit(tmp_path, 1)
    second.run.finish()
    assert [step for step, kind in types_of(recordings_in(tmp_path)["trial"]) if kind == "train"] == [0, 1, 2]


def test_another_run_gets_another_name(tmp_path: Path) -> None:
    for _ in range(2):
        trainer = Trainer(HostRun("Host", settings(bundle=None)))
        trainer.fit(tmp_path, 1)
        assert trainer.run.finish() is None
    assert set(recordings_in(tmp_path)) == {"trial", "trial-2"}


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_an_exception_is_noted_and_leaves_a_page(tmp_path: Path, kind: type[BaseException]) -> None:
    trainer = Trainer(HostRun("Host", settings()))
    trainer.fit(tmp_path, 2)
    trainer.run.begin_pass(None)
    trainer.loss()
    bundle = trainer.run.finish(kind("stop"), wait=lambda: pytest.fail("another process may be gone"))
    assert bundle is not None
    (recording,) = recordings_in(tmp_path).values()
    assert kind.__name__ in recording.notes[-1].text
    assert recording.gaps == ()


def test_trouble_is_a_warning_of_each_kind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    trainer = Trainer(HostRun("Host", settings()))
    with pytest.warns(ComgraRecordingWarning, match="^Host: the recording could not begin. FileExistsError"):
        trainer.fit(tmp_path / "file", 1)
    assert trainer.run.finish() is None
    (tmp_path / "run" / "comgra.html").mkdir(parents=True)
    trainer.fit(tmp_path / "run", 1)
    with pytest.warns(ComgraRecordingWarning, match="^Host: the page could not be written"):
        trainer.run.finish()


def test_what_the_user_asks_for_is_raised(tmp_path: Path) -> None:
    for arguments in ({"every_n_steps": 0}, {"every_n_steps": True}, {"bundle": 3}):
        with pytest.raises(MisuseError):
            Settings(**arguments)
    run = HostRun("Host", settings(existing_trial="error"))
    run.begin(nn.Linear(1, 1), tmp_path)
    with pytest.raises(TrialExistsError):
        HostRun("Host", settings(existing_trial="error")).begin(nn.Linear(1, 1), tmp_path)
    with pytest.warns(match="No call of a watched module was seen"):
        run.finish()
    with pytest.raises(MisuseError, match="batch_size"):
        HostRun("Host", settings(arguments={"batch_size": "many"})).begin(nn.Linear(1, 1), tmp_path / "other")


def test_gaps_are_errors_for_those_who_want_that(tmp_path: Path) -> None:
    run = HostRun("Host", settings())

    def fail() -> None:
        raise RecordingGapError("a gap")

    with pytest.raises(RecordingGapError):
        run.attempt("it failed", fail)
    assert not run.is_recording


SCRIPT = """
import sys, torch
from comgra_export.integrations._host import HostRun, Settings
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
run = HostRun("Host", Settings(every_n_steps=1))
run.begin(net, sys.argv[1])
for step in range(3):
    net(torch.randn(4, 3)).mean().backward()
    optimizer.step()
raise RuntimeError("stop")
"""


def test_the_page_is_written_when_python_exits_after_an_exception(processes: ReadyProcesses, tmp_path: Path) -> None:
    finished = processes.run(SCRIPT, tmp_path, tmp_path, warnings_are_errors=False)
    assert "RuntimeError: stop" in finished.stderr
    (recording,) = recordings_in(tmp_path).values()
    assert recording.steps == (0, 1, 2)
    assert "RuntimeError: stop" in recording.notes[-1].text
    assert (tmp_path / "comgra.html").stat().st_size > 100_000, finished.stderr


@pytest.mark.parametrize(
    ("metric", "chart"),
    [
        ("loss", "loss"),
        ("train_loss", "loss"),
        ("val/loss", "loss"),
        ("train_loss_epoch", "loss"),
        ("valid_acc_best", "acc_best"),
        ("val_loss/dataloader_idx_1", "loss"),
        ("train", "train"),
        ("grad_norm", "grad_norm"),
        ("", ""),
    ],
)
def test_metrics_of_one_kind_share_a_chart(metric: str, chart: str) -> None:
    assert chart_of(metric) == chart


WITHOUT_HOSTS = """
import sys
from importlib import import_module
hosts = ["lightning", "transformers", "accelerate", "keras", "skorch", "stable_baselines3", "tensorboard"]
finders = list(sys.meta_path)


class WithoutHosts:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pytorch_lightning", *hosts):
            return None
        return next((spec for finder in finders if (spec := finder.find_spec(name, path, target))), None)


sys.meta_path[:] = [WithoutHosts()]
for host in hosts:
    try:
        import_module(f"comgra_export.integrations.{host}")
    except ImportError as error:
        print(error)
"""


def test_without_the_host_the_error_names_the_extra(processes: ReadyProcesses, tmp_path: Path) -> None:
    done = processes.run(WITHOUT_HOSTS, tmp_path, warnings_are_errors=False)
    assert done.returncode == 0, done.stderr
    extras = re.findall(r"Install it with: pip install 'comgra-export\[(.*)\]'", done.stdout)
    assert extras == ["lightning", "transformers", "accelerate", "keras", "skorch", "stable-baselines3", "tensorboard"]
