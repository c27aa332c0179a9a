import { beforeEach, expect, it } from "vitest";
import { goBackToOwn, leaveOwn, rememberOwn } from "../../../src/state/loading/own_data";
import { type OpenedData, replaceData } from "../../../src/state/loading/replace";
import type { Store } from "../../../src/state/store";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const dataOf = (trial: string, ...steps: number[]): OpenedData =>
  dataOfBundle(buildBundle(steps.map(ownStep), [{ name: trial, rank: 0, steps: steps.map((_, k) => k) }]));

let store: Store;

/** Opens a file as a person does. */
async function openFile(data: OpenedData): Promise<void> {
  leaveOwn(store);
  await replaceData(store, data, ["other.html"]);
}
const shown = () => [store.selection.value.trial, store.selection.value.step, store.tab.value, store.files.value];

beforeEach(async () => {
  const own = dataOf("own", 10, 20, 30);
  store = storeOf(own);
  rememberOwn(store, own);
  await shownBy(store, { step: 20 });
  store.tab.value = "network";
});

it("shows what was selected before a file of other trials was opened", async () => {
  await openFile(dataOf("other", 5));
  expect(shown()).toEqual(["other", 5, "network", ["other.html"]]);
  store.tab.value = "about";
  await goBackToOwn(store);
  expect(shown()).toEqual(["own", 20, "network", []]);
});

it("remembers what was selected before the first of several files", async () => {
  await openFile(dataOf("other", 5));
  await openFile(dataOf("third", 6));
  await goBackToOwn(store);
  expect(shown()).toEqual(["own", 20, "network", []]);
});

it("stays at what is selected, where the page has that trial too", async () => {
  await openFile(dataOf("own", 30, 40));
  store.change("step", 30);
  store.tab.value = "tensors";
  await goBackToOwn(store);
  expect(shown()).toEqual(["own", 30, "tensors", []]);
});

it("goes back to the newest data of the page", async () => {
  await openFile(dataOf("other", 5));
  rememberOwn(store, dataOf("own", 10, 20, 30, 40));
  await goBackToOwn(store);
  expect(store.trial.value?.steps.step).toEqual([10, 20, 30, 40]);
  expect(store.selection.value.step).toBe(20);
});

it("does nothing where the page has no data of its own", async () => {
  const other = storeOf(dataOf("other", 5));
  await shownBy(other);
  leaveOwn(other);
  await goBackToOwn(other);
  expect(other.selection.value.step).toBe(5);
});
