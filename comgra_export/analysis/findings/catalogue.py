"""All rules: those of the package, and those that installed packages add."""

from __future__ import annotations

from importlib.metadata import entry_points

from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.rules.activations import (
    attention_collapse,
    branch_without_effect,
    dead_relu,
    dormant_units,
    growing_with_depth,
    logit_growth,
    near_overflow,
    runaway_growth,
    same_for_all_samples,
    same_for_all_tokens,
    saturated_units,
)
from comgra_export.analysis.findings.rules.data import (
    batches_not_shuffled,
    class_imbalance,
    class_numbers_as_target,
    constant_input,
    constant_target,
    feature_is_label,
    input_not_normalized,
    ranks_differ,
    renumbered_classes,
    repeated_batch,
)
from comgra_export.analysis.findings.rules.gradients import (
    always_clipped,
    equal_weights,
    exploding_gradient,
    gradient_spike,
    rank_collapse,
    updates_too_large,
    updates_too_small,
    vanishing_gradient,
    weights_collapse,
)
from comgra_export.analysis.findings.rules.graph import (
    activation_after_activation,
    batch_as_sequence,
    broadcast_in_loss,
    cut_path,
    dropout_before_loss,
    heavy_dropout,
    linear_after_linear,
    nll_without_log_softmax,
    one_unit_bottleneck,
    softmax_before_cross_entropy,
    softmax_for_several_labels,
    softmax_over_batch,
    softmax_over_one,
    summed_loss,
    target_out_of_range,
    tied_parameters,
    trained_target,
)
from comgra_export.analysis.findings.rules.loss import (
    diverging_loss,
    initial_loss,
    loss_does_not_fall,
    negative_loss,
    oscillating_loss,
    overfitting,
    predictions_ignore_input,
)
from comgra_export.analysis.findings.rules.non_finite import nan_origin
from comgra_export.analysis.findings.rules.training import (
    batch_norm_momentum,
    evaluation_changes_buffers,
    evaluation_in_training_mode,
    exception_in_step,
    frozen_as_initialized,
    gradients_cleared_early,
    gradients_left_over,
    maximized_loss,
    never_updated,
    no_gradient,
    not_in_optimizer,
    optimizer_made_anew,
    optimizer_never_steps,
    small_batch_norm,
    training_in_evaluation_mode,
    unregistered_modules,
    zero_gradient,
)
from comgra_export.errors import MisuseError

__all__ = ["ENTRY_POINTS", "all_rules", "own_rules"]

ENTRY_POINTS = "comgra_export.rules"
"""The group of entry points in which a package names its rules. Each is a `Rule`."""


_MODULES = (
    softmax_before_cross_entropy,
    nll_without_log_softmax,
    broadcast_in_loss,
    summed_loss,
    target_out_of_range,
    softmax_for_several_labels,
    trained_target,
    dropout_before_loss,
    heavy_dropout,
    softmax_over_one,
    softmax_over_batch,
    batch_as_sequence,
    activation_after_activation,
    linear_after_linear,
    one_unit_bottleneck,
    cut_path,
    tied_parameters,
    gradients_left_over,
    gradients_cleared_early,
    optimizer_never_steps,
    optimizer_made_anew,
    maximized_loss,
    never_updated,
    not_in_optimizer,
    unregistered_modules,
    no_gradient,
    frozen_as_initialized,
    zero_gradient,
    training_in_evaluation_mode,
    evaluation_in_training_mode,
    evaluation_changes_buffers,
    small_batch_norm,
    batch_norm_momentum,
    exception_in_step,
    always_clipped,
    equal_weights,
    exploding_gradient,
    gradient_spike,
    updates_too_large,
    updates_too_small,
    vanishing_gradient,
    weights_collapse,
    rank_collapse,
    attention_collapse,
    branch_without_effect,
    dead_relu,
    dormant_units,
    growing_with_depth,
    logit_growth,
    nan_origin,
    near_overflow,
    runaway_growth,
    same_for_all_samples,
    same_for_all_tokens,
    saturated_units,
    diverging_loss,
    initial_loss,
    loss_does_not_fall,
    negative_loss,
    oscillating_loss,
    overfitting,
    predictions_ignore_input,
    batches_not_shuffled,
    constant_input,
    feature_is_label,
    input_not_normalized,
    constant_target,
    class_imbalance,
    class_numbers_as_target,
    renumbered_classes,
    ranks_differ,
    repeated_batch,
)


def own_rules() -> tuple[Rule, ...]:
    """The rules of this package, in the order of the documentation."""
    return tuple(module.RULE for module in _MODULES)


def all_rules() -> tuple[Rule, ...]:
    """The rules of this package, then those of others by the name of their entry points.

    Raises:
        MisuseError: An entry point cannot be loaded, is not a rule, or has the name of another rule.
    """
    rules = {rule.name: rule for rule in own_rules()}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            rule = point.load()
        except Exception as error:
            raise MisuseError(
                f"The entry point {point.name!r} of {ENTRY_POINTS} cannot be loaded ({type(error).__name__}). Repair or remove its package."
            ) from error
        if not isinstance(rule, Rule):
            raise MisuseError(f"The entry point {point.name!r} of {ENTRY_POINTS} is a {type(rule).__name__}. Give a Rule.")
        if rule.name in rules:
            raise MisuseError(f"The entry point {point.name!r} of {ENTRY_POINTS} has the name of another rule, {rule.name!r}. Rename it.")
        rules[rule.name] = rule
    return tuple(rules.values())
