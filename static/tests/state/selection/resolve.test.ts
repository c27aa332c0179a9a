import { describe, expect, it } from "vitest";
import type { Offer, StepOffers } from "../../../src/state/selection/offers";
import { resolve, type StepSelection } from "../../../src/state/selection/resolve";
import type { Attribute } from "../../../src/state/selection/selection";

const BATCH = ["batch_mean", "batch_abs_max", "batch_std"];
const SAMPLES = [...BATCH, "sample_0", "sample_1"];
const NONE = ["has_no_batch_dimension"];

type Shown = [node: string, role: string, aggregations?: readonly string[], recordings?: readonly string[]];

/** What a step shows, iteration by iteration. */
function offersOf(iterations: Shown[][], recordings = ["forward", "gradients"]): StepOffers {
  const all = iterations.map((shown, iteration) =>
    shown.map(
      ([node, role, aggregations = SAMPLES, own = recordings]): Offer => ({
        iteration,
        node,
        role,
        name: `${node}/${role}`,
        tensor: 0,
        recordings: own,
        aggregations,
      }),
    ),
  );
  return { recordings, iterations: iterations.length, of: (iteration) => all[iteration] ?? [] };
}

/** Follows a person through a series of changes. */
class Person {
  selection: StepSelection;
  chosen: StepSelection | null = null;
  hasRecord = true;

  constructor(
    private offers: StepOffers,
    start: Partial<StepSelection>,
  ) {
    this.selection = { recording: "forward", iteration: 0, node: "", role: "", aggregation: "batch_mean", ...start };
    this.settle(this.selection, null);
  }

  change<A extends keyof StepSelection>(attribute: A, value: StepSelection[A]): this {
    return this.settle({ ...this.selection, [attribute]: value }, attribute);
  }

  goTo(offers: StepOffers): this {
    this.offers = offers;
    return this.settle(this.selection, "step");
  }

  private settle(wanted: StepSelection, changed: Attribute | null): this {
    const resolution = resolve(this.offers, wanted, changed, this.chosen);
    this.selection = resolution.selection;
    this.chosen = resolution.chosen;
    this.hasRecord = resolution.hasRecord;
    return this;
  }
}

const FIRST: Shown[] = [
  ["x", "x"],
  ["h", "h"],
  ["w", "w", NONE],
];
const LAST: Shown[] = [...FIRST, ["helper", "first"], ["helper", "final"], ["loss", "loss", NONE]];

function sequence(length: number): StepOffers {
  return offersOf(Array.from({ length }, (_, k) => (k === length - 1 ? LAST : FIRST)));
}

describe("the first view", () => {
  it("is the first tensor with the first aggregation", () => {
    expect(new Person(sequence(5), {}).selection).toEqual({
      recording: "forward",
      iteration: 0,
      node: "x",
      role: "x",
      aggregation: "batch_mean",
    });
  });
});

describe("relaxing", () => {
  it("gives way in the order role, batch or sample, iteration, node, and no further than needed", () => {
    const offers = offersOf([
      [
        ["a", "r"],
        ["b", "s"],
      ],
      [
        ["a", "other"],
        ["b", "r"],
        ["c", "r", NONE],
      ],
    ]);
    const start = { iteration: 0, node: "a", role: "r", aggregation: "sample_1" };
    expect(new Person(offers, start).change("iteration", 1).selection).toEqual({
      ...start,
      recording: "forward",
      iteration: 1,
      role: "other",
    });
    expect(new Person(offers, start).change("node", "c").selection).toMatchObject({
      node: "c",
      role: "r",
      aggregation: "has_no_batch_dimension",
      iteration: 1,
    });
  });

  it("gives up the role rather than the sample, and the sample rather than the iteration", () => {
    const start = { iteration: 0, node: "a", role: "r", aggregation: "sample_1" };
    const withBoth = offersOf([
      [["a", "r"]],
      [
        ["a", "r", BATCH],
        ["a", "q"],
      ],
    ]);
    expect(new Person(withBoth, start).change("iteration", 1).selection).toMatchObject({
      iteration: 1,
      role: "q",
      aggregation: "sample_1",
    });
    const later = offersOf([
      [
        ["a", "r"],
        ["b", "s", BATCH],
      ],
      [["b", "s"]],
    ]);
    expect(new Person(later, start).change("node", "b").selection).toMatchObject({ iteration: 0, node: "b", aggregation: "batch_mean" });
  });

  it("never gives up what has just been changed", () => {
    const person = new Person(sequence(3), { node: "helper", iteration: 2, role: "first" });
    expect(person.change("iteration", 0).selection).toMatchObject({ iteration: 0, node: "x" });
    expect(person.change("node", "loss").selection).toMatchObject({ iteration: 2, node: "loss", role: "loss" });
  });

  it("follows the loss to the last iteration of a longer step", () => {
    const person = new Person(sequence(5), { node: "loss", iteration: 4 });
    expect(person.selection).toMatchObject({ node: "loss", iteration: 4 });
    expect(person.goTo(sequence(6)).selection).toMatchObject({ node: "loss", iteration: 5 });
    expect(person.goTo(sequence(5)).selection).toMatchObject({ node: "loss", iteration: 4 });
  });

  it("keeps the node when the step changes, and goes to the nearest iteration", () => {
    const person = new Person(sequence(5), { node: "h", iteration: 3, aggregation: "sample_1" });
    expect(person.goTo(sequence(2)).selection).toMatchObject({ node: "h", iteration: 1, aggregation: "sample_1" });
    expect(person.goTo(sequence(5)).selection).toMatchObject({ node: "h", iteration: 3, aggregation: "sample_1" });
  });

  it("stays on the iteration in which a node is clicked, even if another one was chosen before", () => {
    const person = new Person(sequence(5), { node: "loss", iteration: 4 });
    person.goTo(sequence(6));
    expect(person.change("node", "h").selection).toMatchObject({ node: "h", iteration: 5 });
  });
});

