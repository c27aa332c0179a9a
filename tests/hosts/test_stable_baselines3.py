"""An algorithm of Stable-Baselines3 with the callback learns as without it, and rollouts are no evaluations."""

from __future__ import annotations

import math
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
    gradient_norms,
    needs,
    norms_of,
    own_curve,
    recording_in,
    run_script,
    steps_of,
)

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
    # Every gradient is larger than that, so the algorithm clips it.
    arguments = {"n_steps": 32, "batch_size": 16, "n_epochs": 4, "max_grad_norm": 1e-3}
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
    # Three rollouts of 32 steps, each in four epochs of two batches.
    assert steps_of(recording) == {"train": list(range(24))}
    for step in range(24):
        recorded = gradient_norms(recording, step)
        assert_gradients(recorded, norms[step])
        assert math.hypot(*recorded.values()) == pytest.approx(1e-3, rel=1e-3)
    assert set(own_curve(recording, "loss")) == set(range(24))
    assert list(curve(recording, "train/loss").values())[-1] == pytest.approx(model.logger.name_to_value["train/loss"])
    assert callback.bundle == tmp_path / "comgra.html"


def test_target_networks_do_not_count(tmp_path: Path) -> None:
    arguments = {"learning_starts": 32, "train_freq": 4, "batch_size": 8}
    model = learn(DQN, ComgraCallback(tmp_path, every_n_steps=1), **arguments)
    assert all(torch.equal(a, b) for a, b in zip(model.policy.parameters(), learn(DQN, **arguments).policy.parameters(), strict=True))
    assert steps_of(recording_in(tmp_path)) == {"train": list(range(model._n_updates))}


def test_learning_again_continues_the_recording(tmp_path: Path) -> None:
    arguments = {"n_steps": 32, "batch_size": 16, "n_epochs": 2}
    policies = []
    for callback in (ComgraCallback(tmp_path, every_n_steps=1), None):
        model = learn(PPO, callback, **arguments)
        policies.append(model.learn(64, callback=callback, reset_num_timesteps=False).policy)
    assert equal_weights(*policies)
    # Three rollouts and then two more, each with two epochs of two batches.
    assert steps_of(recording_in(tmp_path)) == {"train": list(range(20))}


ENDING = """
    import sys
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from comgra_export.integrations.stable_baselines3 import ComgraCallback

    class Ends(BaseCallback):
        def _on_step(self):
            if self.num_timesteps == 65:
                raise KeyboardInterrupt if sys.argv[2] == "interrupt" else RuntimeError("stop")
            return True

    model = PPO("MlpPolicy", "CartPole-v1", n_steps=32, batch_size=16, n_epochs=2, device="cpu")
    model.learn(96, callback=[ComgraCallback(sys.argv[1], every_n_steps=1), Ends()])
"""


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_page_is_written_when_something_ends_the_training(tmp_path: Path, how: str) -> None:
    finished = run_script(ENDING, tmp_path, tmp_path / "comgra", how)
    # Two rollouts of 32 steps, each with two epochs of two batches.
    assert_ended(finished, how, tmp_path / "comgra", steps=8)
