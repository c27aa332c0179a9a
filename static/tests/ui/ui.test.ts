import { describe, expect, it } from "vitest";
import { parseLayout } from "../../src/data/format/documents";
import { listing } from "../../src/state/selection/tensor_listing";
import { swatchOf } from "../../src/ui/color_scale";
import { ratioOf } from "../../src/ui/controls/virtual_scroll";
import { adviceFor } from "../../src/ui/notices/failure";
import { moduleTree, parametersAt, partsWithParameters } from "../../src/ui/text/module_tree";

describe("swatches", () => {
  it("mark what is outside the scale, and NaN", () => {
    expect(swatchOf(-1)).toEqual({ color: "rgb(68, 1, 84)", mark: "none" });
    expect(swatchOf(1)).toEqual({ color: "rgb(253, 231, 37)", mark: "none" });
    expect(swatchOf(1.01)).toEqual({ color: "rgb(253, 231, 37)", mark: "above" });
    expect(swatchOf(-Infinity)).toEqual({ color: "rgb(68, 1, 84)", mark: "below" });
    expect(swatchOf(NaN)).toEqual({ color: null, mark: "nan" });
  });
});

describe("advice", () => {
  it.each([
    ["file:///C:/Users/a/AppData/Local/Temp/Temp1_report.zip/index.html#v=1", "inside a zip file"],
    ["file:///C:/Users/a/Downloads/my%20report.zip/index.html", "inside a zip file"],
    ["file:///C:/Users/a/AppData/Local/Temp/7z/index.html", "temporary folder"],
    ["file:///home/a/zipper/index.html#/x.zip/", "data"],
    ["file:///home/a/%zz/index.html", "data"],
  ])("for %s", (address, expected) => expect(adviceFor(address)).toContain(expected));
});

describe("the module tree", () => {
  const module = (name: string, parent: number) => ({ name, type: "Linear", parent, description: "" });
  const parameter = (name: string, owner: number, shape: number[], rest = {}) => ({
    name,
    module: owner,
    shape,
    dtype: "F32",
    requires_grad: true,
    alias_of: null,
    ...rest,
  });

  it("adds up values, shared ones once", () => {
    const [root, other] = moduleTree({
      modules: [module("net", -1), module("net.a", 0), module("net.a.deep", 1), module("other", -1)],
      parameters: [
        parameter("net.scale", 0, []),
        parameter("net.a.weight", 1, [2, 3]),
        parameter("net.a.deep.weight", 2, [4], { requires_grad: false }),
        parameter("other.weight", 3, [2, 3], { alias_of: "net.a.weight" }),
      ],
      optimizers: null,
    });
    expect(root).toMatchObject({ label: "net", values: 11, trainable: 7 });
    expect(root?.children[0]).toMatchObject({ label: "a", values: 10 });
    expect(root?.children[0]?.children[0]).toMatchObject({ label: "deep", name: "net.a.deep", values: 4, trainable: 0 });
    expect(other?.values).toBe(0);
  });

  it("has the parameters of parts that are never called where they are used", () => {
    const network = {
      modules: [
        module("net", -1),
        module("net.attention", 0),
        module("net.attention.out", 1),
        module("net.list", 0),
        module("net.list.0", 3),
        module("other", -1),
      ],
      parameters: [
        parameter("net.scale", 0, []),
        parameter("net.attention.in", 1, [2]),
        parameter("net.attention.out.weight", 2, [2]),
        parameter("net.list.0.weight", 4, [2]),
        parameter("other.weight", 5, [2]),
      ],
      optimizers: null,
    };
    const at = (place: number, called: number[]): string[] => parametersAt(network, place, new Set(called)).map(({ name }) => name);
    expect(at(0, [0, 1, 4])).toEqual(["net.scale"]);
    expect(at(1, [0, 1, 4])).toEqual(["net.attention.in", "net.attention.out.weight"]);
    expect(at(4, [0, 1, 4])).toEqual(["net.list.0.weight"]);
    // If nothing in it is called, it has all.
    expect(at(0, [0])).toEqual(["net.scale", "net.attention.in", "net.attention.out.weight", "net.list.0.weight"]);
  });

  it("says which parts have the parameters that a module lacks", () => {
    const network = {
      modules: [
        module("net", -1),
        module("net.list", 0),
        module("net.list.0", 1),
        module("net.list.0.a", 2),
        module("net.list.1", 1),
        module("net.drop", 0),
        module("other", -1),
      ],
      parameters: [
        parameter("net.scale", 0, []),
        parameter("net.list.gain", 1, [7]),
        parameter("net.list.0.a.weight", 3, [2, 3]),
        parameter("net.list.1.weight", 4, [5]),
        parameter("net.list.1.tied", 4, [2, 3], { alias_of: "net.list.0.a.weight" }),
        parameter("other.weight", 6, [100]),
      ],
      optimizers: null,
    };
    const at = (place: number, called: number[]): unknown => partsWithParameters(network, place, new Set(called));
    // The gain of the list, which is never called, is with the network: 6 + 5, the shared one once.
    expect(at(0, [0, 2, 3, 4, 5, 6])).toEqual({ parts: [2, 4], values: 11 });
    expect(at(2, [0, 2, 3, 4, 5, 6])).toEqual({ parts: [3], values: 6 });
    expect(at(4, [0, 2, 3, 4, 5, 6])).toEqual({ parts: [], values: 0 });
    // Seen from the network, a part that is not called is not there, but one in it is.
    expect(at(0, [0, 3])).toEqual({ parts: [3], values: 6 });
  });
});

describe("long tables", () => {
  it("are scaled so that both ends can be reached", () => {
    expect(ratioOf(1000, 1000, 100)).toBe(1);
    const [full, shown, visible] = [26_000_000, 8_000_000, 500];
    expect((shown - visible) * ratioOf(full, shown, visible)).toBeCloseTo(full - visible);
  });
});

describe("a listing instead of a graph", () => {
  it("shows the tensors of the iteration and the parameters by type", () => {
    const layout = parseLayout(
      {
        tensors: {
          name: ["w", "x", "h", "h", "x"],
          iteration: [-1, 0, 0, 1, 1],
          node: ["w", "x", "h", "h", "x"],
          role: ["w", "x", "h", "h", "x"],
          type: ["parameter", "input", "calculated", "calculated", "input"],
          kind: Array(5).fill("kpis"),
          dtype: Array(5).fill("F32"),
          stored: Array(5).fill("F32"),
          shape: Array(5).fill([1]),
          batch_dimension: Array(5).fill(0),
          samples: Array(5).fill(0),
        },
        groups: [],
      },
      "layout",
    );
    const graph = listing(layout, 1);
    expect(graph.nodes).toMatchObject({ name: ["x", "h", "w"], column: [0, 1, 2], row: [0, 0, 0] });
    expect(graph.tensors.record_iteration).toEqual([-1, 1, 1]);
    expect(graph.from).toEqual([]);
  });
});
