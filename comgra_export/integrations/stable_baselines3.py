"""Records what Stable-Baselines3 trains: `model.learn(10_000, callback=ComgraCallback())`."""

from __future__ import annotations

from pathlib import Path

from comgra_export.integrations._callback import HostCallback
from comgra_export.integrations._host import missing_host

try:
    from stable_baselines3.common.callbacks import BaseCallback
except ModuleNotFoundError as error:
    if error.name != "stable_baselines3":
        raise
    raise missing_host("stable_baselines3", "stable-baselines3") from error

__all__ = ["ComgraCallback"]


class ComgraCallback(HostCallback, BaseCallback):  # type: ignore[misc]
    """Records the updates of a policy.

    Give it to the algorithm::

        model = PPO("MlpPolicy", "CartPole-v1")
        model.learn(10_000, callback=ComgraCallback())

    A training step is a step of an optimizer. What the policy does in rollouts is neither training nor an evaluation, so it is left out.
    What the algorithm logs becomes curves, and so do the mean reward and length of its last episodes. The page is written at the end, or
    when Python exits after an exception. Learning again with the same callback continues the recording.

    The arguments are those of `HostCallback`. By default, `dirpath` is `comgra` in the folder of the algorithm's logger, or here.
    """

    def _on_training_start(self) -> None:
        folder = self._dirpath or Path(self.logger.get_dir() or ".") / "comgra"
        self._run.begin(self.model.policy, folder, config={"algorithm": type(self.model).__name__, "seed": self.model.seed})
        # Rollouts and target networks call parts of the policy without gradients.
        self._run.begin_pass(None)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._take_metrics()

    def _on_training_end(self) -> None:
        self._take_metrics()
        self._finish_run()

    def _take_metrics(self) -> None:
        """Adds what the last updates have logged to the curves, and how the last episodes went."""
        metrics = {name: value for name, value in self.logger.name_to_value.items() if name.startswith(("train/", "rollout/"))}
        episodes = self.model.ep_info_buffer
        if episodes:
            metrics["rollout/ep_rew_mean"] = sum(episode["r"] for episode in episodes) / len(episodes)
            metrics["rollout/ep_len_mean"] = sum(episode["l"] for episode in episodes) / len(episodes)
        # They are means over many steps, and the recorder has the loss of each.
        self._run.metrics(metrics, kind="train", share_charts=False)
