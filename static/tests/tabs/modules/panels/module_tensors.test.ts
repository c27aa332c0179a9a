import { describe, expect, it } from "vitest";
import type { Bundle } from "../../../../src/data/bundle";
import type { Calls, Trial } from "../../../../src/data/format/types";
import { tensorsOfModule } from "../../../../src/tabs/modules/panels/module_tensors";
import { type Described, materialOf } from "../../../support/call_graphs";

const NETWORK = { modules: [{ name: "m", type: "T", parent: -1, description: "" }], parameters: [], optimizers: null };

/** What there is of a module called `m`: for each step its type, and what goes into its call and comes out. */
function tensorsOf(
  steps: readonly (readonly [type: string, inputs: string, outputs: string])[],
  gradients: Readonly<Record<string, string>> = {},
): string[] {
  const calls = steps.map(([, inputs, outputs]) =>
    withGradients(materialOf({ calls: [["m", -1, inputs, outputs]], edges: [] } satisfies Described).calls, gradients),
  );
  const bundle = {
    typeOf: (_: Trial, step: number) => steps[step]![0],
    callSet: (_: Trial, step: number) => [step],
    calls: (number: number) => ({ state: "ready", value: calls[number] }),
  } as unknown as Bundle;
  const trial = { steps: { step: steps.map((_, k) => k) } } as unknown as Trial;
  const tensors = tensorsOfModule(bundle, trial, NETWORK, 0, 0, [...new Set(steps.map(([type]) => type))]);
  return tensors.state !== "ready"
    ? []
    : tensors.value.tensors.map(
        ({ label, sameAs, recordedAs }) =>
          `${label}${sameAs === null ? "" : ` = ${sameAs}`}: ${[...recordedAs.values()].map(({ name }) => name).join()}`,
      );
}

/** Adds, of the inputs that are named, their gradients through the call. */
function withGradients({ calls, ports }: Calls, gradients: Readonly<Record<string, string>>): Calls {
  const names = ports.record_name.map((name, k) => (ports.side[k] === "input" ? (gradients[name ?? ""] ?? null) : null));
  return {
    calls,
    ports: { ...ports, gradient_record_name: names, gradient_record_iteration: names.map((name) => (name === null ? null : 0)) },
  };
}

describe("the tensors of a module", () => {
  it("are what goes in and what comes out", () => {
    expect(tensorsOf([["train", "x y", "z"]])).toEqual(["input in0: x", "input in1: y", "output: z"]);
  });

  it("say which are the same as one before", () => {
    expect(tensorsOf([["train", "x x y x", "z x z"]])).toEqual([
      "input in0: x",
      "input in1 = input in0: x",
      "input in2: y",
      "input in3 = input in0: x",
      "output: z",
      "output[1] = input in0: x",
      "output[2] = output: z",
    ]);
  });

  it("have what of the gradient of one comes through the call once", () => {
    expect(tensorsOf([["train", "x x y", "z"]], { x: "gradient of x", y: "gradient of y" })).toEqual([
      "input in0: x",
      "input in0, through this call alone: gradient of x",
      "input in1 = input in0: x",
      "input in2: y",
      "input in2, through this call alone: gradient of y",
      "output: z",
    ]);
  });

  it("are the same only where they are on steps of every type", () => {
    expect(
      tensorsOf([
        ["train", "x", "y"],
        ["eval", "x", "x"],
      ]),
    ).toEqual(["input in0: x,x", "output: y,x"]);
    expect(
      tensorsOf([
        ["train", "x x", "y"],
        ["eval", "x x", "y"],
      ]),
    ).toEqual(["input in0: x,x", "input in1 = input in0: x,x", "output: y,y"]);
  });

  it("are not said to be the same where they change places", () => {
    expect(
      tensorsOf([
        ["train", "x y", "z"],
        ["train", "y x", "z"],
      ]),
    ).toEqual(["input in0: x", "input in0: y", "input in1: y", "input in1: x", "output: z"]);
  });
});