describe("the memory", () => {
  it("restores role and sample after a visit to the loss", () => {
    const person = new Person(sequence(5), { node: "helper", iteration: 4, role: "first" });
    person.change("role", "final").change("aggregation", "sample_0");
    expect(person.change("node", "loss").selection).toMatchObject({ node: "loss", role: "loss", aggregation: "has_no_batch_dimension" });
    expect(person.change("node", "helper").selection).toEqual({
      recording: "forward",
      iteration: 4,
      node: "helper",
      role: "final",
      aggregation: "sample_0",
    });
  });

  it("restores the sample, but not a role that was left for another one by choice", () => {
    const person = new Person(sequence(1), { node: "helper", role: "final", aggregation: "sample_1" });
    person.change("role", "first").change("node", "w");
    expect(person.selection.aggregation).toBe("has_no_batch_dimension");
    expect(person.change("node", "helper").selection).toMatchObject({ role: "first", aggregation: "sample_1" });
  });

  it("goes back to a node with its role as soon as an iteration has it again", () => {
    const person = new Person(sequence(5), { node: "helper", iteration: 4, role: "final", aggregation: "sample_0" });
    expect(person.change("iteration", 3).selection).toMatchObject({ node: "x", aggregation: "sample_0" });
    expect(person.change("iteration", 4).selection).toMatchObject({ node: "helper", role: "final", aggregation: "sample_0" });
  });

  it("does not go back to a node after the person has chosen another one, or another one's role", () => {
    const person = new Person(sequence(5), { node: "loss", iteration: 4 });
    expect(person.change("iteration", 3).change("node", "h").change("iteration", 4).selection.node).toBe("h");
    const roles = offersOf([
      [
        ["x", "a"],
        ["x", "b"],
      ],
      [
        ["x", "a"],
        ["x", "b"],
        ["loss", "loss"],
      ],
    ]);
    const another = new Person(roles, { node: "loss", iteration: 1 }).change("iteration", 0);
    expect(another.change("role", "b").selection).toMatchObject({ node: "x", role: "b" });
    expect(another.change("iteration", 1).selection).toMatchObject({ node: "x", role: "b" });
  });

  it("goes back to the sample that a step lacks", () => {
    const few = offersOf([[["x", "x", [...BATCH, "sample_0"]]]]);
    const many = offersOf([[["x", "x"]]]);
    const person = new Person(many, { node: "x", aggregation: "sample_1" });
    expect(person.goTo(few).selection.aggregation).toBe("batch_mean");
    expect(person.goTo(many).selection.aggregation).toBe("sample_1");
    const without = offersOf([[["x", "x", NONE]]]);
    expect(person.goTo(without).selection.aggregation).toBe("has_no_batch_dimension");
    expect(person.goTo(many).selection.aggregation).toBe("sample_1");
  });
});

describe("recording types", () => {
  const withGradients = offersOf([
    [
      ["x", "x", SAMPLES, ["forward"]],
      ["h", "h"],
    ],
  ]);
  const without = offersOf(
    [
      [
        ["x", "x"],
        ["h", "h"],
      ],
    ],
    ["forward"],
  );

  it("fall back to forward on a step that lacks them, and come back", () => {
    const person = new Person(withGradients, { recording: "gradients", node: "h" });
    expect(person.goTo(without).selection).toMatchObject({ recording: "forward", node: "h" });
    expect(person.chosen?.recording).toBe("gradients");
    expect(person.goTo(withGradients).selection).toMatchObject({ recording: "gradients", node: "h" });
  });

  it("fall back for a tensor without a gradient that the person clicks on", () => {
    const person = new Person(withGradients, { recording: "gradients", node: "h" });
    expect(person.change("node", "x").selection).toMatchObject({ recording: "forward", node: "x" });
    expect(person.change("node", "h").selection).toMatchObject({ recording: "gradients", node: "h" });
  });

  it("do not come back after the person has chosen another one", () => {
    const person = new Person(withGradients, { recording: "gradients", node: "h" });
    person.goTo(without).change("recording", "forward");
    expect(person.goTo(withGradients).selection.recording).toBe("forward");
  });

  it("keep what was chosen and let the node go otherwise", () => {
    expect(new Person(withGradients, { node: "x" }).change("recording", "gradients").selection).toMatchObject({
      recording: "gradients",
      node: "h",
    });
  });
});

describe("nothing to show", () => {
  it("is an answer, not an error", () => {
    const person = new Person(offersOf([[]]), { node: "x", iteration: 7 });
    expect(person.hasRecord).toBe(false);
    expect(person.selection).toMatchObject({ iteration: 0, node: "" });
    expect(new Person(offersOf([]), {}).hasRecord).toBe(false);
  });

  it("keeps a tensor of the graph that has no numbers", () => {
    const offers = offersOf([
      [
        ["x", "x"],
        ["y", "y", [], []],
      ],
    ]);
    const person = new Person(offers, {}).change("node", "y");
    expect(person.hasRecord).toBe(false);
    expect(person.selection).toMatchObject({ node: "y", role: "y" });
    expect(person.change("node", "x").hasRecord).toBe(true);
  });
});
