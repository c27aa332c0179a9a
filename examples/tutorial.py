"""Find the bug: a recurrent network that learns less well than it should, and the same network repaired.

The task: a sequence of N tuples of five numbers between -1 and 1 is five sequences side by side. For each of them, the
network says whether its sum is positive (1) or not (0). It trains on lengths 1 to 10 and is tested on 15 and 20.

Run it with `python -m examples.tutorial`. `comgra-export demo` runs it and also builds the page.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType

__all__ = ["STEPS", "VARIANTS", "Network", "draw_inputs", "make_recorder", "one_thread", "run", "train_on_sequence"]

# Trial names, and whether the activation also follows the last layer of every subnetwork.
VARIANTS = {"leaky_relu_after_every_layer": True, "no_activation_on_outputs": False}

STEPS = 6000
TRAINING_LENGTHS = range(1, 11)
TEST_LENGTHS = (15, 20)
TEST_EVERY = 20
NOTE_EVERY = 1000

SEQUENCES = 5
HIDDEN_SIZE = 64
MEMORY_SIZE = 32
BATCH_SIZE = 128
LEARNING_RATE = 0.001
RECORDED_SAMPLES = 5

Progress = Callable[[int, int, str], None]
ExistingTrial = Literal["error", "replace", "rename"]


class Subnetwork(nn.Module):
    """Two linear layers with a leaky ReLU between them and, if asked, another one behind them."""

    def __init__(self, inputs: int, outputs: int, *, activation_on_output: bool) -> None:
        super().__init__()
        self.layer_1 = nn.Linear(inputs, HIDDEN_SIZE)
        self.layer_2 = nn.Linear(HIDDEN_SIZE, outputs)
        self.activation_on_output = activation_on_output

    def forward(self, x: Tensor) -> Tensor:
        x = self.layer_2(functional.leaky_relu(self.layer_1(x), 0.01))
        return functional.leaky_relu(x, 0.01) if self.activation_on_output else x


class Network(nn.Module):
    """One step of a recurrent network: a common part that feeds the output and the next memory."""

    def __init__(self, *, activation_on_output: bool) -> None:
        super().__init__()
        self.subnet_pre = Subnetwork(SEQUENCES + MEMORY_SIZE, HIDDEN_SIZE, activation_on_output=activation_on_output)
        self.subnet_out = Subnetwork(HIDDEN_SIZE, SEQUENCES, activation_on_output=activation_on_output)
        self.subnet_mem = Subnetwork(HIDDEN_SIZE, MEMORY_SIZE, activation_on_output=activation_on_output)

    def forward(self, x: Tensor, memory: Tensor, recorder: ComgraRecorder) -> tuple[Tensor, Tensor]:
        pre = self.subnet_pre(torch.cat([x, memory], dim=1))
        recorder.register_tensor("subnet_pre__out", pre)
        out = self.subnet_out(pre)
        recorder.register_tensor("subnet_out__out", out)
        output = torch.sigmoid(out)
        recorder.register_tensor("output", output)
        memory = self.subnet_mem(pre)
        recorder.register_tensor("memory", memory)
        return output, memory


def register_partial_sums(inputs: list[Tensor], recorder: ComgraRecorder) -> None:
    """Record the sums so far, which the network should be computing. Each length is a role, connected to its inputs.

    The network does not use the sums. Each is computed by itself because tensors of one node must not depend on each other.
    """
    partial_sums = torch.stack(inputs).detach().cumsum(dim=0)
    for length, partial_sum in enumerate(partial_sums, start=1):
        role = "final" if length == len(inputs) else f"up_to_iteration_{length:02}"
        recorder.register_tensor(f"helper_partial_sums__{role}", partial_sum, node_name="helper_partial_sums", role_within_node=role)
        for x in inputs[:length]:
            recorder.add_tensor_connection(x, partial_sum)


def compute_loss(output: Tensor, target: Tensor, recorder: ComgraRecorder) -> Tensor:
    """Return the mean cross entropy. Record it and the losses per sample."""
    recorder.register_tensor("target", target, is_target=True)
    loss_per_sample = functional.binary_cross_entropy(output, target, reduction="none")
    recorder.register_tensor("loss_per_sample", loss_per_sample)
    loss = loss_per_sample.mean()
    recorder.register_tensor("loss", loss, is_loss=True)
    return loss


def train_on_sequence(
    network: Network, inputs: list[Tensor], recorder: ComgraRecorder, optimizer: torch.optim.Optimizer | None
) -> tuple[float, float]:
    """Run the network over a sequence of N tensors `[B, 5]`, one iteration each. Learn from it if there is an optimizer.

    Returns:
        The loss, and the share of the outputs that are on the right side of one half.
    """
    target = (torch.stack(inputs).sum(dim=0) > 0).to(inputs[0].dtype)
    memory = inputs[0].new_zeros(len(target), MEMORY_SIZE)
    recorder.register_tensor("memory", memory, is_initial_value=True)
    for x in inputs[:-1]:
        with recorder.iteration():
            recorder.register_tensor("input", x, is_input=True)
            _, memory = network(x, memory, recorder)
    with recorder.iteration():
        recorder.register_tensor("input", inputs[-1], is_input=True)
        if recorder.recording_is_active():
            register_partial_sums(inputs, recorder)
        output, memory = network(inputs[-1], memory, recorder)
        loss = compute_loss(output, target, recorder)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            recorder.record_current_gradients("gradients")
            optimizer.step()
    accuracy = ((output > 0.5) == (target > 0.5)).float().mean()
    return loss.item(), accuracy.item()


def draw_inputs(length: int, generator: torch.Generator) -> list[Tensor]:
    """Draw a batch of sequences: `length` tensors `[B, 5]` between -1 and 1."""
    return list((torch.rand(length, BATCH_SIZE, SEQUENCES, generator=generator) * 2 - 1).unbind())


def choose_length(step: int, generator: torch.Generator) -> int:
    """Draw a length to train on. Every `TEST_EVERY` steps, take the next length to test on instead."""
    if (step + 1) % TEST_EVERY == 0:
        return TEST_LENGTHS[step // TEST_EVERY % len(TEST_LENGTHS)]
    return TRAINING_LENGTHS[int(torch.randint(len(TRAINING_LENGTHS), (), generator=generator))]


def make_recorder(root: Path, group: str, trial: str, existing_trial: ExistingTrial = "error") -> ComgraRecorder:
    """Return a recorder that records often at the start of the training and more and more rarely later."""
    return ComgraRecorder(
        comgra_root_path=root,
        group=group,
        trial_id=trial,
        decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(20, exponential_backoff_factor=2),
        max_num_batch_size_to_record=RECORDED_SAMPLES,
        existing_trial=existing_trial,
        prefixes_for_grouping_module_parameters_visually=["network.subnet_pre", "network.subnet_out", "network.subnet_mem"],
    )


def note_of(step: int, results: dict[str, list[tuple[float, float]]]) -> str:
    """Describe what happened since the last note: mean loss and accuracy per type of execution."""
    lines = [f"After {step} steps, means since the last note:"]
    for type_of_execution, pairs in sorted(results.items()):
        loss, accuracy = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        lines.append(f"{type_of_execution}: loss {loss:.3f}, accuracy {accuracy:.3f}")
    return "\n".join(lines)


def train(network: Network, recorder: ComgraRecorder, steps: int, progress: Callable[[int], None]) -> None:
    """Train for a number of steps and record them."""
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    generator = torch.Generator().manual_seed(1)
    results: dict[str, list[tuple[float, float]]] = {}
    for step in range(steps):
        length = choose_length(step, generator)
        inputs = draw_inputs(length, generator)
        type_of_execution = f"{length:02}_iterations"
        with recorder.batch(step, BATCH_SIZE, type_of_execution=type_of_execution):
            loss, accuracy = train_on_sequence(network, inputs, recorder, optimizer if length in TRAINING_LENGTHS else None)
            recorder.record_kpi_in_graph("loss", "loss", loss, record_even_if_recording_is_inactive=True)
            recorder.record_kpi_in_graph("accuracy", "accuracy", accuracy, record_even_if_recording_is_inactive=True)
        results.setdefault(type_of_execution, []).append((loss, accuracy))
        if (step + 1) % NOTE_EVERY == 0 or step + 1 == steps:
            recorder.add_note(note_of(step + 1, results))
            results = {}
        progress(step + 1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread. Several are slower for matrices as small as these."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def run(
    root: Path,
    group: str = "tutorial",
    steps: int = STEPS,
    progress: Progress | None = None,
    existing_trial: ExistingTrial = "error",
) -> Path:
    """Train and record both variants, from the same weights and on the same data.

    Args:
        root: Folder that takes the recordings.
        group: Name of the group; the trials are named by `VARIANTS`.
        steps: Training steps per variant.
        progress: Called after each step with the steps done, the steps in total, and the name of the variant.
        existing_trial: What to do if a trial is already recorded, as for `ComgraRecorder`.

    Returns:
        The group's folder, which `comgra_export.export` turns into a page.
    """
    # Make both first: a folder that already exists must be reported before minutes of training.
    recorders = [make_recorder(root, group, trial, existing_trial) for trial in VARIANTS]
    for position, (recorder, (trial, activation_on_output)) in enumerate(zip(recorders, VARIANTS.items(), strict=True)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            network = Network(activation_on_output=activation_on_output)
        recorder.track_module("network", network)

        def show(done: int, *, before: int = position * steps, trial: str = trial) -> None:
            if progress is not None:
                progress(before + done, len(VARIANTS) * steps, trial)

        where = "after every layer" if activation_on_output else "between the layers, and not on their outputs"
        recorder.set_config(
            {
                "steps": steps,
                "batch_size": BATCH_SIZE,
                "learning_rate": LEARNING_RATE,
                "hidden_size": HIDDEN_SIZE,
                "memory_size": MEMORY_SIZE,
                "activation_on_output": activation_on_output,
                "seed": 0,
            }
        )
        recorder.add_note(f"The subnetworks apply a leaky ReLU (slope 0.01) {where}.")
        with recorder, one_thread():
            train(network, recorder, steps, show)
    return root / group


def _main() -> None:
    from rich.progress import Progress as ProgressBar

    parser = argparse.ArgumentParser(description="Train and record the tutorial network in two variants.")
    parser.add_argument("root", nargs="?", type=Path, default=Path("recordings"), help="folder for the recordings (default: recordings)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"training steps per variant (default: {STEPS})")
    arguments = parser.parse_args()
    with ProgressBar() as bar:
        task = bar.add_task("")
        group = run(
            arguments.root,
            steps=arguments.steps,
            progress=lambda done, total, trial: bar.update(task, completed=done, total=total, description=trial),
        )
    print(f"Recorded into {group}. Build the page with: comgra-export build {group}")


if __name__ == "__main__":
    _main()
