"""The layers of a gradient flow: what the user means by them, and where they are in autograd's graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from comgra_export.errors import MisuseError
from comgra_export.recorder.gradients.watch import GradientWatch
from comgra_export.recorder.host.autograd import GraphPlace, edges_before, find_places
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.registrations import Registration, check_name
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.storage.model import FlowRole
from comgra_export.storage.text.names import names_instead, shown

__all__ = ["INDEPENDENT", "FlowLayers", "GivenLayer"]

CALL = "record_gradient_flow"

INDEPENDENT = "the loss does not depend on it"
_AMBIGUOUS = "it cannot be told apart from another operation, since parts of the network ran in other threads"

_ROLES: dict[str, FlowRole] = {"input": "input", "target": "target"}


class GivenLayer(NamedTuple):
    """A layer as the user gave it.

    Attributes:
        name: Its name in the flow.
        place: Where gradients come to it: a tensor that requires one, or its place in autograd's graph.
        tensor: The tensor with its values; None where it is gone.
        registration: What is recorded of it; None where it is not registered.
        why_unknown: Why its gradient is not or not fully known; None where nothing is amiss.
    """

    name: str
    place: Tensor | GraphPlace
    tensor: Tensor | None
    registration: Registration | None
    why_unknown: str | None

    @property
    def role(self) -> FlowRole:
        """What it is to the network."""
        if self.registration is not None:
            return _ROLES.get(self.registration.traits.type, "layer")
        return "input" if self.tensor is not None and self.tensor.is_leaf else "layer"


class FlowLayers:
    """Finds the layers of gradient flows in one step.

    Args:
        step: The step.
        registered: Its tensors.
        gradients: What watches their gradients.
        tracer: Knows which tensors there are.
    """

    def __init__(self, step: int, registered: RegisteredTensors, gradients: GradientWatch, tracer: Tracer[Any]) -> None:
        self._step = step
        self._registered = registered
        self._gradients = gradients
        self._tracer = tracer

    def take(self, layers: Mapping[str, Tensor] | Sequence[str], iteration: int) -> list[GivenLayer]:
        """Finds out what the user means.

        Raises:
            MisuseError: They are fewer than two, or one is no tensor, not registered, given twice, or has no gradient.
        """
        if isinstance(layers, Mapping):
            given = [self._of_tensor(name, tensor) for name, tensor in layers.items()]
        elif isinstance(layers, Sequence) and not isinstance(layers, str):
            given = [self._of_name(name, iteration) for name in layers]
        else:
            raise MisuseError(
                f"{CALL}: layers is {shown(layers)}. Give the names of registered or watched tensors, or a dictionary of names and tensors."
            )
        if len(given) < 2:
            raise MisuseError(f"{CALL}: there is no flow with fewer than two layers. Give two or more, in the order of the forward pass.")
        names = [layer.name for layer in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise MisuseError(f"{CALL}: the layer {twice!r} is given twice. Give each once.")
        return given

    def edges(self, loss: Tensor, layers: Sequence[GivenLayer]) -> list[GradientEdge | str]:
        """Where in the graph of the loss the layers are; a clause for those of which that is not known, or that are not in it.

        In the place of a layer may be an operation of another thread: `is_there` tells after a backward pass.
        """
        assert loss.grad_fn is not None
        own = get_gradient_edge(loss)
        places = find_places(loss.grad_fn, [layer.place for layer in layers if isinstance(layer.place, GraphPlace)])
        reached = edges_before(loss.grad_fn) | {_key(own)}
        found: list[GradientEdge | str] = []
        for layer in layers:
            # What is not found is in no graph of the loss; None is found of what several operations may be.
            edge = places.get(layer.place, INDEPENDENT) if isinstance(layer.place, GraphPlace) else get_gradient_edge(layer.place)
            is_reached = isinstance(edge, GradientEdge) and _key(edge) in reached
            found.append(_AMBIGUOUS if edge is None else edge if is_reached else INDEPENDENT)
        return found

    def is_there(self, layer: GivenLayer) -> bool:
        """Whether what is in the place of a layer is the layer itself, given that a backward pass has come by: then its gradient has, too.

        An operation that another thread has made may have the same number. It may be in the graph of the loss, and the layer may not.
        """
        if not isinstance(layer.place, GraphPlace) or layer.registration is None:
            return True
        return self._gradients.has_passed(layer.registration.number)

    def check_order(self, known: Sequence[tuple[str, GradientEdge]]) -> None:
        """Makes sure that layers, given by their names and where they are, come in the order of the forward pass.

        Raises:
            MisuseError: Two of them are the same tensor, or one comes before the one that it is computed from.
        """
        for position, (name, edge) in enumerate(known):
            before = edges_before(edge.node)
            for later, other in known[position + 1 :]:
                if _key(other) == _key(edge):
                    raise MisuseError(f"{CALL}: the layers {name!r} and {later!r} are the same tensor. Give different ones.")
                if _key(other) in before:
                    raise MisuseError(
                        f"{CALL}: the layer {name!r} is computed from {later!r}, and comes before it. Give the layers in the order in "
                        "which the forward pass computes them."
                    )

    def _of_tensor(self, name: str, tensor: Tensor) -> GivenLayer:
        check_name(CALL, "layer", name)
        if not isinstance(tensor, Tensor):
            raise MisuseError(f"{CALL}: the layer {name!r} is a {type(tensor).__name__}. Give a torch.Tensor.")
        registration = self._registered.find(tensor)
        place = tensor if tensor.requires_grad else self._gradients.twin_of(tensor)
        if place is None or not tensor.is_floating_point():
            raise self._without_gradient(name, tensor, registration)
        return GivenLayer(name, place, tensor, registration, self._why_unknown(registration))

    def _of_name(self, name: str, iteration: int) -> GivenLayer:
        if not isinstance(name, str):
            raise MisuseError(
                f"{CALL}: layers holds a {type(name).__name__}, which is no name. To give tensors, give a dictionary of names and tensors."
            )
        registration = self._registered.find_name(name, iteration)
        if registration is None:
            raise self._unknown(name, iteration)
        tensor = self._tracer.tensor_of(registration.traced)
        place = self._gradients.place(registration.number)
        if place is None:
            raise self._without_gradient(name, tensor, registration)
        return GivenLayer(name, place, tensor, registration, self._why_unknown(registration))

    def _why_unknown(self, registration: Registration | None) -> str | None:
        return None if registration is None else self._gradients.why_absent(registration.number)

    def _unknown(self, name: str, iteration: int) -> MisuseError:
        hint = names_instead(name, self._registered.names_in(iteration)) or "None was registered in it."
        return MisuseError(
            f"{CALL}: there is no tensor {name!r} in iteration {iteration} of step {self._step}. {hint} "
            "Register it before it is used, or give a dictionary of names and tensors."
        )

    def _without_gradient(self, name: str, tensor: Tensor | None, registration: Registration | None) -> MisuseError:
        why = self._why_unknown(registration)
        if tensor is not None and not tensor.is_floating_point():
            why = f"it is of the type {tensor.dtype}, and only real floating-point numbers can have one"
        elif registration is not None and registration.entry is None:
            why = "it could not be recorded"
        remedy = "Register it before it is used, or call requires_grad_() on it, or leave it out."
        return MisuseError(f"{CALL}: the layer {name!r} has no gradient: {why or 'it requires none'}. {remedy}")


def _key(edge: GradientEdge) -> tuple[Node, int]:
    return edge.node, edge.output_nr
