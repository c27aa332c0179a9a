"""The zoo: networks as people train them, as small as possible."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrizations
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from support.zoo.scripts import Program, Script

__all__ = ["ZOO"]

B = 6


class Supervised(Program):
    """A network with one loss and one optimizer."""

    network: nn.Module

    def set_up(self, network: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.network = network
        self.modules["network"], self.optimizers["optimizer"] = network, optimizer

    def data(self) -> tuple[Tensor, Tensor]:
        return torch.randn(B, 5), torch.randn(B, 3)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        output: Tensor = self.network(x, script)
        return output

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(output, target)

    def step(self, step: int, script: Script) -> None:
        with script.batch(step, B), script.iteration():
            x, target = self.data()
            script.see("x", x, is_input=True)
            script.see("target", target, is_target=True)
            output = script.see("output", self.forward(x, script))
            loss = script.see("loss", self.loss(output, target), is_loss=True)
            if step == 2:
                script.save(self)
            for optimizer in self.optimizers.values():
                optimizer.zero_grad()
            self.backward(loss)
            script.gradients()
            if step == 2:
                script.save(self)
            for optimizer in self.optimizers.values():
                optimizer.step()
        script.notice("loss", loss.item())
        script.notice("x afterwards", x.clone())

    def backward(self, loss: Tensor) -> None:
        loss.backward()


calls_of_hooks: list[str] = []


def note_call(module: nn.Module, arguments: tuple[Tensor, ...], output: Tensor) -> None:
    calls_of_hooks.append(f"forward {type(module).__name__} {output.requires_grad} {output.grad_fn and output.grad_fn.name()}")


def double_gradient(gradient: Tensor) -> Tensor:
    calls_of_hooks.append(f"gradient {tuple(gradient.shape)} {gradient.requires_grad}")
    return gradient * 2


def note_accumulation(parameter: Tensor) -> None:
    calls_of_hooks.append(f"accumulated {tuple(parameter.shape)}")


class Perceptron(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(5, 8), nn.Linear(8, 3)
        self.dropout = nn.Dropout(0.3)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        hidden = script.see("hidden", self.dropout(torch.tanh(self.first(x))))
        hidden.register_hook(double_gradient)
        output: Tensor = self.second(hidden)
        return output


class MLP(Supervised):
    """Dropout, momentum, a schedule of learning rates, hooks of the user's own, and three sources of random numbers."""

    def __init__(self) -> None:
        super().__init__()
        calls_of_hooks.clear()
        network = Perceptron()
        self.scale = nn.Parameter(torch.ones(3))
        network.first.register_forward_hook(note_call)
        network.first.weight.register_post_accumulate_grad_hook(note_accumulation)
        self.set_up(network, torch.optim.SGD([*network.parameters(), self.scale], 0.1, momentum=0.9))
        self.schedule = torch.optim.lr_scheduler.ExponentialLR(self.optimizers["optimizer"], 0.9)

    def data(self) -> tuple[Tensor, Tensor]:
        x, target = super().data()
        return x * random.random(), target * float(np.random.rand())

    def forward(self, x: Tensor, script: Script) -> Tensor:
        script.see("scale", self.scale, is_parameter=True)
        return super().forward(x, script) * self.scale

    def step(self, step: int, script: Script) -> None:
        super().step(step, script)
        self.schedule.step()
        script.notice("hooks", list(calls_of_hooks))


class AugmentedMLP(Supervised):
    """Inputs that are changed in place and read with numpy after they were registered, as existing scripts do."""

    gaps = ("changed in place",)

    def __init__(self) -> None:
        super().__init__()
        network = Perceptron()
        self.set_up(network, torch.optim.Adam(network.parameters(), 0.01))
        self.average = torch.zeros(3)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        normal = script.see("normal", (x - x.mean(0)) / x.std(0))
        script.notice("with numpy", normal.numpy().tolist())
        masked = script.see("masked", x.masked_fill(x > 1, 0.0))
        masked += normal
        x.mul_(0.5).add_(0.1)
        x[0] = 1.0
        script.notice("into an array", np.asarray(x).tolist())
        mean = torch.empty(5)
        torch.mean(x, 0, out=mean)
        script.see("mean", mean, index_of_batch_dimension=None)
        output: Tensor = self.network(masked + x + mean, script)
        # A running average over steps, which must not keep the steps alive.
        self.average = 0.9 * self.average + 0.1 * output.detach().mean(0)
        return output


class ConvolutionalNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        self.first_norm, self.second_norm = nn.BatchNorm2d(4), nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        script.see("running mean", self.first_norm.get_buffer("running_mean"), index_of_batch_dimension=None)
        h = script.see("before relu", self.first_norm(self.first(x)))
        h = self.relu(h)
        branch = script.see("branch", self.second_norm(self.second(h)))
        branch += h
        output: Tensor = self.head(script.see("pooled", self.relu(branch).mean((2, 3))))
        return output


