"""Reading the description of a step."""

from __future__ import annotations

from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.codec.decode_lines import gap_in
from comgra_export.storage.codec.flow_codec import decode_flows
from comgra_export.storage.model.step_description import (
    DropoutCall,
    EstimatedNorms,
    GradientFacts,
    LossCall,
    ModuleRuns,
    ParameterFacts,
    RecordedSamples,
    StepDescription,
    StepException,
    TargetFact,
    TensorReference,
    TokenFact,
)
from comgra_export.storage.text.json_codec import damaged
from comgra_export.storage.text.limits import Limit, check_limit
from comgra_export.storage.text.steps import step_in_words

__all__ = ["decode_step"]


def decode_step(content: object, file: str, number: float) -> StepDescription:
    """Reads `steps/STEP.json`. `number` is the step that the file's name says.

    Raises:
        DamagedRecordingError: A value contradicts the format or the file's name.
    """
    step = JsonObject(content, file)
    if step.step("step") != number:
        raise damaged(file, f"it describes {step_in_words(step.step('step'))}, but its name says another step")
    batch_size = step.integer("batch_size", 0)
    check_limit(Limit.ITERATIONS, len(step.entries("structures")), file)
    return StepDescription(
        step=number,
        type_of_execution=step.text("type_of_execution"),
        batch_size=batch_size,
        layout=step.digest("layout"),
        structures=step.optional_digests("structures"),
        samples=_samples(step.member("samples"), batch_size),
        time=step.optional_number("time"),
        session=step.integer("session", 0, default=0),
        triggered=step.optional_text("triggered"),
        learning_rates=_learning_rates(step),
        module_runs=_module_runs(step.member("module_runs")) if step.has("module_runs") else None,
        parameters=_parameters(step.member("parameters")) if step.has("parameters") else None,
        gradients=_gradients(step) if step.has("gradients") else (),
        held_bytes=step.optional_integer("held_bytes", 0),
        gaps=tuple(gap_in(gap) for gap in step.objects("gaps")) if step.has("gaps") else (),
        calls=_calls(step) if step.has("calls") else (),
        epoch=step.optional_number("epoch"),
        flows=decode_flows(step) if step.has("flows") else (),
        losses=tuple(_loss(loss) for loss in step.objects("losses")) if step.has("losses") else (),
        backward_roots=tuple(_reference(root) for root in step.objects("backward_roots")) if step.has("backward_roots") else (),
        target_facts=tuple(_target_fact(fact) for fact in step.objects("target_facts")) if step.has("target_facts") else (),
        token_facts=tuple(TokenFact(_reference(each.member("tensor")), each.number("cosine")) for each in step.objects("token_facts"))
        if step.has("token_facts")
        else (),
        exceptions=tuple(_exception(each) for each in step.objects("exceptions")) if step.has("exceptions") else (),
        dropouts=tuple(_dropout(each) for each in step.objects("dropouts")) if step.has("dropouts") else (),
    )


def _samples(samples: JsonObject, batch_size: int) -> RecordedSamples:
    index = tuple(samples.integers("index", 0, batch_size - 1))
    if len(set(index)) != len(index):
        raise samples.wrong("index", "names a sample twice")
    labels: dict[str, tuple[str, ...] | None] = {}
    for key in ("id", "category"):
        labels[key] = tuple(samples.texts(key)) if samples.has(key) else None
        if len(labels[key] or index) != len(index):
            raise samples.wrong(key, "has not one entry per sample")
    return RecordedSamples(index, labels["id"], labels["category"])


def _calls(step: JsonObject) -> tuple[str | None, ...]:
    calls = step.optional_digests("calls")
    if len(calls) not in (0, len(step.entries("structures"))):
        raise step.wrong("calls", "has not one entry per iteration")
    return calls


def _learning_rates(step: JsonObject) -> tuple[tuple[float, ...], ...] | None:
    key = "learning_rates"
    if not step.has(key):
        return None
    return tuple(tuple(step.as_numbers(rates, key)) for rates in step.entries(key))


def _module_runs(runs: JsonObject) -> ModuleRuns:
    modules = runs.ascending("module")
    training = runs.booleans("training")
    calls = runs.integers("calls", 0)
    if not len(modules) == len(training) == len(calls):
        raise runs.wrong("module", "differs in length from the columns beside it")
    return ModuleRuns(tuple(modules), tuple(training), tuple(calls))


def _parameters(columns: JsonObject) -> ParameterFacts:
    parameters = columns.ascending("parameter")
    norms = columns.numbers("norm")
    update_norms = columns.numbers("update_norm")
    differences = columns.optional_numbers("accumulated_gradient_difference")
    if not len(parameters) == len(norms) == len(update_norms) == len(differences):
        raise columns.wrong("parameter", "differs in length from the columns beside it")
    estimated = _estimated(columns.member("estimated"), set(parameters)) if columns.has("estimated") else ()
    return ParameterFacts(tuple(parameters), tuple(norms), tuple(update_norms), tuple(differences), estimated)


def _estimated(columns: JsonObject, known: set[int]) -> tuple[EstimatedNorms, ...]:
    parameters = columns.ascending("parameter")
    elements = columns.integers("elements", 1)
    errors = columns.optional_numbers("error")
    if not len(parameters) == len(elements) == len(errors):
        raise columns.wrong("parameter", "differs in length from the columns beside it")
    if not known.issuperset(parameters):
        raise columns.wrong("parameter", "names one that has no norms")
    return tuple(map(EstimatedNorms, parameters, elements, errors))


def _loss(loss: JsonObject) -> LossCall:
    prediction, target, result = (_reference(loss.member(key)) if loss.has(key) else None for key in ("prediction", "target", "result"))
    return LossCall(loss.text("function"), loss.scalars("options"), prediction, target, result)


def _target_fact(fact: JsonObject) -> TargetFact:
    return TargetFact(
        _reference(fact.member("target")),
        _reference(fact.member("input")),
        is_same=fact.optional_boolean("is_same"),
        feature=fact.optional_integer("feature", 0),
        share=fact.optional_number("share"),
        next_share=fact.optional_number("next_share"),
    )


def _exception(exception: JsonObject) -> StepException:
    module, function = exception.optional_text("module"), exception.optional_text("function")
    return StepException(exception.text("type"), exception.integer("iteration", 0), module, function)


def _dropout(call: JsonObject) -> DropoutCall:
    return DropoutCall(call.text("function"), call.number("share"), call.optional_text("module"))


def _reference(tensor: JsonObject) -> TensorReference:
    return TensorReference(tensor.text("name"), tensor.integer("iteration", -1))


def _gradients(step: JsonObject) -> tuple[GradientFacts, ...]:
    gradients = tuple(
        GradientFacts(
            group=of_group.text("group"),
            backward_passes=of_group.optional_integer("backward_passes", 0),
            loss_scale=of_group.optional_number("loss_scale"),
            changed_in_place_by=tuple(of_group.texts("changed_in_place_by")) if of_group.has("changed_in_place_by") else None,
            averaged_over_ranks=of_group.optional_boolean("averaged_over_ranks"),
        )
        for of_group in step.objects("gradients")
    )
    if len({each.group for each in gradients}) != len(gradients):
        raise step.wrong("gradients", "has a group twice")
    return gradients
