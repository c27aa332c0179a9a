import { describe, expect, it } from "vitest";
import { numbersInWords } from "../../../src/tabs/modules/tensor_numbers";
import { buildBundle, type FixtureStep } from "../../support/bundle_fixture";
import { describedStep } from "../../support/described_step";
import { dataOfBundle, shownBy, storeOf } from "../../support/open_store";

describe("the numbers of a module's tensor", () => {
  async function words(step: FixtureStep, size: number | null, isOneEach = false): Promise<(string | null)[]> {
    const store = storeOf(dataOfBundle(buildBundle([step])));
    const { content } = (await shownBy(store)).open!;
    const { records } = content.table;
    const read = () => records.map((record) => numbersInWords(content, record, size, isOneEach));
    expect(read()[0]).toBeNull();
    store.bundle.chunks.request(records.flatMap((record) => content.numbers.overviewChunks(record, 0)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    return read();
  }

  it("are the mean and the deviation over the batch, and the largest magnitude of all samples", async () => {
    expect(await words(describedStep(0), 12)).toEqual([
      "mean -1, std 3, largest magnitude 6",
      "mean 1, std 3, largest magnitude 4",
      "value -0.5",
      "mean -1, std 3, largest magnitude 6",
      "no gradient",
    ]);
  });

  it("have no deviation where each sample is a single value: 0 would say that all are equal", async () => {
    expect((await words(describedStep(0), 4, true))[0]).toBe("mean -1, largest magnitude 6");
  });

  it("say how many values are NaN, infinite or zero, with percents where the whole is known", async () => {
    const step = describedStep(0);
    step.arrays[0]!.values.splice(0, 5, 3, 2, 1, 6, 0);
    expect((await words(step, 12))[0]).toBe("mean -1, std 3, largest magnitude 6; NaN 3 (25 %); infinite 3 (25 %); zeros 6 (50 %)");
    expect((await words(step, null))[0]).toBe("mean -1, std 3, largest magnitude 6; NaN 3; infinite 3; zeros 6");
  });
});
