"""The dependency graph of small networks, with the expected connections written out."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder, TensorReference
from comgra_export.errors import MisuseError
from comgra_export.recorder.step.options import GraphSource
from comgra_export.storage import open_recording
from support.recorder.doubling import double
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_edges_without_gradient, read_records, read_structure

B = 4


def test_a_network_with_a_loss(recorder: ComgraRecorder) -> None:
    network = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2), nn.Linear(2, 2))
    recorder.track_module("net", network)
    x, y = torch.randn(B, 3), torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        hidden = network[1](network[0](x))
        recorder.register_tensor("hidden", hidden)
        output = network[2](hidden)
        recorder.register_tensor("output", output)
        recorder.register_tensor("y", y, is_target=True)
        recorder.register_tensor("loss", ((output - y) ** 2).mean(), is_loss=True)
    assert read_edges(recorder) == {
        ("x", "hidden"),
        ("net.0.weight", "hidden"),
        ("net.0.bias", "hidden"),
        ("hidden", "output"),
        ("net.2.weight", "output"),
        ("net.2.bias", "output"),
        ("output", "loss"),
        ("y", "loss"),
    }
    # The last layer is tracked but not used, so it is recorded but not shown.
    assert "net.3.weight" not in {row.name for row in read_structure(recorder).tensors}
    assert ("forward", "net.3.weight", -1) in read_records(recorder)


def test_a_recurrent_network(recorder: ComgraRecorder) -> None:
    cell = nn.Linear(2, 2, bias=False)
    recorder.track_module("cell", cell)
    memory = torch.zeros(B, 2)
    with recorder.batch(0, B):
        recorder.register_tensor("memory", memory, is_initial_value=True)
        recorder.register_tensor("not used", torch.zeros(B, 2), is_initial_value=True)
        for _ in range(3):
            with recorder.iteration():
                x = torch.randn(B, 2)
                recorder.register_tensor("x", x, is_input=True)
                memory = torch.tanh(cell(memory) + x)
                recorder.register_tensor("memory", memory)
    assert read_edges(recorder, iteration=0) == {
        ("memory*old:memory__from_initialization", "memory"),
        ("x", "memory"),
        ("cell.weight", "memory"),
    }
    assert read_edges(recorder, iteration=2) == {
        ("memory*old:memory__from_iteration_1", "memory"),
        ("x", "memory"),
        ("cell.weight", "memory"),
    }
    old = next(row for row in read_structure(recorder, iteration=2).tensors if row.node == "memory*old")
    assert (old.name, old.record_name, old.record_iteration, old.type) == ("memory", "memory", 1, "calculated")
    weight = next(row for row in read_structure(recorder, iteration=2).tensors if row.type == "parameter")
    assert (weight.node, weight.role, weight.record_iteration) == ("cell.weight", "cell.weight", -1)


def test_initial_values_and_memories_of_one_node(recorder: ComgraRecorder) -> None:
    first, second = torch.zeros(B, 1), torch.zeros(B, 1)
    with recorder.batch(0, B):
        recorder.register_tensor("start", first, node_name="memory", is_initial_value=True)
        with recorder.iteration():
            second = first * 2
            recorder.register_tensor("state", second, node_name="memory")
        with recorder.iteration():
            recorder.register_tensor("sum", first + second)
    assert read_edges(recorder, iteration=0) == {("memory*old:start__from_initialization", "memory:state")}
    assert read_edges(recorder, iteration=1) == {
        ("memory*old:start__from_initialization", "sum"),
        ("memory*old:state__from_iteration_0", "sum"),
    }


def test_several_names_of_a_tensor_are_a_chain(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B):
        with recorder.iteration():
            recorder.register_tensor("x", x)
            h = x * 2
            for name in ("first", "second", "third"):
                recorder.register_tensor(name, h)
            recorder.register_tensor("y", h + 1)
        with recorder.iteration():
            recorder.register_tensor("again", h)
            recorder.register_tensor("z", h + 1)
        with recorder.iteration():
            recorder.register_tensor("last", h + 1)
    assert read_edges(recorder) == {("x", "first"), ("first", "second"), ("second", "third"), ("third", "y")}
    # Named in this iteration too, it is shown with what it depends on.
    assert read_edges(recorder, iteration=1) == {("x*old:x__from_iteration_0", "again"), ("again", "z")}
    # Otherwise it is shown under its newest name, and the search stops at it.
    assert read_edges(recorder, iteration=2) == {("again*old:again__from_iteration_1", "last")}
    rows = {row.name: row for iteration in range(3) for row in read_structure(recorder, iteration=iteration).tensors}
    assert {(rows[name].record_name, rows[name].record_iteration) for name in ("first", "second", "third", "again")} == {("first", 0)}
    assert not {"second", "third", "again"} & {name for _, name, _ in read_records(recorder)}


def test_outputs_of_one_operation_are_distinguished(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 6)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        query, key, value = (x * 2).chunk(3, dim=1)
        for name, tensor in (("query", query), ("value", value)):
            recorder.register_tensor(name, tensor)
        recorder.register_tensor("from query", query + 1)
        recorder.register_tensor("from value", value + 1)
        # `key` is not registered, and it is no other output of the same operation.
        recorder.register_tensor("from key", key + 1)
        rows = list((x + 1).unbind(0))
        recorder.register_tensor("row 1", rows[1], index_of_batch_dimension=None)
        recorder.register_tensor("sum", rows[0] + rows[1], index_of_batch_dimension=None)
    assert read_edges(recorder) == {
        ("x", "query"),
        ("x", "value"),
        ("query", "from query"),
        ("value", "from value"),
        ("x", "from key"),
        ("x", "row 1"),
        ("x", "sum"),
        ("row 1", "sum"),
    }


def test_several_tensors_of_a_node(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        recorder.register_tensor("low", x - 1, node_name="both", role_within_node="low")
        high = x + 1
        recorder.register_tensor("high", high, node_name="both")
        recorder.register_tensor("y", high * 2)
    assert read_edges(recorder) == {("x", "both:low"), ("x", "both:high"), ("both:high", "y")}


@pytest.mark.parametrize("joined", [("a", "c"), ("a", "b"), ("b", "d")])
def test_tensors_of_a_node_must_not_depend_on_each_other(recorder: ComgraRecorder, joined: tuple[str, str]) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    tensor = torch.randn(B, 2)
    for name in "abcd":
        recorder.register_tensor(name, tensor, node_name="joined" if name in joined else None)
        tensor = tensor + 1
    chain = [name for name in "abcd" if joined[0] <= name <= joined[1]]
    with pytest.raises(MisuseError) as caught:
        recorder.finish_iteration()
    assert "'joined'" in str(caught.value)
    assert str(chain) in str(caught.value)


def test_nodes_must_not_depend_on_each_other_in_a_loop(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    a, b = torch.randn(B, 2), torch.randn(B, 2)
    recorder.register_tensor("a1", a, node_name="A")
    recorder.register_tensor("b1", a + 1, node_name="B")
    recorder.register_tensor("b2", b, node_name="B")
    recorder.register_tensor("a2", b + 1, node_name="A")
    with pytest.raises(MisuseError, match=r"\['A', 'B'\]"):
        recorder.finish_iteration()


def test_tensors_of_a_node_must_have_one_type(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    recorder.register_tensor("a", torch.randn(B, 2), node_name="mixed", is_input=True)
    recorder.register_tensor("b", torch.randn(B, 2), node_name="mixed")
    with pytest.raises(MisuseError, match=r"'mixed'.*'a'.*input.*'b'.*calculated"):
        recorder.finish_iteration()


def test_parameters_of_a_prefix_share_a_node(make_recorder: MakeRecorder) -> None:
    network = nn.ModuleDict({"inner": nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), "outer": nn.Linear(2, 2, bias=False)})
    recorder = make_recorder(
        prefixes_for_grouping_module_parameters_visually=["net.inner", ""],
        prefixes_for_grouping_module_parameters_in_nodes=["net.inner.0", "net.inner"],
    )
    recorder.track_module("net", network)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("y", network["outer"](network["inner"](torch.randn(B, 2))))
    assert read_edges(recorder) == {
        ("net.inner.0:net.inner.0.weight", "y"),
        ("net.inner.0:net.inner.0.bias", "y"),
        ("net.inner:net.inner.1.weight", "y"),
        ("net.inner:net.inner.1.bias", "y"),
        ("net.outer.weight", "y"),
    }
    entry = read_records(recorder)["forward", "net.inner.1.bias", -1].entry
    assert (entry.node, entry.role) == ("net.inner", "net.inner.1.bias")


def test_tied_parameters_are_one_node(recorder: ComgraRecorder) -> None:
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    recorder.track_module("net", nn.Sequential(first, second))
    with recorder.batch(0, B), recorder.iteration():
        h = first(torch.randn(B, 2))
        recorder.register_tensor("h", h)
        recorder.register_tensor("y", second(h))
    assert read_edges(recorder) == {("net.0.weight", "h"), ("net.0.weight", "y"), ("h", "y")}


def test_connections_made_by_hand(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B):
        for _ in range(2):
            with recorder.iteration():
                recorder.register_tensor("x", x + 1, is_input=True)
                counts = torch.ones(B, dtype=torch.int64)
                recorder.register_tensor("counts", counts)
                picked = counts.argmax()
                recorder.register_tensor("picked", picked)
                recorder.add_tensor_connection("x", counts)
                recorder.add_tensor_connection(counts, "picked")
                recorder.add_tensor_connection(counts, "picked")
        with recorder.iteration():
            recorder.register_tensor("y", torch.zeros(B))
            recorder.add_tensor_connection("x", "y")
            recorder.add_tensor_connection(TensorReference("counts", 0), "y")
    assert read_edges(recorder, iteration=0) == read_edges(recorder, iteration=1) == {("x", "counts"), ("counts", "picked")}
    assert read_edges(recorder, iteration=2) == {("x*old:x__from_iteration_1", "y"), ("counts*old:counts__from_iteration_0", "y")}


def test_connections_by_way_of_tensors_that_are_not_registered(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        rounded = (x * 3).round().detach()
        source = x * 5
        recorder.add_tensor_connection(source, rounded)
        recorder.register_tensor("y", rounded * 2)
        unrelated = torch.randn(B, 2, requires_grad=True) * 2
        recorder.add_tensor_connection(x, unrelated)
        recorder.register_tensor("z", unrelated + 1)
    assert read_edges(recorder) == {("x", "y"), ("x", "z")}


def test_detaching_while_keeping_the_connection(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        hidden = x * 2
        detached = recorder.detach_while_keeping_connection(hidden)
        recorder.register_tensor("y", detached * 2)
        kept = recorder.detach_while_keeping_connection(x)
        recorder.register_tensor("kept", kept)
        recorder.register_tensor("z", kept + 1)
        recorder.register_tensor("lost", hidden.detach() * 2)
    assert read_edges(recorder) == {("x", "y"), ("x", "kept"), ("kept", "z"), ("x", "lost")}
    assert read_edges_without_gradient(recorder) == {("x", "y"), ("x", "kept"), ("x", "lost")}
    assert detached.requires_grad
    assert detached.is_leaf


def test_a_loop_of_connections_is_refused(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    a, b = torch.randn(B, 2), torch.randn(B, 2)
    recorder.register_tensor("a", a)
    recorder.register_tensor("b", b)
    recorder.register_tensor("c", a + b)
    recorder.add_tensor_connection("c", "a")
    with pytest.raises(MisuseError, match=r"loop.*\['a', 'c', 'a'\].*add_tensor_connection"):
        recorder.finish_iteration()


def test_a_loop_of_connections_among_unregistered_tensors_is_refused(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, B)
    recorder.start_iteration()
    a = torch.randn(B, 2, requires_grad=True)
    b = (a * 2) * 3
    recorder.add_tensor_connection(b, a)
    recorder.register_tensor("y", b + 1)
    with pytest.raises(MisuseError, match=r"add_tensor_connection.*'y'"):
        recorder.finish_iteration()


def test_in_place_operations_keep_the_order_of_names(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        h = x * 1
        recorder.register_tensor("before", h)
        recorder.register_tensor("y", h + 1)
        h.mul_(2)
        recorder.register_tensor("after", h)
        recorder.register_tensor("z", h + 1)
    assert read_edges(recorder) == {("x", "before"), ("before", "y"), ("before", "after"), ("after", "z")}


def test_a_tensor_registered_after_its_use_is_found_in_the_next_iteration(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2, requires_grad=True)
    with recorder.batch(0, B):
        with recorder.iteration():
            trunk = x * 2
            recorder.register_tensor("y", trunk + 1)
        with recorder.iteration():
            recorder.register_tensor("x", x)
            recorder.register_tensor("trunk", trunk)
            recorder.register_tensor("y", trunk + 1)
    assert read_edges(recorder, iteration=0) == set()
    assert read_edges(recorder, iteration=1) == {("x", "trunk"), ("trunk", "y")}


@pytest.mark.parametrize("late", ["leaf", "result", "connection"])
def test_what_is_known_of_an_operation_is_found_out_again_where_it_changes(recorder: ComgraRecorder, late: str) -> None:
    x = torch.randn(B, 2, requires_grad=True)
    with recorder.batch(0, B):
        with recorder.iteration():
            trunk = x * 2
            between = trunk * 3
            recorder.register_tensor("y", between + 1)
        with recorder.iteration():
            z = torch.randn(B, 2)
            recorder.register_tensor("z", z)
            if late == "connection":
                recorder.add_tensor_connection(z, trunk)
            else:
                recorder.register_tensor("late", x if late == "leaf" else trunk)
            recorder.register_tensor("y", between + 1)
    assert read_edges(recorder, iteration=0) == set()
    assert read_edges(recorder, iteration=1) == {("z" if late == "connection" else "late", "y")}


def test_where_gradients_are_turned_off_connections_carry_none(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    network = nn.Linear(2, 2)
    recorder.track_module("net", network)
    for step, context in enumerate((torch.no_grad(), torch.inference_mode())):
        with recorder.batch(step, B), recorder.iteration(), context:
            y = network(x)
            recorder.register_tensor("x", x)
            recorder.register_tensor("y", y)
            recorder.record_current_gradients("gradients")
        edges = {("x", "y"), ("net.weight", "y"), ("net.bias", "y")}
        assert read_edges(recorder, step) == read_edges_without_gradient(recorder, step) == edges
        assert read_records(recorder, step)["forward", "y", 0].values.tolist() == y.reshape(-1).tolist()


def test_results_of_an_evaluation_stay_usable(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        with torch.no_grad():
            result = torch.randn(B, 2) * 2
            recorder.register_tensor("result", result)
        before = result.clone()
        assert result.add_(1).numpy().tolist() == (before + 1).tolist()


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_recomputation_by_checkpointing_is_ignored(recorder: ComgraRecorder, use_reentrant: bool) -> None:
    network = nn.Linear(2, 2)
    x = torch.randn(B, 2, requires_grad=True)

    def block(value: Tensor) -> Tensor:
        inner = network(value)
        recorder.register_tensor("inner", inner)
        return torch.tanh(inner)

    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        output = checkpoint(block, x, use_reentrant=use_reentrant)
        recorder.register_tensor("output", output)
        output.sum().backward()
        recorder.record_current_gradients("gradients")
    # In the reentrant mode the block runs without gradients, and autograd knows only of the whole.
    assert read_edges(recorder) == {("x", "inner"), ("inner", "output")} | ({("x", "output")} if use_reentrant else set())
    assert read_edges_without_gradient(recorder) == ({("x", "inner"), ("inner", "output")} if use_reentrant else set())
    assert read_records(recorder)["gradients", "inner", 0].counts[4] == use_reentrant


@pytest.mark.parametrize("graph", ["data_flow", "autograd"])
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointed_blocks_one_after_the_other(make_recorder: MakeRecorder, graph: GraphSource, use_reentrant: bool) -> None:
    """What a block registers under `no_grad`, and the checkpoint then gives a graph, is what the next block depends on."""
    recorder = make_recorder(graph=graph)
    inp = torch.randn(B, 2, requires_grad=True)

    def run(name: str, value: Tensor) -> Tensor:
        def block(value: Tensor) -> Tensor:
            result = torch.tanh(value)
            recorder.register_tensor(name, result)
            return result

        return checkpoint(block, value, use_reentrant=use_reentrant)  # type: ignore[no-any-return]

    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("inp", inp, is_input=True)
        recorder.register_tensor("loss", run("c", run("b", run("a", inp))).sum(), is_loss=True)
    assert read_edges(recorder) == {("inp", "a"), ("a", "b"), ("b", "c"), ("c", "loss")}
    assert read_edges_without_gradient(recorder) == set()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_everything_in_a_recomputed_block_counts_once(recorder: ComgraRecorder, use_reentrant: bool) -> None:
    network = nn.Linear(2, 2)
    x = torch.randn(B, 2, requires_grad=True)

    def block(value: Tensor) -> Tensor:
        with recorder.iteration():
            inner = torch.exp(network(value))
            recorder.register_tensor("inner", inner)
            recorder.record_kpi_in_graph("norms", "inner", inner.norm())
            recorder.add_note("in the block")
        return inner

    with recorder.batch(0, B):
        checkpoint(block, x, use_reentrant=use_reentrant).sum().backward()
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (0,)
    assert len(recording.step(0).structures) == 1
    assert [point.name for point in recording.curve_points] == ["inner"]
    assert [note.text for note in recording.notes] == ["in the block"]
    assert network.weight.grad is not None


def test_a_custom_function_is_an_operation_like_any_other(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        recorder.register_tensor("y", double(x * 3) + 1)
        recorder.register_tensor("doubled", double(x))
    assert read_edges(recorder) == {("x", "y"), ("x", "doubled")}
    assert read_edges_without_gradient(recorder) == set()
    assert read_records(recorder)["forward", "doubled", 0].entry.operation == "DoublingBackward"


@pytest.mark.slow
def test_graphs_deeper_than_the_recursion_limit(recorder: ComgraRecorder) -> None:
    value = torch.randn(B, 1)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("start", value)
        for _ in range(20_000):
            value = value + 1
        recorder.register_tensor("end", value)
        for _ in range(3_000):
            value = value + 1
            recorder.add_tensor_connection("start", value)
        recorder.register_tensor("very end", value)
    assert read_edges(recorder) == {("start", "end"), ("end", "very end"), ("start", "very end")}


@pytest.mark.slow
def test_many_registered_tensors(recorder: ComgraRecorder) -> None:
    trunk = chained = torch.randn(B, 1)
    names = [f"n{index}" for index in range(1500)]
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("start", trunk)
        for name in names:
            trunk, chained = trunk + 1, chained * 1.001
            recorder.register_tensor(f"leaf of {name}", trunk * 2)
            recorder.register_tensor(name, chained)
        recorder.register_tensor("all", trunk + chained)
    chain = set(zip(["start", *names], names, strict=False))
    assert read_edges(recorder) == chain | {("start", f"leaf of {name}") for name in names} | {("start", "all"), (names[-1], "all")}


def test_equal_graphs_are_stored_once(recorder: ComgraRecorder) -> None:
    for step in range(3):
        with recorder.batch(step, B), recorder.iteration():
            x = torch.randn(B, 2)
            recorder.register_tensor("x", x)
            recorder.register_tensor("y", x * step)
    recorder.flush()
    assert recorder.folder is not None
    assert len(list((recorder.folder / "structures").iterdir())) == 1
