import { beforeEach, describe, expect, it, vi } from "vitest";
import type { OpenStep } from "../../../../../src/state/selection/open_step";
import type { Store } from "../../../../../src/state/store";
import { readParameters, readStatistic, statisticLabel, statisticsOf } from "../../../../../src/tabs/tensors/graph/coloring/node_numbers";
import { StepParameters } from "../../../../../src/tabs/tensors/graph/coloring/step_parameters";
import { buildBundle } from "../../../../support/bundle_fixture";
import { describedStep } from "../../../../support/described_step";
import { dataOfBundle, shownBy, storeOf } from "../../../../support/open_store";

type RecordedStatistic = Parameters<typeof readStatistic>[4];

let store: Store;
let open: OpenStep;

beforeEach(async () => {
  store = storeOf(dataOfBundle(buildBundle([describedStep(0)])));
  open = (await shownBy(store)).open!;
});

/** The numbers of nodes, once they are loaded. */
async function read(statistic: RecordedStatistic, recording = "forward", aggregation = "batch_mean"): Promise<Record<string, number>> {
  const here = () => readStatistic(open, 0, recording, aggregation, statistic);
  store.bundle.chunks.request(here().chunks);
  await vi.waitUntil(() => here().isComplete);
  return Object.fromEntries(here().numbers.map(({ node, value }) => [node, value]));
}

describe("a statistic of every node", () => {
  it("is of the chosen aggregation, where a tensor has it", async () => {
    expect(await read("abs_max")).toEqual({ h: 5, w: 4, loss: 0.5 });
    expect(await read("abs_max", "forward", "sample_0")).toEqual({ h: 10, w: 4, loss: 0.5 });
    // Only what has several elements has a spread.
    expect(await read("std", "forward", "batch_std")).toEqual({ h: 0.125, w: 3 });
  });

  it("is the value itself as the mean of a single one, with its sign", async () => {
    expect(await read("mean")).toEqual({ h: -1, w: 1, loss: -0.5 });
    expect(await read("svd")).toEqual({});
  });

  it("is not known of an absent gradient, although zeros are stored", async () => {
    expect(await read("mean", "gradients")).toEqual({ h: -1 });
  });

  it("is incomplete until its chunks are here", () => {
    const { numbers, chunks, isComplete } = readStatistic(open, 0, "forward", "batch_mean", "mean");
    expect([numbers, isComplete, chunks.length > 0]).toEqual([[], false, true]);
  });
});

describe("the statistics that are offered", () => {
  const network = {
    modules: [],
    optimizers: null,
    parameters: [{ name: "w", module: 0, shape: [3], dtype: "F32", requires_grad: true, alias_of: null }],
  };
  const rows = [4, 0.5, NaN];
  const parametersWith = (at: (k: number) => number | undefined) =>
    new StepParameters({ length: 3, at, chunks: (k: number) => [k + 7], dtype: "F64", parts: () => [] }, network, { parameter: [0] });

  it("are those that some tensor has", () => {
    expect(statisticsOf(open, 0, "forward", null)).toEqual(["abs_mean", "abs_max", "mean", "std"]);
    expect(statisticsOf(open, 0, "nothing", null)).toEqual([]);
    expect(
      statisticsOf(
        open,
        0,
        "nothing",
        parametersWith(() => 0),
      ),
    ).toEqual(["norm", "update_norm", "update_ratio"]);
    expect(["abs_mean", "update_norm", "update_ratio"].map((name) => statisticLabel(name as "abs_mean"))).toEqual([
      "abs_mean",
      "update norm",
      "update / norm",
    ]);
  });

  it("of parameters are read from what the step says of them", () => {
    const read = readParameters(
      open,
      0,
      parametersWith((k) => rows[k]),
      "update_ratio",
    );
    expect(read).toEqual({ numbers: [{ node: "w", role: "w", value: 0.125 }], chunks: [7, 8], isComplete: true });
    expect(
      readParameters(
        open,
        0,
        parametersWith(() => undefined),
        "norm",
      ),
    ).toMatchObject({ numbers: [], isComplete: false });
  });
});
