import { describe, expect, it } from "vitest";
import type { Flow } from "../../../src/data/records/flows";
import { boxRemark, elementInWords, insteadRemark, methodInWords, nodeName, selectionName } from "../../../src/tabs/flow/flow_text";
import { placeOfThreshold, THRESHOLD_PLACES, thresholdAt, wrongThreshold } from "../../../src/tabs/flow/threshold";

const FLOW = {
  layers: [
    { name: "loss", shape: [] },
    { name: "conv", shape: [8, 4, 4] },
    { name: "image", shape: [1, 3, 2, 2] },
  ],
} as unknown as Flow;
const CONV = 1;
const span = (first: number, last = first, step = 1) => ({ first, last, step });

describe("a box of elements", () => {
  it("is named by its places along each axis", () => {
    expect(selectionName(FLOW, { layer: CONV, spans: [span(3), span(0, 2, 2), span(1)] })).toBe(
      "conv [3, 0\u20132 every 2, 1] (2 elements)",
    );
    expect(selectionName(FLOW, { layer: 0, spans: [] })).toBe("loss");
  });

  it("lies in one channel, which is worth a remark where there are several", () => {
    const inChannel = (layer: number, ...spans: ReturnType<typeof span>[]) => boxRemark(FLOW, { layer, spans });
    expect(inChannel(CONV, span(3), span(0, 1), span(0, 1))).toBe("The box lies in channel 3, and in no other.");
    // The first axis has one place only, which goes without saying.
    expect(inChannel(2, span(0), span(2), span(0, 1), span(0))).toBe("The box lies in position 2 of dimension 1, and in no other.");
    expect([inChannel(CONV, span(3), span(1), span(1)), inChannel(CONV, span(0, 7), span(0), span(0))]).toEqual(["", ""]);
  });
});

describe("a click on a cell of which another channel is meant", () => {
  const remark = (element: number, hasFlows = true) => insteadRemark(FLOW, CONV, 16, { element, hasFlows }, "gradient");

  it("says which one, and why", () => {
    // Element 16 is the first of channel 1, element 32 that of channel 2.
    expect(remark(32)).toBe(
      "conv [1, 0, 0], which has the strongest gradient here, has no flows. [2, 0, 0] is the strongest that has some.",
    );
  });

  it("says where no channel has flows, and nothing where the one that is shown has some", () => {
    expect(remark(16, false)).toBe("No flow enters or leaves any channel at this cell.");
    expect(remark(16)).toBe("");
  });
});

describe("an element in words", () => {
  const NOTHING = { gradients: null, values: undefined, flow: null, computed: null };

  it("has a name of its own only where its layer has several", () => {
    expect(elementInWords(FLOW, 0, 0, NOTHING)).toBe("loss");
    expect(elementInWords(FLOW, CONV, 127, NOTHING)).toBe("conv [7, 3, 3]");
  });

  it("says what is known of it, with signs and as few digits as there are", () => {
    const known = { gradients: Float32Array.of(-0.1), values: Float32Array.of(2), flow: Float32Array.of(0), computed: Int32Array.of(0) };
    expect(elementInWords(FLOW, 0, 0, known)).toBe("loss: gradient \u22120.1, activation +2, flow 0, flows into it were not computed");
    expect(elementInWords(FLOW, 0, 0, { ...NOTHING, computed: Int32Array.of(1) })).toBe("loss");
  });
});

it("names nodes of the diagram by what they stand for", () => {
  const name = (kind: "element" | "residual" | "others") =>
    nodeName(FLOW, { kind, layer: CONV, element: 17 } as Parameters<typeof nodeName>[1]);
  expect([name("element"), name("residual"), name("others")]).toEqual([
    "conv [1, 0, 1]",
    "residual of what flows into conv",
    "others of conv",
  ]);
});

it("says how flows came about, and shows methods as they are written that it does not know", () => {
  expect(methodInWords("exact")).toBe("Exact: how much of the gradient of each source comes through each target.");
  expect(methodInWords("given")).toBe("The script supplied these flows.");
  expect([methodInWords("sampled"), methodInWords("constructor")]).toEqual(["Method: sampled.", "Method: constructor."]);
});

describe("the slider of the threshold", () => {
  it("goes from zero to the largest flow, a power of ten in 20 places", () => {
    expect([0, 80, 100, THRESHOLD_PLACES].map((place) => thresholdAt(place, 50))).toEqual([0, 0.5, 5, 50]);
    expect([0, 0.5, 5, 50, 1e-30, 99].map((threshold) => placeOfThreshold(threshold, 50))).toEqual([0, 80, 100, 120, 1, 120]);
    expect([thresholdAt(60, 0), thresholdAt(60, NaN), placeOfThreshold(1, 0)]).toEqual([0, 0, 0]);
  });

  it("takes what is typed where it is a number that is not negative", () => {
    expect([" 0.25 ", "1e-3", "+2", ".5", "3."].map(wrongThreshold)).toEqual(["", "", "", "", ""]);
    for (const text of ["", "-1", "a", "1e999", "0x10", "1,5"]) {
      expect(wrongThreshold(text)).toBe("Type a number of 0 or more, such as 0.25 or 1e-3.");
    }
  });
});
