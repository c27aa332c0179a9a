/** What of a tensor's gradient comes through one call that it goes into, beside all of it. */

import type { StepContent } from "../../data/bundle";
import { FORWARD } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { brief } from "../../ui/text/format";
import { Unbroken } from "../../ui/text/unbroken";
import type { Scene } from "./levels/scene";

/** Stands for what is not loaded yet. */
const NOT_YET = "\u2026";
const OVER_BATCH = 0;
const STATISTIC = "abs_mean";

interface Props {
  store: Store;
  scene: Scene;
  /** Positions among the tensors of the layout: of the tensor, and of its gradient through the call. */
  tensor: number;
  gradient: number;
}

/** A line per group of gradients. It cannot be followed: no graph has it. */
export function GradientThroughCall({ store, scene: { layout, material }, tensor, gradient }: Props) {
  // Read so that this is rendered again when the numbers have been loaded.
  void store.version.value;
  const { content } = material.open;
  const groups = layout.groups.map(({ name }) => name).filter((name) => name !== FORWARD);
  const own = groups.filter((group) => content.table.byGroup.get(group)?.has(gradient));
  return (
    <>
      {own.map((group) => (
        <div key={group} class="soft gradient-through-call" data-testid="gradient-through-call" data-group={group}>
          {groups.length > 1 && (
            <>
              <bdi>{group}</bdi>:{" "}
            </>
          )}
          gradient through this call alone: {STATISTIC} <Unbroken text={magnitude(store, content, group, gradient)} />; in all{" "}
          <Unbroken text={magnitude(store, content, group, tensor)} />
        </div>
      ))}
    </>
  );
}

/** The mean magnitude over values and batch, in words. */
function magnitude(store: Store, content: StepContent, group: string, tensor: number): string {
  const record = content.table.byGroup.get(group)?.get(tensor);
  if (record === undefined) {
    return "unknown";
  }
  const facts = content.numbers.facts(record);
  const statistics = content.numbers.statistics(record, OVER_BATCH);
  // A single value has only this statistic.
  const value = statistics.at(Math.max(0, record.items.indexOf(STATISTIC)));
  if (facts === undefined || value === undefined) {
    store.bundle.chunks.request(content.numbers.overviewChunks(record, OVER_BATCH));
    return NOT_YET;
  }
  return facts.gradientAbsent ? "absent" : brief(Math.abs(Number(value)));
}
