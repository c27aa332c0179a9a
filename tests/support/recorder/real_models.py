"""Networks as people use them, as small as possible and with random weights. Those from a library run the library's code."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# Nothing is ever downloaded.
os.environ["HF_HUB_OFFLINE"] = "1"

__all__ = [
    "MODELS",
    "Convolutional",
    "Loss",
    "MixtureOfExperts",
    "ResNet18",
    "SelfAttention",
    "Tagger",
    "UNet",
    "bert",
    "gpt2",
    "t5",
    "vit",
]

Loss = Callable[[], Tensor]
"""Runs a network once on random data of its own, and returns its loss."""

WORDS = 32


class BasicBlock(nn.Module):
    """Two convolutions with a way around them, all of it in place, as in torchvision."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample: nn.Module | None = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)  # type: ignore[no-any-return]


class ResNet18(nn.Module):
    """The 67 modules that it has in torchvision, with an eighth of the channels."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(BasicBlock(8, 8, 1), BasicBlock(8, 8, 1))
        self.layer2 = nn.Sequential(BasicBlock(8, 16, 2), BasicBlock(16, 16, 1))
        self.layer3 = nn.Sequential(BasicBlock(16, 32, 2), BasicBlock(32, 32, 1))
        self.layer4 = nn.Sequential(BasicBlock(32, 64, 2), BasicBlock(64, 64, 1))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))  # type: ignore[no-any-return]


class Tagger(nn.Module):
    """A bidirectional LSTM over sentences of several lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 6, num_layers=2, batch_first=True, bidirectional=True, dropout=0.2)
        self.tags = nn.Linear(12, 5)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.tags(states)  # type: ignore[no-any-return]


class Convolutional(nn.Sequential):
    """A convolution with its usual batch norm and activation."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(2, after), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """A U-Net: down and up again, with skip connections."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([Convolutional(1, 4), Convolutional(4, 8)])
        self.pool = nn.MaxPool2d(2)
        self.bottom = Convolutional(8, 8)
        self.grow = nn.ModuleList([nn.ConvTranspose2d(8, 8, 2, 2), nn.ConvTranspose2d(8, 4, 2, 2)])
        self.up = nn.ModuleList([Convolutional(16, 8), Convolutional(8, 4)])
        self.head = nn.Conv2d(4, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for grow, block in zip(self.grow, self.up, strict=True):
            x = block(torch.cat([grow(x), kept.pop()], 1))
        return self.head(x)  # type: ignore[no-any-return]


class MixtureOfExperts(nn.Module):
    """A router sends each token to two of four experts. How many an expert gets changes from step to step; the last one gets none."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(6, 4)
        nn.init.constant_(self.router.bias[3:], -1000)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 6)) for _ in range(4))

    def forward(self, x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        tokens = x.reshape(-1, 6)
        shares = self.router(tokens).softmax(-1)
        weights, chosen = shares.topk(2)
        result = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            token, place = (chosen == number).nonzero(as_tuple=True)
            result.index_add_(0, token, expert(tokens[token]) * weights[token, place, None])
        return result.view_as(x), {"shares": shares, "chosen": chosen}


class SelfAttention(nn.Module):
    """PyTorch's own attention: within an encoder, and returning its weights."""

    def __init__(self, need_weights: bool = True, per_head: bool = True) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 3)
        self.need_weights, self.per_head = need_weights, per_head

    def forward(self, x: Tensor, padding: Tensor | None = None) -> Tensor:
        x = self.encoder(x, src_key_padding_mask=padding)
        x, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=self.need_weights, average_attn_weights=not self.per_head)
        return self.head(x)  # type: ignore[no-any-return]


def _library() -> Any:  # noqa: ANN401
    return pytest.importorskip("transformers", reason="transformers is not installed: its networks are not tested")


def _built(model: nn.Module, inputs: Callable[[], dict[str, Tensor]], **arguments: Any) -> tuple[nn.Module, Loss]:  # noqa: ANN401
    def loss() -> Tensor:
        return model(**inputs(), **arguments).loss  # type: ignore[no-any-return]

    return model.train(), loss


def _words(*shape: int) -> Tensor:
    return torch.randint(2, WORDS, shape)


