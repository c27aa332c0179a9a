/** Reads what is known of a step besides its tensors, as distrustfully as the index. */

import { ascending, column, flag, integer, list, number, object, orNull, rowsOf, text } from "./checks";
import type { GradientFacts, ModuleRuns, ParameterList, StepFacts } from "./types";

export function parseFacts(value: unknown, where: string): StepFacts {
  const root = object(value, where);
  return {
    session: integer(0)(root.session ?? 0, `${where}.session`),
    learning_rates: orNull(list(list(number)))(root.learning_rates, `${where}.learning_rates`),
    gradients: list(checkGradients)(root.gradients ?? [], `${where}.gradients`),
    held_bytes: orNull(integer(0))(root.held_bytes, `${where}.held_bytes`),
    module_runs: integer(-1)(root.module_runs ?? -1, `${where}.module_runs`),
    parameter_list: integer(-1)(root.parameter_list ?? -1, `${where}.parameter_list`),
  };
}

function checkGradients(value: unknown, where: string): GradientFacts {
  const facts = object(value, where);
  return {
    group: text(facts.group, `${where}.group`),
    backward_passes: orNull(integer(0))(facts.backward_passes, `${where}.backward_passes`),
    loss_scale: orNull(number)(facts.loss_scale, `${where}.loss_scale`),
    changed_in_place_by: orNull(list(text))(facts.changed_in_place_by, `${where}.changed_in_place_by`),
    averaged_over_ranks: orNull(flag)(facts.averaged_over_ranks, `${where}.averaged_over_ranks`),
  };
}

export function parseModuleRuns(value: unknown, where: string): ModuleRuns {
  const root = object(value, where);
  const rows = rowsOf(root, "module", where);
  return {
    module: ascending(Number.MAX_SAFE_INTEGER)(root.module, `${where}.module`),
    training: column(flag, rows)(root.training, `${where}.training`),
    calls: column(integer(0), rows)(root.calls, `${where}.calls`),
  };
}

export function parseParameterList(value: unknown, where: string): ParameterList {
  return { parameter: ascending(Number.MAX_SAFE_INTEGER)(object(value, where).parameter, `${where}.parameter`) };
}
