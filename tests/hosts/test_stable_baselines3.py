"""An algorithm of Stable-Baselines3 with the callback learns as without it, and rollouts are no evaluations."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from support.hosts.runs import assert_gradients, curve, equal_weights, gradient_norms, needs, norms_of, own_curve, recording_in, steps_of

needs("stable_baselines3")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from stable_baselines3 import DQN, PPO

    from comgra_export.integrations.stable_baselines3 import ComgraCallback

pytestmark = pytest.mark.filterwarnings("ignore")


def learn(kind: Any, callback: Any = None, **arguments: Any) -> Any:  # noqa: ANN401
    model = kind("MlpPolicy", "CartPole-v1", seed=0, device="cpu", policy_kwargs={"net_arch": [8]}, **arguments)
    return model.learn(96, callback=callback)


def test_a_step_of_the_optimizer_is_a_training_step(tmp_path: Path) -> None:
    norms: dict[int, dict[str, float]] = {}
    arguments = {"n_steps": 32, "batch_size": 16, "n_epochs": 2}
    policies: list[Any] = []

    def keep(optimizer: Any, *_: object) -> None:  # noqa: ANN401
        norms[len(norms)] = norms_of(policies[0].named_parameters())

    class Keeping(ComgraCallback):  # type: ignore[misc]
        def _on_training_start(self) -> None:
            policies.append(self.model.policy)
            self.model.policy.optimizer.register_step_pre_hook(keep)
            super()._on_training_start()

    callback = Keeping(tmp_path, every_n_steps=1)
    model = learn(PPO, callback, **arguments)
    assert equal_weights(model.policy, learn(PPO, **arguments).policy)
    recording = recording_in(tmp_path)
    # Three rollouts of 32 steps, each in two epochs of two batches.
    assert steps_of(recording) == {"train": list(range(12))}
    for step in range(12):
        assert_gradients(gradient_norms(recording, step), norms[step])
    assert set(own_curve(recording, "loss")) == set(range(12))
    assert list(curve(recording, "train/loss").values())[-1] == pytest.approx(model.logger.name_to_value["train/loss"])
    assert callback.bundle == tmp_path / "comgra.html"


def test_target_networks_do_not_count(tmp_path: Path) -> None:
    arguments = {"learning_starts": 32, "train_freq": 4, "batch_size": 8}
    model = learn(DQN, ComgraCallback(tmp_path, every_n_steps=1), **arguments)
    assert all(torch.equal(a, b) for a, b in zip(model.policy.parameters(), learn(DQN, **arguments).policy.parameters(), strict=True))
    assert steps_of(recording_in(tmp_path)) == {"train": list(range(model._n_updates))}
