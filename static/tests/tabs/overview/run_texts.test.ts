import { expect, it } from "vitest";
import { evaluationAt } from "../../../src/data/format/steps";
import {
  areEvaluationsSteps,
  dtypeName,
  durationText,
  hardwareText,
  optimizerText,
  parametersText,
  stepsText,
  timeText,
} from "../../../src/tabs/overview/run/run_texts";
import { settingText } from "../../../src/ui/text/training_text";
import { buildBundle, ownStep } from "../../support/bundle_fixture";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";
import { RUN } from "../../support/run_overview";

it("says when a run began and how long it took", () => {
  expect(timeText(RUN.started, 92.6)).toBe("2026-01-02 03:04 UTC, for 1 min 33 s");
  expect(timeText("2026-01-02T03:04:05+02:00", null)).toBe("2026-01-02 01:04 UTC");
  expect(timeText("a Friday", 5)).toBe("a Friday, for 5 s");
  expect(timeText("", null)).toBe("");
});

it.each([
  [0.347, "0.35 s"],
  [9.96, "10 s"],
  [59.4, "59 s"],
  [59.6, "1 min"],
  [3600, "1 h"],
  [7530, "2 h 5 min"],
  [273_600, "3 d 4 h"],
  [NaN, "an unknown time"],
])("says how long %d seconds are", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

it("counts steps and parameters", () => {
  expect(stepsText(RUN, 35, 1218)).toBe("1,219 trained, 35 recorded");
  expect(stepsText(RUN, 20, 1218)).toBe("1,219 trained, 35 recorded, 20 of them in this page");
  expect(stepsText({ ...RUN, trained: null }, 35, 1218)).toBe("trained at least up to step 1,218, 35 recorded");
  expect(stepsText({ ...RUN, trained: null, recorded: 0 }, 0, null)).toBe("0 recorded");
  expect(stepsText(RUN, 20, 1299, true)).toBe(
    "1,219 training steps, numbered together with the evaluations; 35 steps recorded, 20 of them in this page",
  );
  expect(parametersText(RUN)).toBe("4,801");
  expect(parametersText({ ...RUN, trainable: 320 })).toBe("4,801, 320 of them trainable");
  expect(parametersText({ ...RUN, parameters: 0, trainable: 0 })).toBe("");
});

it("knows whether evaluations have numbers among those of training steps", async () => {
  const is = async (...steps: [number, string][]): Promise<boolean> => {
    const store = storeOf(dataOfBundle(buildBundle(steps.map(([number, type]) => ({ ...ownStep(number), type })))));
    await shownBy(store);
    return areEvaluationsSteps(store.bundle, store.trial.value!);
  };
  expect(await is([0, "train"], [1, "eval"])).toBe(true);
  expect(await is([0, "train"], [1, "train"])).toBe(false);
  // An evaluation after step 0 takes no number from the steps.
  expect(await is([0, "train"], [evaluationAt(1, 1), "eval"], [1, "train"])).toBe(false);
});

it("names devices, dtypes, optimizers and settings", () => {
  expect(hardwareText(RUN)).toBe("cuda, float32 and bfloat16");
  expect(hardwareText({ ...RUN, devices: [] })).toBe("float32 and bfloat16");
  expect(hardwareText({ ...RUN, devices: [], dtypes: [] })).toBe("");
  expect(["I64", "U8", "BOOL", "C64", "F8_E4M3"].map(dtypeName)).toEqual(["int64", "uint8", "bool", "complex64", "f8_e4m3"]);
  const adam = { name: "Adam", groups: 1, options: { lr: 0.001, weight_decay: 0, maximize: false, foreach: null } };
  expect(optimizerText(adam)).toBe("Adam: lr 0.001, weight_decay 0");
  expect(optimizerText({ ...adam, groups: 2 })).toBe("Adam: lr 0.001, weight_decay 0 (the first of 2 groups)");
  expect([0.1 + 0.2, true, false, null, "true", ""].map(settingText)).toEqual(["0.3", "True", "False", "None", "true", ""]);
});
