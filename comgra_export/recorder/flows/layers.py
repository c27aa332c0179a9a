"""The layers of a gradient flow: what the user means by them, and where they are in autograd's graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from comgra_export.errors import MisuseError
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.host.autograd import GraphPlace, edges_before, find_places
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.registrations import Registration, check_name
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.storage.model.gradient_flows import FlowRole
from comgra_export.storage.text.names import names_instead, shown
from comgra_export.storage.text.steps import step_in_words

__all__ = ["INDEPENDENT", "FlowLayers", "GivenLayer"]

CALL = "record_gradient_flow"

INDEPENDENT = "the loss does not depend on it"
_AMBIGUOUS = "it cannot be distinguished from another operation, since parts of the network ran in other threads"

_ROLES: dict[str, FlowRole] = {"input": "input", "target": "target"}


class GivenLayer(NamedTuple):
    """A layer as the user gave it.

    Attributes:
        place: Where gradients reach it: a tensor that requires one, or its place in autograd's graph.
        tensor: The tensor with its values; None if it is gone.
        registration: Its registration; None if it is not registered.
        why_unknown: Why its gradient is not or not fully known; None if it is.
    """

    name: str
    place: Tensor | GraphPlace
    tensor: Tensor | None
    registration: Registration | None
    why_unknown: str | None

    @property
    def role(self) -> FlowRole:
        """Its role in the network."""
        if self.registration is not None:
            return _ROLES.get(self.registration.traits.type, "layer")
        return "input" if self.tensor is not None and self.tensor.is_leaf else "layer"


class FlowLayers:
    """Finds the layers of gradient flows in one step."""

    def __init__(self, step: float, registered: RegisteredTensors, gradients: GradientWatch, tracer: Tracer[Any]) -> None:
        self._step = step
        self._registered = registered
        self._gradients = gradients
        self._tracer = tracer

    def take(self, layers: Mapping[str, Tensor] | Sequence[str], iteration: int) -> list[GivenLayer]:
        """Finds out which layers the user means.

        Raises:
            MisuseError: There are fewer than two layers; or a layer is not a tensor, is not registered, is given twice, or has no gradient.
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
        """The places of the layers in the graph of the loss. A layer that is not in it, or cannot be found, has a clause that says why.

        An operation of another thread may be in the place of a layer. Only `is_there` can say, after a backward pass.
        """
        assert loss.grad_fn is not None
        own = get_gradient_edge(loss)
        places = find_places(loss.grad_fn, [layer.place for layer in layers if isinstance(layer.place, GraphPlace)])
        reached = edges_before(loss.grad_fn) | {_key(own)}
        edges: list[GradientEdge | str] = []
        for layer in layers:
            if not isinstance(layer.place, GraphPlace):
                edge: GradientEdge | None = get_gradient_edge(layer.place)
            elif layer.place in places:
                edge = places[layer.place]
            else:
                edges.append(INDEPENDENT)
                continue
            # Several operations may be in that place.
            if edge is None:
                edges.append(_AMBIGUOUS)
            else:
                edges.append(edge if _key(edge) in reached else INDEPENDENT)
        return edges

    def is_there(self, layer: GivenLayer) -> bool:
        """Whether the layer itself is in its place. Call it after a backward pass, which has then brought the gradient of the layer.

        An operation of another thread may have the same number, and be in the graph of the loss although the layer is not.
        """
        if not isinstance(layer.place, GraphPlace) or layer.registration is None:
            return True
        return self._gradients.has_passed(layer.registration.number)

    def check_order(self, known: Sequence[tuple[str, GradientEdge]]) -> None:
        """Makes sure that layers, given by name and place, come in the order of the forward pass.

        Raises:
            MisuseError: Two layers are the same tensor, or a layer comes before another that it is computed from.
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
                f"{CALL}: layers holds a {type(name).__name__}, not a name. To give tensors, give a dictionary of names and tensors."
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
            f"{CALL}: iteration {iteration} of {step_in_words(self._step)} has no tensor {name!r}. {hint} "
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
