"""A Lightning trainer with the callback trains as without it, and all that it does is in the recording under its own numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from support.hosts.runs import (
    assert_gradients,
    curve,
    equal_weights,
    evaluations_after,
    gradient_norms,
    needs,
    norms_of,
    own_curve,
    recording_in,
    run_script,
    steps_of,
)

needs("lightning")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from lightning.pytorch import Callback, LightningModule, Trainer
    from lightning.pytorch.plugins.precision import MixedPrecision

    from comgra_export.integrations.lightning import ComgraCallback

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore:.*does not have many workers", "ignore:.*LeafSpec", "ignore:.*log_every"
)


class Coder(LightningModule):
    """The autoencoder of Lightning's front page, which is never called itself."""

    def __init__(self, lr: float = 0.01, fails_at: tuple[int, type[BaseException]] | None = None) -> None:
        super().__init__()
        self.lr = lr
        self.save_hyperparameters("lr")
        self.encoder = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
        self.decoder = nn.Linear(2, 6)
        self.fails_at = fails_at
        self.losses: dict[str, list[Tensor]] = {"train_loss": [], "val_loss": [], "test_loss": []}

    def loss(self, batch: Any, name: str) -> Tensor:  # noqa: ANN401
        (x,) = batch
        loss = nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
        self.losses[name].append(loss.detach().float())
        self.log(name, loss)
        return loss

    def training_step(self, batch: Any, index: int) -> Tensor:  # noqa: ANN401
        if self.fails_at is not None and len(self.losses["train_loss"]) == self.fails_at[0]:
            raise self.fails_at[1]("stop")
        return self.loss(batch, "train_loss")

    def validation_step(self, batch: Any, index: int) -> None:  # noqa: ANN401
        self.loss(batch, "val_loss")

    def test_step(self, batch: Any, index: int) -> None:  # noqa: ANN401
        self.loss(batch, "test_loss")

    def predict_step(self, batch: Any, index: int) -> Tensor:  # noqa: ANN401
        return self.encoder(batch[0])  # type: ignore[no-any-return]

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=self.lr)


class Gradients(Callback):
    """The gradients before and after clipping, as the trainer shows them."""

    def __init__(self) -> None:
        self.before: dict[int, dict[str, float]] = {}
        self.after: dict[int, dict[str, float]] = {}

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:  # noqa: ANN401
        self.before[trainer.global_step] = norms_of(pl_module.named_parameters())

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: object) -> None:  # noqa: ANN401
        if trainer.global_step - 1 in self.before:
            self.after.setdefault(trainer.global_step - 1, norms_of(pl_module.named_parameters()))


def loader(samples: int = 40) -> torch.utils.data.DataLoader[Any]:
    data = torch.rand(samples, 6, generator=torch.Generator().manual_seed(1))
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data), batch_size=4)


def make_trainer(folder: Path, *callbacks: Callback, **arguments: Any) -> Trainer:  # noqa: ANN401
    quiet = dict.fromkeys(("logger", "enable_progress_bar", "enable_checkpointing", "enable_model_summary"), False)
    defaults = {"max_epochs": 2, "accelerator": "cpu", "devices": 1, "default_root_dir": folder, "num_sanity_val_steps": 0, **quiet}
    return Trainer(callbacks=list(callbacks), **{**defaults, **arguments})  # type: ignore[arg-type]


def fit(folder: Path, *callbacks: Callback, model: LightningModule | None = None, **arguments: Any) -> tuple[Any, Trainer]:  # noqa: ANN401
    torch.manual_seed(0)
    model = model or Coder()
    trainer = make_trainer(folder, *callbacks, **arguments)
    trainer.fit(model, loader(), loader(8) if type(model).validation_step is not LightningModule.validation_step else None)
    return model, trainer


def every_step(**arguments: Any) -> ComgraCallback:  # noqa: ANN401
    return ComgraCallback(every_n_steps=1, strict=True, **arguments)


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[None]:
    yield
    assert torch._C._len_torch_function_stack() == 0


def test_steps_have_the_numbers_of_the_trainer(tmp_path: Path) -> None:
    gradients = Gradients()
    model, trainer = fit(tmp_path, every_step(), gradients, gradient_clip_val=0.01, num_sanity_val_steps=2)
    plain, _ = fit(tmp_path / "plain", gradient_clip_val=0.01, num_sanity_val_steps=2)
    assert equal_weights(model, plain)
    recording = recording_in(tmp_path)
    assert trainer.global_step == 20
    assert steps_of(recording) == {"train": list(range(20)), "validate": [*evaluations_after(9, 2), *evaluations_after(19, 2)]}
    assert recording.config == {"lr": 0.01}
    for step in range(20):
        assert_gradients(gradient_norms(recording, step, "before clipping"), gradients.before[step])
        assert_gradients(gradient_norms(recording, step), gradients.after[step])
        assert gradients.before[step] != gradients.after[step]
    assert [recording.step(step).epoch for step in (9, 10)] == [0, 1]