class CNN(Supervised):
    def __init__(self) -> None:
        super().__init__()
        network = ConvolutionalNetwork().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.set_up(network, torch.optim.SGD(network.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=0.01))

    def data(self) -> tuple[Tensor, Tensor]:
        return torch.randn(B, 2, 6, 6).to(memory_format=torch.channels_last), torch.randint(0, 3, (B,))

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, target)


class LSTM(Program):
    """A cell that runs once per iteration, and whose state goes from step to step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTMCell(4, 5), nn.Linear(5, 2)
        self.modules = {"cell": self.cell, "head": self.head}
        self.optimizers = {"optimizer": torch.optim.RMSprop([*self.cell.parameters(), *self.head.parameters()], 0.01)}
        self.state = torch.zeros(B, 5), torch.zeros(B, 5)

    def step(self, step: int, script: Script) -> None:
        optimizer = self.optimizers["optimizer"]
        with script.batch(step, B):
            h, c = (tensor.detach() for tensor in self.state)
            script.see("h", h, is_initial_value=True)
            script.see("c", c, is_initial_value=True)
            loss = torch.zeros(())
            for time in range(3):
                with script.iteration():
                    x, target = script.see("x", torch.randn(B, 4), is_input=True), script.see("target", torch.randn(B, 2), is_target=True)
                    h, c = self.cell(x, (h, c))
                    script.see("h", h)
                    script.see("c", c)
                    loss = loss + F.smooth_l1_loss(script.see("output", self.head(h)), target)
                    script.see("loss", loss, is_loss=True)
                    if time == 2:
                        optimizer.zero_grad()
                        loss.backward()
                        script.gradients()
                        if step == 2:
                            script.save(self)
                        optimizer.step()
        self.state = h, c
        script.notice("loss", loss.item())


class LanguageModel(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8, padding_idx=0)
        if kind == "encoder":
            self.body: nn.Module = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.1, batch_first=True), 2)
        else:
            self.body = nn.LSTM(8, 8, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: Tensor, script: Script) -> Tensor:
        embedded = script.see("embedded", self.embedding(x))
        padding = script.see("padding", x == 0)
        if isinstance(self.body, nn.LSTM):
            h, _ = self.body(embedded)
        else:
            h = self.body(embedded, src_key_padding_mask=padding)
        output: Tensor = self.head(script.see("h", h))
        return output


class TiedLanguageModel(Supervised):
    """Tied embeddings, integer inputs, padding, dropout; and an evaluation of every step."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        network = LanguageModel(kind)
        self.set_up(network, torch.optim.AdamW(network.parameters(), 0.01))

    def data(self) -> tuple[Tensor, Tensor]:
        x = torch.randint(1, 11, (B, 4))
        x[0, 2:] = 0
        return x, torch.randint(0, 11, (B, 4))

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output.flatten(0, 1), target.flatten(), ignore_index=0)

    def step(self, step: int, script: Script) -> None:
        super().step(2 * step, script)
        self.network.eval()
        with torch.inference_mode() if step % 2 else torch.no_grad(), script.batch(2 * step + 1, B, "evaluation"), script.iteration():
            x, target = self.data()
            script.see("x", x, is_input=True)
            output = script.see("output", self.forward(x, script))
            script.notice("loss of evaluation", script.see("loss", self.loss(output, target), is_loss=True).item())
        self.network.train()


class Backbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.LayerNorm(8)).requires_grad_(False)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        features = script.see("features", self.backbone(x))
        output: Tensor = self.head(features)
        return output


class Frozen(Supervised):
    """Frozen layers that the optimizer holds, and that are thawed later."""

    def __init__(self) -> None:
        super().__init__()
        network = Backbone()
        self.set_up(network, torch.optim.AdamW(network.parameters(), 0.01, weight_decay=0.1))

    def step(self, step: int, script: Script) -> None:
        if step == 3:
            self.network.requires_grad_(True)
        super().step(step, script)


