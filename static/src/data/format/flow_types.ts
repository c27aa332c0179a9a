/** The gradient flows of a step. */

import { also, type Check, type Checked, column, fail, integer, list, number, oneOf, orNull, record, text } from "./checks";
import { MOST_ELEMENTS } from "./constants";
import { stepNumber } from "./steps";

const FLOW_ROLES = ["input", "layer", "target"] as const;
export type FlowRole = (typeof FLOW_ROLES)[number];

/** A gradient flow of a step. `lane4` is the first chunk of its lane, and every start below is an element of that. */
export type StoredFlow = Checked<ReturnType<typeof storedFlow>> & { pairs: StoredFlowPair[] };
export const storedFlow = (lane: Check<number>) =>
  record({
    step: stepNumber,
    iteration: integer(0),
    name: text,
    method: text,
    /** Positions in the batch; none where the layers have no batch dimension. */
    samples: list(integer(0)),
    lane4: lane,
    layers: list(storedLayer),
  });

/** `values` and `gradients` are starts, or -1 where they are not known. */
export type StoredFlowLayer = Checked<typeof storedLayer>;
const storedLayer = record({
  name: text,
  shape: list(integer(0, MOST_ELEMENTS)),
  role: oneOf(FLOW_ROLES),
  record_name: orNull(text),
  record_iteration: orNull(integer(-1)),
  values: integer(-1),
  gradients: integer(-1),
});

/** The flows from a layer to a later one. The sums have an entry per sample; `computed` and `residuals` are starts, or -1. */
export type StoredFlowPair = Checked<ReturnType<typeof storedPair>>;
export const storedPair = (layers: number, samples: number) => {
  const sums = column(number, samples);
  const counts = also(column(integer(0, MOST_ELEMENTS), samples), (perSample, where) => {
    if (perSample.reduce((sum, count) => sum + count, 0) > MOST_ELEMENTS) {
      fail(where, "smaller");
    }
  });
  const pair = record({
    from: integer(0, layers - 2),
    to: integer(0, layers - 1),
    count: counts,
    positive: sums,
    negative: sums,
    largest: sums,
    non_finite: counts,
    computed: integer(-1),
    residuals: integer(-1),
    by_source: flowRows,
    by_target: flowRows,
    /** The places where the strongest flows begin, one sample after another, and how many each sample has. */
    strongest: record({ sources: integer(0), targets: integer(0), flows: integer(0), count: counts }),
  });
  return also(pair, ({ from, to }, where) => void integer(from + 1, layers - 1)(to, `${where}.to`));
};

/** Where compressed rows begin: their starts, what is at the other end of each flow, and the flows. */
export type FlowRows = Checked<typeof flowRows>;
const flowRows = record({ starts: integer(0), others: integer(0), flows: integer(0) });
