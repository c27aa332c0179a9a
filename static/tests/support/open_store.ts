/** A store that shows a bundle for tests. */

import { vi } from "vitest";
import { Bundle } from "../../src/data/bundle";
import { parseIndex } from "../../src/data/format/bundle_index";
import type { OpenedData } from "../../src/state/loading/replace";
import type { Selection } from "../../src/state/selection/selection";
import { type Shown, Store } from "../../src/state/store";
import type { buildBundle } from "./bundle_fixture";

/** The data of a bundle; `change` spoils or extends the JSON of its index. */
export function dataOfBundle(
  { index, chunks }: ReturnType<typeof buildBundle>,
  change: (index: any) => void = () => undefined,
): OpenedData {
  const json = JSON.parse(index);
  change(json);
  return { index: parseIndex(JSON.stringify(json)), read: async (id) => chunks[id]! };
}

/** A store of some data, before it shows anything. */
export function storeOf({ index, read }: OpenedData): Store {
  const store: Store = new Store(new Bundle(index, read, () => store.chunksChanged()));
  return store;
}

/** What a store shows as soon as it shows something. */
export async function shownBy(store: Store, selection: Partial<Selection> = {}): Promise<Shown> {
  store.open({ selection });
  await vi.waitUntil(() => store.shown.value !== null && store.pending.value === null);
  return store.shown.value!;
}