class GAN(Program):
    """Two networks and two optimizers, several losses and backward passes, and a penalty on gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
        self.critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
        self.modules = {"generator": self.generator, "critic": self.critic}
        self.optimizers = {name: torch.optim.Adam(module.parameters(), 0.01, betas=(0.5, 0.9)) for name, module in self.modules.items()}

    def step(self, step: int, script: Script) -> None:
        with script.batch(step, B):
            with script.iteration():
                real = script.see("real", torch.randn(B, 2), is_input=True)
                fake = script.see("fake", self.generator(script.see("noise", torch.randn(B, 3), is_input=True)))
                mixed = (real + (fake.detach() - real) * torch.rand(B, 1)).requires_grad_(True)
                script.see("mixed", mixed)
                (slope,) = torch.autograd.grad(self.critic(mixed).sum(), mixed, create_graph=True)
                penalty = script.see("penalty", (slope.norm(dim=1) - 1).square().mean())
                loss = self.critic(fake.detach()).mean() - self.critic(real).mean() + penalty
                script.see("loss of the critic", loss, is_loss=True)
                self.optimizers["critic"].zero_grad()
                loss.backward()
                script.gradients("critic", forget=True)
                self.optimizers["critic"].step()
            with script.iteration():
                self.critic.requires_grad_(False)
                score = script.see("score", self.critic(fake))
                own_loss = script.see("loss of the generator", -score.mean(), is_loss=True)
                self.optimizers["generator"].zero_grad()
                own_loss.backward()
                self.critic.requires_grad_(True)
                script.gradients("generator")
                if step == 2:
                    script.save(self)
                self.optimizers["generator"].step()
        script.notice("losses", (loss.item(), own_loss.item()))


class CheckpointedNetwork(nn.Module):
    def __init__(self, use_reentrant: bool) -> None:
        super().__init__()
        self.use_reentrant = use_reentrant
        self.first, self.last = nn.Linear(5, 8), nn.Linear(8, 3)
        self.block = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.4), nn.ReLU(inplace=True), nn.Linear(8, 8))

    def forward(self, x: Tensor, script: Script) -> Tensor:
        def run(h: Tensor) -> Tensor:
            first = script.see("within", self.block[0](h))
            result: Tensor = self.block[1:](first)
            return script.see("end of the block", result)

        h = script.see("h", self.first(x))
        output: Tensor = self.last(checkpoint(run, h, use_reentrant=self.use_reentrant))
        return output


class Checkpointed(Supervised):
    def __init__(self, use_reentrant: bool) -> None:
        super().__init__()
        network = CheckpointedNetwork(use_reentrant)
        self.set_up(network, torch.optim.Adam(network.parameters(), 0.01))


class Autocast(Supervised):
    """bfloat16 where autocast chooses it, with a scaled loss."""

    def __init__(self) -> None:
        super().__init__()
        network = Perceptron()
        self.set_up(network, torch.optim.Adam(network.parameters(), 0.01))
        self.scaler: torch.amp.GradScaler = torch.amp.GradScaler(torch.get_default_device().type, 256.0, growth_interval=2)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        with torch.autocast(torch.get_default_device().type, torch.bfloat16):
            return super().forward(x, script)

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(output.float(), target)

    def step(self, step: int, script: Script) -> None:
        optimizer = self.optimizers["optimizer"]
        with script.batch(step, B), script.iteration():
            x, target = self.data()
            script.see("x", x, is_input=True)
            loss = script.see("loss", self.loss(script.see("output", self.forward(x, script)), target), is_loss=True)
            optimizer.zero_grad(set_to_none=False)
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(optimizer)
            script.gradients()
            self.scaler.step(optimizer)
            self.scaler.update()
        script.notice("scaler", (loss.item(), self.scaler.state_dict()))


class Accumulating(Program):
    """Gradients of several small batches, clipped."""

    def __init__(self) -> None:
        super().__init__()
        self.network = Perceptron()
        self.modules, self.optimizers = {"network": self.network}, {"optimizer": torch.optim.SGD(self.network.parameters(), 0.5)}

    def step(self, step: int, script: Script) -> None:
        self.optimizers["optimizer"].zero_grad()
        with script.batch(step, B):
            for part in range(3):
                with script.iteration():
                    x = script.see("x", torch.randn(B, 5), is_input=True)
                    loss = script.see("loss", self.network(x, script).square().mean() / 3, is_loss=True)
                    loss.backward()
                    script.gradients(f"part {part}")
            norm = nn.utils.clip_grad_norm_(self.network.parameters(), 0.1)
            script.gradients("clipped")
            self.optimizers["optimizer"].step()
        script.notice("norm", (loss.item(), norm.item()))


class ParametrizedNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = parametrizations.weight_norm(nn.Linear(5, 8))
        # Each access to its weight continues the power iteration and changes buffers.
        self.second = parametrizations.spectral_norm(nn.Linear(8, 3))

    def forward(self, x: Tensor, script: Script) -> Tensor:
        script.see("weight", self.first.weight, index_of_batch_dimension=None)
        output: Tensor = self.second(script.see("hidden", self.first(x).relu()))
        return output


class Parametrized(Supervised):
    def __init__(self) -> None:
        super().__init__()
        network = ParametrizedNetwork()
        self.set_up(network, torch.optim.Adam(network.parameters(), 0.01))


class CompiledNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor, recorder: ComgraRecorder | None) -> Tensor:
        hidden = torch.relu(self.first(x))
        if recorder is not None:
            recorder.register_tensor("hidden", hidden)
        output: Tensor = self.second(hidden)
        return output


class Compiled(Supervised):
    tolerance = 1e-5
    # Code that was compiled is not watched before a step is known to be recorded: it would have to be compiled anew.
    gaps = ("gradients of such tensors are not asked for",)

    def __init__(self, backend: str) -> None:
        super().__init__()
        network = CompiledNetwork()
        self.set_up(network, torch.optim.SGD(network.parameters(), 0.1))
        torch.compiler.reset()
        self.compiled = torch.compile(network, backend=backend)

    def forward(self, x: Tensor, script: Script) -> Tensor:
        output: Tensor = self.compiled(x, script.recorder)
        return output


class Averaging(Supervised):
    # It changes the averaged parameters before a late decision.
    gaps = ("by how much the step changed some parameters",)
    """A target network that follows under no_grad, with in-place operations on parameters that are registered or tracked."""

    def __init__(self) -> None:
        super().__init__()
        network, self.target = nn.Linear(5, 3), nn.Linear(5, 3).requires_grad_(False)
        self.set_up(network, torch.optim.SGD(network.parameters(), 0.1))
        self.modules["target"] = self.target

    def forward(self, x: Tensor, script: Script) -> Tensor:
        with torch.no_grad():
            script.see("teacher", self.target(x))
            for own, followed in zip(self.target.parameters(), self.network.parameters(), strict=True):
                own.lerp_(followed, 0.1)
        probabilities = script.see("probabilities", torch.softmax(self.target(x), 1))
        chosen = script.see("chosen", torch.multinomial(probabilities, 1))
        output: Tensor = script.see("student", self.network(x))
        return output + F.one_hot(chosen[:, 0], 3)


class Closure(Program):
    """An optimizer that asks for the loss several times in a step."""

    def __init__(self) -> None:
        super().__init__()
        self.network = nn.Linear(5, 3)
        self.modules = {"network": self.network}
        self.optimizers = {"optimizer": torch.optim.LBFGS(self.network.parameters(), 0.1, max_iter=3)}

    def step(self, step: int, script: Script) -> None:
        x, target = torch.randn(B, 5), torch.randn(B, 3)
        calls: list[Tensor] = []

        def closure() -> Tensor:
            self.optimizers["optimizer"].zero_grad()
            with script.iteration():
                script.see("x", x, is_input=True)
                loss = script.see("loss", F.mse_loss(script.see("output", self.network(x)), target), is_loss=True)
                loss.backward()
                script.gradients(f"call {len(calls)}")
            calls.append(loss.detach())
            return loss

        with script.batch(step, B):
            self.optimizers["optimizer"].step(closure)  # type: ignore[arg-type]
        script.notice("losses", [loss.item() for loss in calls])


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(_: torch.autograd.function.FunctionCtx, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(_: torch.autograd.function.FunctionCtx, gradient: Tensor) -> Tensor:
        return gradient * 2


class Unusual(Supervised):
    """Functions of the user's own, sparse gradients, several outputs, and loss terms with graphs that are kept."""

    def __init__(self) -> None:
        super().__init__()
        network = nn.ModuleDict({"table": nn.EmbeddingBag(7, 5, sparse=True), "head": nn.Linear(5, 6)})
        self.set_up(network["head"], torch.optim.SGD(network.parameters(), 0.1))
        self.modules = {"network": network}
        self.table = network["table"]

    def forward(self, x: Tensor, script: Script) -> Tensor:
        rows = script.see("rows", (x.abs() * 2).long().clamp(max=6))
        doubled: Tensor = script.see("doubled", Doubled.apply(self.table(rows) + x))  # type: ignore[no-untyped-call]
        halves = torch.chunk(self.network(doubled), 2, 1)
        for number, half in enumerate(halves):
            script.see(f"half {number}", half)
        values, positions = halves[0].topk(2, 1)
        script.see("best", values)
        script.see("positions", positions)
        return halves[0] * halves[1].sigmoid().clone()

    def backward(self, loss: Tensor) -> None:
        loss.backward(retain_graph=True)
        (loss * 0.5).backward()


ZOO: dict[str, Callable[[], Program]] = {
    "MLP": MLP,
    "augmented MLP": AugmentedMLP,
    "CNN": CNN,
    "LSTM cell": LSTM,
    "LSTM": lambda: TiedLanguageModel("lstm"),
    "transformer": lambda: TiedLanguageModel("encoder"),
    "frozen": Frozen,
    "GAN": GAN,
    "checkpointed": lambda: Checkpointed(False),
    "checkpointed, reentrant": lambda: Checkpointed(True),
    "autocast": Autocast,
    "accumulating": Accumulating,
    "parametrized": Parametrized,
    "compiled by eager": lambda: Compiled("eager"),
    "compiled by aot_eager": lambda: Compiled("aot_eager"),
    "averaging": Averaging,
    "closure": Closure,
    "unusual": Unusual,
}
