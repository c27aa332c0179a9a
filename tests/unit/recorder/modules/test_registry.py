"""Names of modules and parameters."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.storage import open_recording
from comgra_export.storage.model.network import Network
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_records


def network_of(recorder: ComgraRecorder) -> Network:
    network = open_recording(folder_of(recorder)).network
    assert network is not None
    return network


def test_the_tree_of_modules(recorder: ComgraRecorder) -> None:
    root = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 1, bias=False)))
    inner = root[1]
    assert isinstance(inner, nn.Sequential)
    root[0].weight.requires_grad_(False)
    recorder.track_module("root", root)
    recorder.track_module("other", nn.PReLU())
    network = network_of(recorder)
    assert [(module.name, module.type, module.parent) for module in network.modules] == [
        ("root", "Sequential", -1),
        ("root.0", "Linear", 0),
        ("root.1", "Sequential", 0),
        ("root.1.0", "ReLU", 2),
        ("root.1.1", "Linear", 2),
        ("other", "PReLU", -1),
    ]
    assert [(parameter.name, parameter.module, parameter.shape, parameter.requires_grad) for parameter in network.parameters] == [
        ("root.0.weight", 1, (3, 2), False),
        ("root.0.bias", 1, (3,), True),
        ("root.1.1.weight", 4, (1, 3), True),
        ("other.weight", 5, (1,), True),
    ]
    assert recorder.get_name_of_module(inner[1]) == "root.1.1"


def test_tied_parameters_and_shared_modules_are_aliases(recorder: ComgraRecorder) -> None:
    shared, tied = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    tied.weight = shared.weight
    root = nn.ModuleDict({"a": nn.Sequential(shared), "b": nn.Sequential(shared), "c": tied})
    recorder.track_module("root", root)
    aliases = {parameter.name: parameter.alias_of for parameter in network_of(recorder).parameters}
    assert aliases == {"root.a.0.weight": None, "root.b.0.weight": "root.a.0.weight", "root.c.weight": "root.a.0.weight"}
    assert recorder.get_name_of_module(shared) == "root.a.0"
    with recorder.batch(0, 1), recorder.iteration():
        pass
    assert [name for _, name, _ in read_records(recorder)] == ["root.a.0.weight"]


def test_wrappers_are_looked_through(recorder: ComgraRecorder) -> None:
    inner = nn.Linear(1, 1)

    class DataParallel(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = inner

    wrapper = DataParallel()
    recorder.track_module("net", wrapper)
    assert [module.name for module in network_of(recorder).modules] == ["net"]
    assert recorder.get_name_of_module(inner) == recorder.get_name_of_module(wrapper) == "net"


def test_a_module_that_contains_itself_ends(recorder: ComgraRecorder) -> None:
    parent, child = nn.Sequential(), nn.Linear(1, 1)
    parent.append(child)
    child.parent = parent
    recorder.track_module("net", parent)
    assert [module.name for module in network_of(recorder).modules] == ["net", "net.0"]


def test_parameters_of_every_dtype_have_a_row(make_recorder: MakeRecorder) -> None:
    module = nn.Module()
    module.whole = nn.Parameter(torch.tensor([[1, 2], [3, 4]], dtype=torch.int8), requires_grad=False)
    module.complex = nn.Parameter(torch.ones(2, dtype=torch.complex64), requires_grad=False)
    recorder = make_recorder(strict=False)
    recorder.track_module("net", module)
    with pytest.warns(UserWarning, match="net.complex"), recorder.batch(0, 1), recorder.iteration():
        recorder.record_current_gradients("gradients")
    assert [(parameter.name, parameter.dtype) for parameter in network_of(recorder).parameters] == [
        ("net.whole", "I8"),
        ("net.complex", "complex64"),
    ]
    records = read_records(recorder)
    assert {name for _, name, _ in records} == {"net.whole"}
    assert records["forward", "net.whole", -1].statistics["svd"] == pytest.approx([5.464986], rel=1e-5)


def test_a_parameter_that_was_replaced_is_followed(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2, bias=False)
    recorder.track_module("net", layer)
    for step in range(2):
        with recorder.batch(step, 1), recorder.iteration():
            recorder.register_tensor("y", layer(torch.ones(1, layer.weight.shape[1])))
        layer.weight = nn.Parameter(torch.zeros(2, 5))
    assert read_edges(recorder, 1) == {("net.weight", "y")}
    assert read_records(recorder, 1)["forward", "net.weight", -1].entry.shape == (2, 5)


def test_tracking_wrongly(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(prefixes_for_grouping_module_parameters_visually=["net", "covered"])
    net = nn.Sequential(nn.Linear(1, 1))
    recorder.track_module("net", net)
    before = network_of(recorder)
    wrong = [
        ("a.b", nn.ReLU(), "'a.b'.*dot"),
        ("a*b", nn.ReLU(), r"'a\*b'"),
        ("net", nn.ReLU(), "'net' is taken"),
        ("again", net, "'again'.*already tracked as 'net'"),
        ("part", net[0], "'part'.*already tracked as 'net.0'"),
        ("thing", "text", "'thing' is a str"),
        ("covered", nn.ModuleDict({"x*": nn.Linear(1, 1)}), r"'covered.x\*'"),
        ("covered", nn.LazyLinear(3), "'covered.weight'.*no shape.*Run the module"),
        ("other", nn.Linear(1, 1), "'other.weight'.*prefixes_for_grouping_module_parameters_visually"),
    ]
    for name, module, message in wrong:
        with pytest.raises(MisuseError, match=message):
            recorder.track_module(name, module)  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match=r"ReLU.*track_module"):
        recorder.get_name_of_module(nn.ReLU())
    assert network_of(recorder) == before


def test_modules_that_share_many_others_are_named_once(recorder: ComgraRecorder) -> None:
    # Every layer holds all earlier ones: 2**40 paths lead to the first.
    layers: list[nn.Module] = []
    for _ in range(40):
        layer = nn.Linear(1, 1, bias=False)
        layer.earlier = nn.ModuleList(layers)
        layers.append(layer)
    recorder.track_module("net", nn.ModuleList(layers))
    network = network_of(recorder)
    # A root, 40 layers with a list each, and 0 + 1 + ... + 39 mentions in those.
    assert len(network.modules) == 1 + 40 + 40 + 780
    assert [parameter.name for parameter in network.parameters if parameter.alias_of is None] == [
        f"net.{index}.weight" for index in range(40)
    ]
    assert recorder.get_name_of_module(layers[7]) == "net.7"
    with recorder.batch(0, 1), recorder.iteration():
        pass
    assert [name for _, name, _ in read_records(recorder)] == [f"net.{index}.weight" for index in range(40)]


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_a_scripted_module_is_known_by_its_parameters(recorder: ComgraRecorder) -> None:
    recorder.track_module("net", torch.jit.script(nn.Sequential(nn.Linear(3, 2))))
    with recorder.batch(0, 1), recorder.iteration():
        pass
    assert [(parameter.name, parameter.shape) for parameter in network_of(recorder).parameters] == [
        ("net.0.weight", (2, 3)),
        ("net.0.bias", (2,)),
    ]
    assert [name for _, name, _ in read_records(recorder)] == ["net.0.weight", "net.0.bias"]


def test_what_is_computed_in_the_place_of_a_parameter_is_not_computed_for_the_recording(recorder: ComgraRecorder) -> None:
    class Counting(nn.Module):
        computed = 0

        def forward(self, weight: Tensor) -> Tensor:
            Counting.computed += 1
            return weight * 2

    net = nn.Linear(3, 2)
    recorder.track_module("net", net)
    parametrize.register_parametrization(net, "weight", Counting())
    before = Counting.computed
    with recorder.batch(0, 1), recorder.iteration():
        net(torch.ones(1, 3)).sum().backward()
        recorder.record_current_gradients("gradients")
    assert Counting.computed == before + 1
    assert [parameter.name for parameter in network_of(recorder).parameters][2:] == ["net.parametrizations.weight.original"]