def test_curves_are_what_the_model_logs(tmp_path: Path) -> None:
    model, _ = fit(tmp_path, every_step())
    recording = recording_in(tmp_path)
    assert curve(recording, "train_loss") == {step: pytest.approx(float(loss)) for step, loss in enumerate(model.losses["train_loss"])}
    means = [float(sum(model.losses["val_loss"][at : at + 2])) / 2 for at in (0, 2)]
    assert curve(recording, "val_loss", "validate") == {9: pytest.approx(means[0]), 19: pytest.approx(means[1])}
    assert curve(recording, "train_loss", "validate") == {}
    assert {point.group for point in recording.curve_points if not point.is_own} == {"loss"}


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_accumulation_counts_steps_of_the_optimizer(tmp_path: Path, precision: str) -> None:
    arguments = {"accumulate_grad_batches": 3, "precision": precision, "limit_val_batches": 0}
    gradients = Gradients()
    model, trainer = fit(tmp_path, every_step(), gradients, **arguments)
    plain, _ = fit(tmp_path / "plain", **arguments)
    assert equal_weights(model, plain)
    recording = recording_in(tmp_path)
    assert steps_of(recording) == {"train": list(range(trainer.global_step))}
    assert [len(recording.step(step).calls) for step in range(4)] == [3, 3, 3, 1]
    for step in range(trainer.global_step):
        assert_gradients(gradient_norms(recording, step), gradients.before[step])


def test_float16_has_no_factor_of_the_loss_and_counts_updates_that_are_skipped(tmp_path: Path) -> None:
    def arguments() -> dict[str, Any]:
        # So large that the first gradients overflow. Each time, the scaler skips the update and halves the factor.
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
        return {"plugins": [MixedPrecision("16-mixed", "cpu", scaler)], "gradient_clip_val": 0.01, "limit_val_batches": 0}

    gradients = Gradients()
    model, trainer = fit(tmp_path, every_step(), gradients, **arguments())
    plain, _ = fit(tmp_path / "plain", **arguments())
    assert equal_weights(model, plain)
    recording = recording_in(tmp_path)
    assert trainer.global_step == 20
    assert steps_of(recording) == {"train": list(range(20))}
    skipped = [step for step, norms in gradients.before.items() if not math.isfinite(sum(norms.values()))]
    assert skipped == list(range(len(skipped)))
    assert 2 <= len(skipped) <= 10
    for step in range(20):
        before, after = gradient_norms(recording, step, "before clipping"), gradient_norms(recording, step)
        if step in skipped:
            assert not math.isfinite(sum(before.values()))
        else:
            assert_gradients(before, gradients.before[step])
            assert_gradients(after, gradients.after[step])


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_what_ends_the_run_is_noted_and_there_is_a_page(tmp_path: Path, kind: type[BaseException]) -> None:
    callback = every_step()
    with pytest.raises(SystemExit if kind is KeyboardInterrupt else kind):
        fit(tmp_path, callback, model=Coder(fails_at=(7, kind)))
    recording = recording_in(tmp_path)
    assert steps_of(recording) == {"train": list(range(7))}
    assert kind.__name__ in str([note.text for note in recording.notes])
    assert callback.bundle == tmp_path / "comgra" / "comgra.html"
    assert callback.bundle.stat().st_size > 100_000


def test_a_run_that_is_resumed_continues_its_recording(tmp_path: Path) -> None:
    _, trainer = fit(tmp_path, every_step(), max_epochs=1, limit_val_batches=0)
    trainer.save_checkpoint(tmp_path / "last.ckpt")
    torch.manual_seed(0)
    resumed = make_trainer(tmp_path / "elsewhere", every_step(), limit_val_batches=0)
    model = Coder()
    resumed.fit(model, loader(), loader(8), ckpt_path=tmp_path / "last.ckpt", weights_only=False)
    plain, _ = fit(tmp_path / "plain", limit_val_batches=0)
    assert equal_weights(model, plain)
    assert resumed.global_step == 20
    assert steps_of(recording_in(tmp_path)) == {"train": list(range(20))}
    assert not (tmp_path / "elsewhere" / "comgra").exists()


def test_validating_testing_and_predicting_go_on_with_the_recording(tmp_path: Path) -> None:
    callback = every_step()
    model, trainer = fit(tmp_path, callback, max_epochs=1)
    for run in (trainer.validate, trainer.test):
        run(model, loader(8), verbose=False)
    trainer.predict(model, loader(8))
    recording = recording_in(tmp_path)
    assert steps_of(recording) == {
        "train": list(range(10)),
        "validate": evaluations_after(9, 4),
        "test": evaluations_after(9, 2, 5),
        "predict": evaluations_after(9, 2, 7),
    }
    assert curve(recording, "test_loss", "test") == {9: pytest.approx(float(sum(model.losses["test_loss"])) / 2)}


