"""The recorder on a CUDA device: training is the same, numbers are right, and no call makes it wait. `make gpu-tests` runs it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsHardcoded, watch
from comgra_export.storage import find_recordings, open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps, read_records
from support.zoo.noticing import differences, state_of_process
from support.zoo.programs import ZOO
from support.zoo.scripts import Script, Watched, train

if not torch.cuda.is_available():
    pytest.skip("there is no CUDA device here", allow_module_level=True)

DEVICE = torch.device("cuda")

# It reads values with numpy, which is possible on the CPU only.
PROGRAMS = [name for name in ZOO if name != "augmented MLP"]
WAYS: dict[str, tuple[Watched, Callable[[int], bool]]] = {
    "every step": ("nothing", lambda _: True),
    "every other step": ("nothing", lambda step: step % 2 == 0),
    "every step, with all calls": ("calls", lambda _: True),
}


@pytest.fixture(autouse=True)
def exact_arithmetic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two runs of one program are the same, as far as PyTorch knows how."""
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*deterministic.*", UserWarning)
        warnings.filterwarnings("ignore", "The .grad attribute of a Tensor that is not a leaf", UserWarning)
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors is in prototype stage", UserWarning)
        warnings.filterwarnings("ignore", ".*torch.jit.*deprecated", DeprecationWarning)
        yield
    torch.use_deterministic_algorithms(False)


def train_on_device(name: str, recorder: ComgraRecorder | None, watched: Watched = "nothing") -> Script:
    with DEVICE, warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        script = train(ZOO[name], recorder, watched=watched)
        script.notice("random numbers of the device", torch.cuda.get_rng_state())
        return script


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_training_is_the_same_and_recorded(name: str, way: str, make_recorder: MakeRecorder) -> None:
    alone, again = (train_on_device(name, None) for _ in range(2))
    watched, is_recorded = WAYS[way]
    process = state_of_process()
    steps = [step for step in range(10) if is_recorded(step)]
    recorder = make_recorder(strict=False, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(steps))
    recorded = train_on_device(name, recorder, watched)
    # Some operations add up in another order each time.
    is_exact = not any(differences(alone.noticed, again.noticed, 0))
    tolerance = max(ZOO[name]().tolerance, 0.0 if is_exact else 1e-4)
    assert list(differences(alone.noticed, recorded.noticed, tolerance))[:20] == []
    assert list(differences(process, state_of_process())) == []
    seen = {step: names for step, names in recorded.seen.items() if is_recorded(step)}
    assert open_recording(folder_of(recorder)).steps == tuple(seen)
    for step, names in seen.items():
        assert names <= {tensor for _, tensor, _ in read_records(recorder, step)}


@contextmanager
def waiting_is_an_error() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Synchronization debug mode is a prototype feature", UserWarning)
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True)
        self.head = nn.Linear(32, 50)

    def forward(self, tokens: Tensor) -> Tensor:
        logits: Tensor = self.head(self.layer(self.embedding(tokens)))
        return logits


def make_training(optimizer_type: type[torch.optim.Optimizer] = torch.optim.SGD) -> tuple[nn.Module, Callable[[], Tensor]]:
    torch.manual_seed(3)
    model = Network().to(DEVICE)
    optimizer = optimizer_type(model.parameters(), lr=0.01)  # type: ignore[call-arg]
    tokens = torch.randint(50, (4, 10)).to(DEVICE)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        return loss

    return model, step


@pytest.mark.parametrize("sentinels", [False, True])
def test_no_call_waits_for_the_device_within_a_step(sentinels: bool, tmp_path: Path) -> None:
    model, step = make_training()
    step()
    # With sentinels, each step is judged at its end by what has arrived.
    with watch(model, tmp_path, every=2, strict=True, sentinels=sentinels), waiting_is_an_error():
        for _ in range(5):
            step()
    assert len(open_recording(find_recordings(tmp_path)[0]).steps) == 3


def test_no_call_waits_for_the_device_where_the_script_names_tensors(make_recorder: MakeRecorder) -> None:
    model, recorder = nn.Linear(3, 2).to(DEVICE), make_recorder()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    x = torch.randn(4, 3, device=DEVICE)
    recorder.track_module("model", model)
    with waiting_is_an_error():
        for step in range(3):
            with recorder.batch(step, 4), recorder.iteration():
                recorder.register_tensor("x", x, is_input=True)
                loss = model(x).square().mean()
                recorder.register_tensor("loss", loss, is_loss=True)
                optimizer.zero_grad()
                loss.backward()
                recorder.record_current_gradients("gradients")
                optimizer.step()
                recorder.record_kpi_in_graph("loss", "train", loss)
    recorder.finalize()
    assert open_recording(folder_of(recorder)).steps == (0, 1, 2)


VALUES = {
    "float32": torch.randn(8, 500),
    "large": torch.randn(3, 70_000),
    "bfloat16": torch.randn(8, 300).bfloat16(),
    "float16": torch.randn(8, 300).half(),
    "float64": torch.randn(8, 300).double(),
    "float8": torch.randn(8, 300).to(torch.float8_e4m3fn),
    "integers": torch.arange(80).view(8, 10),
    "not finite": torch.tensor([[1.0, float("nan")], [float("inf"), 2.0]]),
    "channels last": torch.randn(8, 3, 20, 20).to(memory_format=torch.channels_last),
    "transposed": torch.randn(40_000, 8).t(),
    "pinned": torch.randn(8, 100).pin_memory(),
}


