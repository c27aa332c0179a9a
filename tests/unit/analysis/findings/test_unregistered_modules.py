"""The rule `unregistered-modules`, on watched scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.training.unregistered_modules import RULE
from comgra_export.recorder.modules import unregistered
from comgra_export.recorder.modules.registry import ModuleRegistry
from comgra_export.storage.model.network import UnregisteredEntry
from support.analysis.watched import recorded, train


class _Tower(nn.Module):
    def __init__(self, keep: Callable[[list[nn.Module]], Any], uses_it: bool = True) -> None:
        super().__init__()
        self.stem = nn.Linear(2, 4)
        self.hidden = keep([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.out = nn.Linear(4, 1)
        self.uses_it = uses_it

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        hidden = self.hidden.values() if isinstance(self.hidden, dict | nn.ModuleDict) else self.hidden
        for layer in hidden if self.uses_it else ():
            x = torch.tanh(layer(x))
        return self.out(x)  # type: ignore[no-any-return]


def _check(folder: Path, model: _Tower, others: list[nn.Parameter] | None = None) -> tuple[list[Finding], tuple[UnregisteredEntry, ...]]:
    def script(_: ComgraRecorder) -> None:
        optimizer = torch.optim.SGD([*model.parameters(), *(others or [])], 0.01)
        train(model, 6, lambda _: model(torch.rand(8, 2)).square().mean(), optimizer=optimizer)

    run = recorded(folder, model, script, check=False)
    return list(RULE.check(run)), run.network.unregistered


@pytest.mark.parametrize(
    ("keep", "kind", "remedy"),
    [(list, "list", "nn.ModuleList"), (tuple, "list", "nn.ModuleList"), (lambda layers: dict(enumerate(layers)), "dict", "nn.ModuleDict")],
)
def test_layers_in_a_plain_list_are_named_with_the_remedy(
    tmp_path: Path, keep: Callable[[list[nn.Module]], Any], kind: str, remedy: str
) -> None:
    (finding,), (entry,) = _check(tmp_path, _Tower(keep))
    assert entry == UnregisteredEntry(0, "hidden", kind, 2, 4, 4)
    assert f"`model.hidden` is a plain {kind} of 2 layers with 4 parameters" in finding.message
    assert remedy in finding.message
    assert finding.severity == Severity.BUG
    assert (finding.places[0].kind, finding.places[0].name, finding.step) == ("module", "model", 0)


class _Stack:
    """Layers in an object that is no module. It can be iterated, and raises an error when something asks it for more."""

    def __init__(self, layers: list[nn.Module]) -> None:
        self.first, self.others, self.width = layers[0], layers[1:], 4

    def __iter__(self) -> Iterator[nn.Module]:
        return iter([self.first, *self.others])

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


class _Slotted:
    __slots__ = ("layers",)

    def __init__(self, layers: list[nn.Module]) -> None:
        self.layers = layers

    def __iter__(self) -> Iterator[nn.Module]:
        return iter(self.layers)


def test_layers_of_an_object_that_is_no_module_are_named(tmp_path: Path) -> None:
    (finding,), (entry,) = _check(tmp_path, _Tower(_Stack))
    assert entry == UnregisteredEntry(0, "hidden", "object", 2, 4, 4)
    assert "`model.hidden` is not a module, and holds 2 layers with 4 parameters" in finding.message
    assert "should inherit from nn.Module" in finding.message
    # It may be a helper that is kept out of the parameters on purpose.
    assert finding.severity == Severity.PROBLEM
    assert "turn `requires_grad` off" in finding.message


class _Lazy:
    """Objects whose attributes are made by a function, and that answer to nothing else."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        raise RuntimeError("not yet")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise ReferenceError("gone")


def test_no_code_of_an_object_runs(tmp_path: Path) -> None:
    model = _Tower(list)
    holder = _Stack([nn.Identity()])
    vars(holder)["lazy"] = _Lazy()
    model.__dict__.update(lazy=_Lazy(), holder=holder, listed=[_Lazy()])
    _, (entry,) = _check(tmp_path, model)
    assert entry.attribute == "hidden"


def test_an_object_that_modules_share_is_read_once(tmp_path: Path) -> None:
    tower = _Tower(nn.ModuleList)
    shared = _Stack([nn.Linear(2, 2)])
    for module in (tower, tower.stem):
        module.__dict__["settings"] = shared
    _, (entry,) = _check(tmp_path, tower)
    assert (entry.module, entry.attribute) == (0, "settings")


def test_an_object_that_keeps_nothing_by_name_or_no_layers_is_passed_by(tmp_path: Path) -> None:
    assert _check(tmp_path / "slots", _Tower(_Slotted)) == ([], ())
    model = _Tower(nn.ModuleList)
    model.__dict__["settings"] = _Stack([model.stem, *model.hidden])
    assert _check(tmp_path / "parts", model) == ([], ())


@pytest.mark.parametrize("keep", [nn.ModuleList, lambda layers: nn.ModuleDict({"a": layers[0], "b": layers[1]})])
def test_registered_layers_are_in_order(tmp_path: Path, keep: Callable[[list[nn.Module]], Any]) -> None:
    assert _check(tmp_path, _Tower(keep)) == ([], ())


def test_a_list_of_layers_that_are_parts_anyway_is_in_order(tmp_path: Path) -> None:
    model = _Tower(nn.ModuleList)
    model.__dict__["again"] = [model.stem, *model.hidden]
    assert _check(tmp_path, model) == ([], ())


def test_a_table_of_data_is_not_searched_from_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counted(container: object, depth: int = 2) -> Iterator[object]:
        nonlocal looked_at
        for part in items(container, depth):
            looked_at += 1
            yield part

    items = unregistered._items
    monkeypatch.setattr(unregistered, "_items", counted)
    model = _Tower(list)
    model.__dict__["table"] = [[[0] * 30 for _ in range(30)] for _ in range(30)]
    model.__dict__["rows"] = [[] for _ in range(100_000)]
    registry = ModuleRegistry(("",))
    registry.track("model", model)
    (entry,) = unregistered.find_unregistered(registry.modules(), set, {})
    assert (entry.attribute, entry.items) == ("hidden", 2)
    assert looked_at < 5_000


def test_layers_in_a_list_that_an_optimizer_holds_are_in_order(tmp_path: Path) -> None:
    model = _Tower(list)
    findings, _ = _check(tmp_path, model, [each for layer in model.hidden for each in layer.parameters()])
    assert findings == []


def test_layers_in_a_list_that_an_unknown_optimizer_trains_are_in_order(tmp_path: Path) -> None:
    model = _Tower(list)
    unknown = torch.optim.SGD([each for layer in model.hidden for each in layer.parameters()], 0.01)

    def script(_: ComgraRecorder) -> None:
        train(model, 6, lambda _: model(torch.rand(8, 2)).square().mean(), evaluate=lambda _: unknown.step())

    run = recorded(tmp_path, model, script, check=False)
    assert (list(RULE.check(run)), run.network.unregistered[0].with_gradient) == ([], 0)


def test_layers_in_a_list_that_get_no_gradients_are_in_order(tmp_path: Path) -> None:
    findings, (entry,) = _check(tmp_path / "unused", _Tower(list, uses_it=False))
    assert (findings, entry.with_gradient) == ([], 0)
    frozen = _Tower(lambda layers: [layer.requires_grad_(False) for layer in layers])
    assert _check(tmp_path / "frozen", frozen) == ([], ())