class Adversaries(LightningModule):
    """Two networks that take turns, optimized by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.generator, self.critic = nn.Linear(2, 6), nn.Linear(6, 1)

    def training_step(self, batch: Any, index: int) -> None:  # noqa: ANN401
        (x,) = batch
        for optimizer, sign in zip(self.optimizers(), (1, -1), strict=True):
            loss = sign * (self.critic(self.generator(x[:, :2])).mean() - self.critic(x).mean())
            optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()

    def configure_optimizers(self) -> list[torch.optim.Optimizer]:
        return [torch.optim.SGD(part.parameters(), lr=0.1) for part in (self.generator, self.critic)]


def test_optimizers_that_take_turns_count_as_the_trainer_counts_them(tmp_path: Path) -> None:
    _, trainer = fit(tmp_path, every_step(), model=Adversaries(), max_epochs=1)
    recording = recording_in(tmp_path)
    assert trainer.global_step == 20
    assert steps_of(recording) == {"train": list(range(20))}
    assert set(own_curve(recording, "loss")) == set(range(20))


def test_every_process_records_its_part(tmp_path: Path) -> None:
    fit(tmp_path, ComgraCallback(every_n_steps=1), strategy="ddp_spawn", devices=2, max_epochs=1, limit_val_batches=0)
    first, second = (recording_in(tmp_path, rank=rank) for rank in range(2))
    assert steps_of(first) == steps_of(second) == {"train": list(range(5))}
    assert gradient_norms(first, 4) == gradient_norms(second, 4)
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000


DDP = """
    import os, sys, torch
    from lightning.pytorch import LightningModule, Trainer
    from comgra_export.integrations.lightning import ComgraCallback

    class Net(LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)
        def training_step(self, batch, index):
            return self.layer(batch[0]).square().mean()
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    def fit(*callbacks):
        torch.manual_seed(0)
        net, data = Net(), torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(40, 3)), batch_size=2)
        quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
        trainer = Trainer(max_epochs=1, callbacks=list(callbacks), accelerator="cpu", devices=2, strategy="ddp", **quiet)
        trainer.fit(net, data)
        assert trainer.global_step == 10
        return net.state_dict(), trainer.global_rank

    weights, rank = fit(ComgraCallback(sys.argv[1], every_n_steps=1))
    plain, _ = fit()
    assert all(torch.equal(weights[name], plain[name]) for name in plain)
    print("equal on rank", rank)
"""


def test_processes_that_the_trainer_starts_record_their_parts(tmp_path: Path) -> None:
    finished = run_script(DDP, tmp_path, tmp_path / "comgra")
    assert finished.returncode == 0, finished.stderr
    assert "equal on rank 0" in finished.stdout
    first, second = (recording_in(tmp_path / "comgra", rank=rank) for rank in range(2))
    assert steps_of(first) == steps_of(second) == {"train": list(range(10))}
    assert "ComgraRecordingWarning" not in finished.stderr
    assert (tmp_path / "comgra" / "comgra.html").stat().st_size > 100_000


def test_trouble_of_ours_ends_no_training(tmp_path: Path) -> None:
    (tmp_path / "comgra").write_text("in the way", encoding="utf-8")
    with pytest.warns(match="ComgraCallback: the recording could not begin"):
        model, _ = fit(tmp_path, ComgraCallback(), max_epochs=1)
    assert len(model.losses["train_loss"]) == 10


def test_the_loggers_get_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("wandb")
    needs("mlflow")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lightning.pytorch.loggers import MLFlowLogger, WandbLogger

        loggers = [
            WandbLogger(project="p", save_dir=tmp_path, offline=True),
            MLFlowLogger("e", tracking_uri=f"sqlite:///{tmp_path}/mlflow.db", artifact_location=(tmp_path / "artifacts").as_uri()),
        ]
        fit(tmp_path, every_step(dirpath=tmp_path / "comgra"), max_epochs=1, logger=loggers)
    page = (tmp_path / "comgra" / "comgra.html").read_bytes()
    copies = [*(tmp_path / "artifacts").rglob("comgra.html"), *(tmp_path / "wandb").rglob("comgra_*.html")]
    assert [copy.read_bytes() == page for copy in copies] == [True, True]
    loggers[0].experiment.finish()


OTHER_PACKAGE = """
    import sys, torch
    from pytorch_lightning import Callback, LightningModule, Trainer
    from comgra_export.integrations.lightning import ComgraCallback

    class Net(LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)
        def training_step(self, batch, index):
            return self.layer(batch[0]).square().mean()
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    callback = ComgraCallback(sys.argv[1], every_n_steps=1)
    assert isinstance(callback, Callback)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(20, 3)))
    trainer = Trainer(max_epochs=1, callbacks=callback, logger=False, enable_checkpointing=False, accelerator="cpu")
    trainer.fit(Net(), data)
"""


def test_the_package_of_the_other_name_takes_the_callback_too(tmp_path: Path) -> None:
    needs("pytorch_lightning")
    finished = run_script(OTHER_PACKAGE, tmp_path, tmp_path / "comgra")
    assert finished.returncode == 0, finished.stderr
    assert steps_of(recording_in(tmp_path / "comgra")) == {"train": list(range(20))}
