/** Names the axes of a tensor, as far as the calls of watched modules reveal them. */

import type { Bundle } from "../../data/bundle";
import type { TensorRecord } from "../../data/records/record_offsets";
import type { OpenStep } from "../../state/selection/open_step";
import { PATTERNS } from "../../ui/text/attention_patterns";

/** The last axes of an attention pattern. Without a batch, the first of three may be the axis of heads. */
const OF_ALL_HEADS = ["query", "key"];
const OF_EACH_HEAD = ["sample", "head", ...OF_ALL_HEADS];

/** Names of the last axes, in order. None are known until the calls are loaded. */
export function namesOfAxes(bundle: Bundle, { trial, step, content }: OpenStep, { tensor }: TensorRecord): readonly string[] {
  const { name, iteration, shape } = content.layout.tensors;
  const dimensions = shape[tensor]?.length ?? 0;
  const position = bundle.callSet(trial, step)[iteration[tensor] ?? -1] ?? -1;
  if (position < 0 || dimensions < 3 || dimensions > 4) {
    return [];
  }
  const calls = bundle.calls(position);
  if (calls.state !== "ready") {
    return [];
  }
  const { meaning, record_name, record_iteration } = calls.value.ports;
  const isPattern = meaning.some(
    (text, k) => text !== null && PATTERNS.has(text) && record_name[k] === name[tensor] && record_iteration[k] === iteration[tensor],
  );
  return !isPattern ? [] : dimensions === 4 ? OF_EACH_HEAD : OF_ALL_HEADS;
}
