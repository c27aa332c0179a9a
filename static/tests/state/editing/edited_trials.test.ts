import { expect, it } from "vitest";
import { compareWithOriginal } from "../../../src/state/editing/edited_trials";
import { lookInto, showModule, wantedModule } from "../../../src/state/tab_options/module_place";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

const STEPS = [10, 20, 30, 40];
const data = () =>
  dataOfBundle(
    buildBundle(STEPS.map(ownStep), [
      { name: "run", rank: 0, steps: [0, 1, 2, 3] },
      { name: "run edit 1", rank: 0, steps: [2] },
    ]),
  );

it("shows a trial with an edited input beside the one that it comes from, at the same step", async () => {
  const store = storeOf(data());
  await shownBy(store, { trial: "run edit 1", step: 30 });
  compareWithOriginal(store, "run edit 1", "run");
  expect([store.tab.value, store.view.value.get("pane"), store.selection.value.trial]).toEqual(["tensors", "compare", "run edit 1"]);
  expect(store.pin.value).toEqual({ trial: "run", step: 30 });
});

it("goes to the trial first where another one is shown, and compares it at the step that was shown there", async () => {
  const store = storeOf(data());
  await shownBy(store, { trial: "run", step: 40 });
  compareWithOriginal(store, "run edit 1", "run");
  expect([store.selection.value.trial, store.selection.value.step]).toEqual(["run edit 1", 30]);
  expect(store.pin.value).toEqual({ trial: "run", step: 40 });
});

it("opens the tab of the modules at a module that is yet to be found", async () => {
  const store = storeOf(data());
  await shownBy(store);
  showModule(store, "net.encoder");
  expect(store.tab.value).toBe("modules");
  expect(wantedModule(store.view.value.get("module")!)).toBe("net.encoder");
  lookInto(store, "0 net", "0 net.encoder");
  expect([wantedModule(store.view.value.get("module")!), store.view.value.get("at")]).toEqual([null, "0 net.encoder"]);
});
