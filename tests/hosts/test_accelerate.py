"""A script with Accelerate and the tracker trains as without it, in one process and in two."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from support.hosts.runs import (
    WAYS_TO_END,
    assert_ended,
    assert_gradients,
    curve,
    equal_weights,
    gradient_norms,
    needs,
    norms_of,
    recording_in,
    run_script,
    steps_of,
)

needs("accelerate")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from accelerate import Accelerator

    from comgra_export.integrations.accelerate import ComgraTracker

pytestmark = pytest.mark.filterwarnings("ignore")


def train(folder: Path | None, steps: int = 20, fails_at: int | None = None) -> tuple[nn.Module, list[float], dict[int, dict[str, float]]]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    tracker = None if folder is None else ComgraTracker(net, folder, every_n_steps=1, strict=True)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2, mixed_precision="bf16", log_with=tracker)
    model, optimizer = accelerator.prepare(net, torch.optim.AdamW(net.parameters(), lr=0.01))
    accelerator.init_trackers("project", config={"lr": 0.01})
    losses: list[float] = []
    gradients: dict[int, dict[str, float]] = {}
    for batch in range(2 * steps):
        with accelerator.accumulate(model):
            if len(gradients) == fails_at:
                raise RuntimeError("stop")
            x = torch.randn(4, 3)
            loss = nn.functional.mse_loss(model(x), x[:, :1])
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 0.1)
                gradients[batch // 2] = norms_of(net.named_parameters())
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
        accelerator.log({"train_loss": losses[-1]}, step=batch)
    accelerator.end_training()
    return net, losses, gradients


def test_a_step_is_a_step_of_the_optimizer(tmp_path: Path) -> None:
    net, losses, gradients = train(tmp_path)
    plain, _, _ = train(None)
    assert equal_weights(net, plain)
    recording = recording_in(tmp_path)
    assert steps_of(recording) == {"train": list(range(20))}
    assert [len(recording.step(step).calls) for step in range(20)] == [2] * 20
    for step, norms in gradients.items():
        assert_gradients(gradient_norms(recording, step), norms)
    assert curve(recording, "train_loss") == {batch: pytest.approx(loss) for batch, loss in enumerate(losses)}
    assert recording.config == {"lr": 0.01}
    assert (tmp_path / "comgra.html").stat().st_size > 100_000


def train_from(folder: Path | None, first: int, last: int, state: Path, **arguments: Any) -> nn.Module:  # noqa: ANN401
    """Trains from a step on, with what was saved before if that is not the first one, and saves the state behind the last."""
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    tracker = None if folder is None else ComgraTracker(net, folder, every_n_steps=1, first_step=first, **arguments)
    accelerator = Accelerator(cpu=True, log_with=tracker)
    model, optimizer = accelerator.prepare(net, torch.optim.AdamW(net.parameters(), lr=0.01))
    if first:
        accelerator.load_state(str(state))
    accelerator.init_trackers("project")
    for step in range(first, last):
        loss = model(torch.full((4, 3), 0.1 * step)).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.save_state(str(state))
    accelerator.end_training()
    return net


def test_a_run_that_is_resumed_continues_its_recording(tmp_path: Path) -> None:
    train_from(tmp_path / "comgra", 0, 6, tmp_path / "state")
    net = train_from(tmp_path / "comgra", 6, 12, tmp_path / "state", existing_trial="append")
    assert equal_weights(net, train_from(None, 0, 12, tmp_path / "plain"))
    recording = recording_in(tmp_path / "comgra")
    assert steps_of(recording) == {"train": list(range(12))}
    assert [path.name for path in recording.folder.parent.parent.iterdir()] == ["trial"]


SCRIPT = """
    import sys, torch
    from accelerate import Accelerator
    from comgra_export.integrations.accelerate import ComgraTracker
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 1)
    accelerator = Accelerator(cpu=True, log_with=ComgraTracker(net, sys.argv[1], every_n_steps=1))
    model, optimizer = accelerator.prepare(net, torch.optim.SGD(net.parameters(), lr=0.1))
    accelerator.init_trackers("project")
    for step in range(20):
        if step == int(sys.argv[2]):
            raise KeyboardInterrupt if sys.argv[3] == "interrupt" else RuntimeError("stop")
        loss = model(torch.randn(4, 3)).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.end_training()
"""


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_page_is_written_when_an_exception_ends_the_script(tmp_path: Path, how: str) -> None:
    assert_ended(run_script(SCRIPT, tmp_path, tmp_path / "comgra", 7, how), how, tmp_path / "comgra", steps=7)


def test_every_process_records_its_part(tmp_path: Path) -> None:
    finished = run_script(SCRIPT, tmp_path, tmp_path / "comgra", -1, processes=2)
    assert finished.returncode == 0, finished.stderr
    first, second = (recording_in(tmp_path / "comgra", rank=rank) for rank in range(2))
    assert steps_of(first) == steps_of(second) == {"train": list(range(20))}
    assert gradient_norms(first, 19) == gradient_norms(second, 19)
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000


LAUNCHED = """
    import sys, torch
    from accelerate import Accelerator, debug_launcher
    from comgra_export.integrations.accelerate import ComgraTracker

    def train(folder):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        accelerator = Accelerator(cpu=True, log_with=ComgraTracker(net, folder, every_n_steps=1) if folder else None)
        assert accelerator.num_processes == 2
        model, optimizer = accelerator.prepare(net, torch.optim.SGD(net.parameters(), lr=0.1))
        accelerator.init_trackers("project")
        generator = torch.Generator().manual_seed(accelerator.process_index)
        norms, losses = [], []
        for step in range(20):
            loss = model(torch.randn(4, 3, generator=generator)).square().mean()
            accelerator.backward(loss)
            norms.append([float(p.grad.double().norm()) for p in net.parameters()])
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            accelerator.log({"train_loss": loss.item()}, step=step)
        accelerator.end_training()
        torch.save((net.state_dict(), norms, losses), f"{sys.argv[1]}/{'with' if folder else 'without'}-{accelerator.process_index}.pt")

    if __name__ == "__main__":
        debug_launcher(train, (sys.argv[1] + "/comgra",), num_processes=2)
        debug_launcher(train, ("",), num_processes=2)
"""


def test_two_processes_of_the_debug_launcher(tmp_path: Path) -> None:
    finished = run_script(LAUNCHED, tmp_path, tmp_path)
    assert finished.returncode == 0, finished.stderr
    for rank in range(2):
        weights, norms, losses = torch.load(tmp_path / f"with-{rank}.pt")
        plain, *_ = torch.load(tmp_path / f"without-{rank}.pt")
        assert all(torch.equal(weights[name], plain[name]) for name in plain)
        recording = recording_in(tmp_path / "comgra", rank=rank)
        assert recording.header.world_size == 2
        # Accelerate tells the main process alone that the training ends. The others leave without running what Python does at its exit.
        assert steps_of(recording) == {"train": list(range(20))}
        assert recording.is_closed
        # What each rank records are the gradients after they were averaged over both.
        assert list(gradient_norms(recording, 19).values()) == pytest.approx(norms[19], rel=1e-4)
        # The main process alone is told what the script logs.
        expected = {step: pytest.approx(loss) for step, loss in enumerate(losses)} if rank == 0 else {}
        assert curve(recording, "train_loss") == expected
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000
    assert "Warning: ComgraTracker" not in finished.stderr