@pytest.mark.parametrize("name", VALUES)
def test_numbers_are_those_of_the_cpu(name: str, make_recorder: MakeRecorder) -> None:
    recorded = []
    for device in (torch.device("cpu"), DEVICE):
        recorder, values = make_recorder(), VALUES[name].to(device, non_blocking=True)
        with recorder.batch(0, len(values)), recorder.iteration():
            recorder.register_tensor("x", values, recording_type="kpis")
            recorder.register_tensor("values", values[:1].clone(), index_of_batch_dimension=None)
        recorder.finalize()
        recorded.append(read_records(recorder))
    for key, of_cpu in recorded[0].items():
        of_device = recorded[1][key]
        assert of_device.counts == of_cpu.counts
        assert of_device.extrema == pytest.approx(of_cpu.extrema, rel=1e-6, nan_ok=True)
        for statistic, numbers in of_cpu.statistics.items():
            np.testing.assert_allclose(of_device.statistics[statistic], numbers, rtol=1e-5, atol=1e-6, err_msg=statistic)


def test_gradients_are_recorded_without_the_factor_of_a_scaler(make_recorder: MakeRecorder) -> None:
    recorder, model = make_recorder(), nn.Linear(6, 4).to(DEVICE)
    optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cuda", init_scale=1024.0)
    recorder.track_module("model", model)
    recorder.track_grad_scaler(scaler)
    x = torch.randn(8, 6, device=DEVICE)
    with recorder.batch(0, 8), recorder.iteration():
        with torch.autocast("cuda", torch.float16):
            loss = model(x).float().square().mean()
        scaler.scale(loss).backward()
        recorder.record_current_gradients("gradients")
        scaler.unscale_(optimizer)
        assert model.weight.grad is not None
        expected = model.weight.grad.abs().mean().item()
        scaler.step(optimizer)
        scaler.update()
    recorder.finalize()
    assert read_records(recorder)["gradients", "model.weight", -1].statistics["abs_mean"][0] == pytest.approx(expected, rel=1e-5)
    assert open_recording(folder_of(recorder)).step(0).gradients[0].loss_scale == 1024


def test_a_captured_graph_is_left_alone(tmp_path: Path) -> None:
    model = nn.Linear(5, 3).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    x = torch.randn(4, 5, device=DEVICE)

    def step() -> Tensor:
        optimizer.zero_grad(set_to_none=False)
        loss: Tensor = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    with watch(model, tmp_path, every=1, strict=True) as recorder:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        # The writing thread asks for events, which no thread may do while a graph is captured.
        recorder.flush()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()
        before = [parameter.detach().clone() for parameter in model.parameters()]
        graph.replay()
        replayed = loss.item()
    assert replayed == pytest.approx(nn.functional.linear(x, *before).square().mean().item(), rel=1e-5)
    assert open_recording(find_recordings(tmp_path)[0]).steps == (0, 1, 2)


def test_values_of_another_stream_are_recorded(make_recorder: MakeRecorder) -> None:
    recorder, side = make_recorder(), torch.cuda.Stream()
    x = torch.randn(2000, 2000, device=DEVICE)
    with recorder.batch(0, 2000), recorder.iteration():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(20):
                x = (x @ x) / 2000
            small = x[:5].clone()
            recorder.register_tensor("small", small, index_of_batch_dimension=None)
            recorder.register_tensor("large", x, recording_type="kpis")
        torch.cuda.current_stream().wait_stream(side)
    recorder.finalize()
    records = read_records(recorder)
    for name, values in (("small", small), ("large", x)):
        assert records["forward", name, 0].extrema == pytest.approx([values.min().item(), values.max().item()])


def test_a_model_compiled_by_inductor_trains_as_without_a_recorder(tmp_path: Path) -> None:
    losses = []
    for is_watched in (False, True):
        torch.compiler.reset()
        model, step = make_training()
        model.compile()
        if is_watched:
            with watch(model, tmp_path, every=2):
                losses.append([step().item() for _ in range(5)])
        else:
            losses.append([step().item() for _ in range(5)])
    # Recorded steps run without the compiler.
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    assert open_recording(find_recordings(tmp_path)[0]).steps == (0, 2, 4)


def test_statistics_of_a_large_tensor_take_little_memory(make_recorder: MakeRecorder) -> None:
    recorder, values = make_recorder(), torch.ones(1, 2**26, dtype=torch.bfloat16, device=DEVICE)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with recorder.batch(0, 1), recorder.iteration():
        recorder.register_tensor("x", values, recording_type="kpis")
    recorder.finalize()
    # A quarter of its values at a time, in float32 and in float64. As a whole, it would take 512 MB in float64 alone.
    assert torch.cuda.max_memory_allocated() - before < 600_000_000
    assert read_records(recorder)["forward", "x", 0].statistics["mean"][0] == 1
    assert read_gaps(recorder) == []


def test_a_loss_that_alone_is_nan_is_known_in_its_step(tmp_path: Path) -> None:
    model = nn.Linear(4, 1).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with watch(model, tmp_path, every=10, check=False):
        for step in range(20):
            optimizer.zero_grad()
            constant = torch.full((), torch.nan if step == 13 else 0.0, device=DEVICE)
            (model(torch.ones(6, 4, device=DEVICE)).square().mean() + constant).backward()
            optimizer.step()
    (recording,) = find_recordings(tmp_path)
    (point,) = open_recording(recording).sentinel_points
    assert (point.step, point.tensors, str(point.loss)) == (13, (), "nan")