def gpt2(attention: str = "sdpa") -> tuple[nn.Module, Loss]:
    """A language model."""
    library = _library()
    sizes = {"vocab_size": WORDS, "n_positions": 16, "n_embd": 8, "n_layer": 2, "n_head": 2, "bos_token_id": 0}
    config = library.GPT2Config(**sizes, attn_implementation=attention, eos_token_id=1)
    return _built(
        library.GPT2LMHeadModel(config),
        lambda: {"input_ids": _words(3, 6), "labels": _words(3, 6)},
        output_attentions=attention == "eager",
    )


def bert(attention: str = "sdpa") -> tuple[nn.Module, Loss]:
    """A classifier of sentences. One sentence is shorter."""
    library = _library()
    sizes = {"vocab_size": WORDS, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = library.BertConfig(**sizes, max_position_embeddings=16, num_labels=3, attn_implementation=attention)
    mask = torch.ones(3, 6, dtype=torch.long)
    mask[1, 4:] = 0
    return _built(
        library.BertForSequenceClassification(config),
        lambda: {"input_ids": _words(3, 6), "attention_mask": mask, "labels": torch.randint(3, (3,))},
        output_attentions=attention == "eager",
    )


def vit(attention: str = "sdpa") -> tuple[nn.Module, Loss]:
    """A classifier of images, cut into four patches."""
    library = _library()
    sizes = {"image_size": 8, "patch_size": 4, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = library.ViTConfig(**sizes, num_labels=3, attn_implementation=attention)
    return _built(
        library.ViTForImageClassification(config),
        lambda: {"pixel_values": torch.randn(3, 3, 8, 8), "labels": torch.randint(3, (3,))},
        output_attentions=attention == "eager",
    )


def t5(attention: str = "sdpa") -> tuple[nn.Module, Loss]:
    """An encoder and a decoder, with tied embeddings."""
    library = _library()
    sizes = {"vocab_size": WORDS, "d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}
    config = library.T5Config(**sizes, attn_implementation=attention)
    return _built(
        library.T5ForConditionalGeneration(config),
        lambda: {"input_ids": _words(3, 6), "labels": _words(3, 4)},
        output_attentions=attention == "eager",
    )


def _resnet18() -> tuple[nn.Module, Loss]:
    net = ResNet18()
    return net, lambda: functional.cross_entropy(net(torch.randn(4, 3, 32, 32)), torch.randint(10, (4,)))


def _tagger() -> tuple[nn.Module, Loss]:
    net = Tagger()

    def loss() -> Tensor:
        tags = net(_words(3, 7), lengths=torch.tensor([5, 7, 2]))
        return functional.cross_entropy(tags.transpose(1, 2), torch.randint(5, (3, 7)))

    return net, loss


def _unet() -> tuple[nn.Module, Loss]:
    net = UNet()
    return net, lambda: functional.binary_cross_entropy_with_logits(net(torch.randn(2, 1, 16, 16)), torch.rand(2, 1, 16, 16))


def _mixture() -> tuple[nn.Module, Loss]:
    net = MixtureOfExperts()

    def loss() -> Tensor:
        x = torch.randn(3, 5, 6)
        result, routing = net(x)
        return (result - x).square().mean() + routing["shares"].mean(0).square().sum()  # type: ignore[no-any-return]

    return net, loss


def _self_attention() -> tuple[nn.Module, Loss]:
    net = SelfAttention()
    padding = torch.zeros(3, 5, dtype=torch.bool)
    padding[1, 3:] = True
    return net, lambda: functional.cross_entropy(net(torch.randn(3, 5, 8), padding).flatten(0, 1), torch.randint(3, (15,)))


MODELS: dict[str, Callable[[], tuple[nn.Module, Loss]]] = {
    "ResNet-18": _resnet18,
    "LSTM tagger": _tagger,
    "U-Net": _unet,
    "mixture of experts": _mixture,
    "nn.MultiheadAttention": _self_attention,
    **{
        f"{name}, {attention}": partial(make, attention)
        for name, make in {"GPT-2": gpt2, "BERT": bert, "ViT": vit, "T5": t5}.items()
        for attention in ("eager", "sdpa")
    },
}
