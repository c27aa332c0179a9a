import { expect, it } from "vitest";
import { Bundle } from "../../../src/data/bundle";
import { parseIndex } from "../../../src/data/format/bundle_index";
import { startPrefetch } from "../../../src/state/loading/prefetch";
import { Store } from "../../../src/state/store";
import { buildBundle, ownStep } from "../../support/bundle_fixture";

it("begins only when the numbers of what is shown are there, and after the frame with them", async () => {
  const { index, chunks } = buildBundle([10, 20, 30, 40].map(ownStep));
  const asked: number[] = [];
  const read = async (id: number): Promise<string> => (asked.push(id), chunks[id]!);
  const store: Store = new Store(new Bundle(parseIndex(index), read, (isAwaited) => store.chunksChanged(isAwaited)));
  const later: (() => void)[] = [];
  const settle = async (): Promise<void> => {
    do {
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (store.bundle.chunks.outstanding > 0);
  };
  const { lane4 } = store.bundle.index.trials[0]!.steps;
  const ownNumbers = (): number[] => lane4.map((id) => asked.filter((other) => other === id).length);

  store.open({ selection: { step: 20 } });
  startPrefetch(store, (act) => later.push(act));
  await settle();
  expect(store.shown.value?.selection.step).toBe(20);
  expect([later.length, ...ownNumbers()]).toEqual([0, 0, 0, 0, 0]);

  store.bundle.chunks.request([lane4[1]!]);
  await settle();
  expect([later.length, ...ownNumbers()]).toEqual([1, 0, 1, 0, 0]);

  const version = store.version.value;
  later.pop()!();
  await settle();
  expect(ownNumbers()).toEqual([1, 1, 1, 0]);
  // A browser that prints by itself waits for nothing.
  const trial = store.bundle.index.trials[0]!;
  expect([store.bundle.notes(trial).state, store.bundle.curves(trial).state]).toEqual(["ready", "ready"]);
  // Nothing in sight waits for them, so nothing is rendered again.
  expect(store.version.value).toBe(version);
});
