"""A `Trainer` of Hugging Face with the callback trains as without it, and its steps and logs are in the recording."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from support.hosts.runs import (
    WAYS_TO_END,
    assert_ended,
    assert_gradients,
    curve,
    equal_weights,
    evaluations_after,
    gradient_norms,
    needs,
    norms_of,
    recording_in,
    run_script,
    steps_of,
)

needs("transformers")
needs("accelerate")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

    from comgra_export.integrations.transformers import ComgraCallback

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore:.*pin_memory", "ignore:.*lr_scheduler")
]


def network() -> Any:  # noqa: ANN401
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=16, n_layer=2, n_head=2))


def sentences(count: int) -> list[dict[str, Any]]:
    ids = torch.randint(0, 32, (count, 8), generator=torch.Generator().manual_seed(2))
    return [{"input_ids": row, "labels": row} for row in ids]


class Gradients(TrainerCallback):
    """The gradients of each step as the optimizer gets them."""

    def __init__(self) -> None:
        self.norms: dict[int, dict[str, float]] = {}

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:  # noqa: ANN401
        self.norms[state.global_step] = norms_of(model.named_parameters())


def train(folder: Path, *callbacks: TrainerCallback, resume: Path | None = None, **arguments: Any) -> Trainer:  # noqa: ANN401
    defaults = {
        "per_device_train_batch_size": 4,
        "max_steps": 24,
        "eval_strategy": "steps",
        "eval_steps": 12,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
        "use_cpu": True,
        "max_grad_norm": 0.1,
    }
    options = TrainingArguments(output_dir=str(folder), **{**defaults, **arguments})
    trainer = Trainer(
        network(),
        options,
        train_dataset=sentences(32),
        eval_dataset=sentences(16),
        callbacks=list(callbacks),  # type: ignore[arg-type]
    )
    trainer.train(resume_from_checkpoint=None if resume is None else str(resume))
    return trainer


def every_step(**arguments: Any) -> ComgraCallback:  # noqa: ANN401
    return ComgraCallback(every_n_steps=1, **arguments)


@pytest.mark.parametrize("arguments", [{}, {"gradient_accumulation_steps": 2, "bf16": True}], ids=["plain", "accumulated in bf16"])
def test_steps_have_the_numbers_of_the_trainer(tmp_path: Path, arguments: dict[str, Any]) -> None:
    gradients, callback = Gradients(), every_step(strict=True)
    trainer = train(tmp_path, callback, gradients, **arguments)
    plain = train(tmp_path / "plain", **arguments)
    assert equal_weights(trainer.model, plain.model)
    recording = recording_in(tmp_path)
    evaluations = [*evaluations_after(11, 2), *evaluations_after(23, 2)]
    assert steps_of(recording) == {"train": list(range(24)), "eval": evaluations}
    for step in range(24):
        assert_gradients(gradient_norms(recording, step), gradients.norms[step])
        assert len(recording.step(step).calls) == arguments.get("gradient_accumulation_steps", 1)
    # An epoch has eight batches.
    steps = 8 // arguments.get("gradient_accumulation_steps", 1)
    assert [recording.step(step).epoch for step in (steps - 1, steps)] == [0, 1]
    logged = {row["step"] - 1: row["loss"] for row in trainer.state.log_history if "loss" in row}
    assert curve(recording, "loss") == {step: pytest.approx(loss) for step, loss in logged.items()}
    assert len(logged) == 24
    losses = {row["step"] - 1: row["eval_loss"] for row in trainer.state.log_history if "eval_loss" in row}
    assert curve(recording, "eval_loss", "eval") == {step: pytest.approx(loss) for step, loss in losses.items()}
    assert recording.config["max_grad_norm"] == 0.1
    assert callback.bundle == tmp_path / "comgra" / "comgra.html"


def test_a_run_that_is_resumed_continues_its_recording(tmp_path: Path) -> None:
    resumed = []
    # The second object knows of the first by the checkpoint alone.
    for folder, first, second in ((tmp_path, [every_step()], [every_step()]), (tmp_path / "plain", [], [])):
        train(folder, *first, max_steps=12, save_strategy="steps", save_steps=12, eval_strategy="no")
        resumed.append(train(folder, *second, resume=folder / "checkpoint-12", eval_strategy="no").model)
    assert equal_weights(*resumed)
    assert steps_of(recording_in(tmp_path)) == {"train": list(range(24))}
    assert [path.name for path in (tmp_path / "comgra" / "default").iterdir()] == ["trial"]


SCRIPT = """
    import sys, torch
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
    from comgra_export.integrations.transformers import ComgraCallback

    folder, how = sys.argv[1:]

    class Watching(TrainerCallback):
        norms = []
        def on_pre_optimizer_step(self, args, state, control, model=None, **_):
            self.norms.append({name: float(p.grad.double().norm()) for name, p in model.named_parameters()})
        def on_step_end(self, args, state, control, **_):
            if state.global_step == 5 and how != "train":
                raise KeyboardInterrupt if how == "interrupt" else RuntimeError("stop")

    def train(*callbacks):
        torch.manual_seed(0)
        model = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=16, n_layer=2, n_head=2))
        ids = torch.randint(0, 32, (64, 8), generator=torch.Generator().manual_seed(2))
        arguments = TrainingArguments(
            folder, max_steps=10, per_device_train_batch_size=2, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True,
            disable_tqdm=True, max_grad_norm=0.1, ddp_backend="gloo" if how == "train" else None,
        )
        data = [{"input_ids": row, "labels": row} for row in ids]
        trainer = Trainer(model, arguments, train_dataset=data, callbacks=list(callbacks))
        trainer.train()
        return model, arguments.process_index

    net, rank = train(ComgraCallback(folder, every_n_steps=1), Watching())
    norms = list(Watching.norms)
    plain, _ = train()
    torch.save((net.state_dict(), plain.state_dict(), norms), f"{folder}/{rank}.pt")
"""


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_page_is_written_when_something_ends_the_training(tmp_path: Path, how: str) -> None:
    finished = run_script(SCRIPT, tmp_path, tmp_path / "comgra", how)
    assert_ended(finished, how, tmp_path / "comgra", steps=5)


def test_every_process_records_its_part(tmp_path: Path) -> None:
    folder = tmp_path / "comgra"
    finished = run_script(SCRIPT, tmp_path, folder, "train", processes=2)
    assert finished.returncode == 0, finished.stderr
    for rank in range(2):
        weights, plain, norms = torch.load(folder / f"{rank}.pt")
        assert all(torch.equal(weights[name], plain[name]) for name in plain)
        recording = recording_in(folder, rank=rank)
        assert (recording.header.world_size, steps_of(recording)) == (2, {"train": list(range(10))})
        # As they are after both processes have shared them and the trainer has clipped them.
        for step in range(10):
            assert list(gradient_norms(recording, step).values()) == pytest.approx(list(norms[step].values()), rel=1e-4, abs=1e-9)
    assert (folder / "comgra.html").stat().st_size > 100_000
    assert "ComgraRecordingWarning" not in finished.stderr
