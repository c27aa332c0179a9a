import { expect, it } from "vitest";
import { samplesText } from "../../../src/tabs/tensors/remarks";

it.each([
  ["neuron", 5, "5 samples of 64 recorded with individual values."],
  ["single_value", 5, "5 samples of 64 recorded with individual values."],
  ["kpis", 5, "5 of 64 samples have statistics of their own. Single values need values=True."],
  ["kpis", 1, "1 of 64 samples has statistics of its own. Single values need values=True."],
  ["kpis", 0, "No individual samples of this tensor were recorded."],
])("says of a recording of the kind %s with %d samples what there is of them", (kind, samples, text) => {
  expect(samplesText(kind, samples, 64)).toBe(text);
});
