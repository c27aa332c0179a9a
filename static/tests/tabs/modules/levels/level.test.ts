import { describe, expect, it } from "vitest";
import { flowOf, OUTERMOST } from "../../../../src/tabs/modules/levels/call_graph";
import { levelOf } from "../../../../src/tabs/modules/levels/level";
import { type Described, edgesOf, flowFrom, ITERATION, materialOf } from "../../../support/call_graphs";

/** y = x + mlp(norm(x)); the sum is the output. */
const RESIDUAL: Described = {
  calls: [
    ["m", -1, "x", "y"],
    ["m.norm", 0, "x", "n"],
    ["m.mlp", 0, "n", "f"],
    ["m.mlp.up", 2, "n", "u"],
    ["m.mlp.down", 2, "u", "f"],
  ],
  edges: ["x>n", "n>u", "w>u", "u>f", "f>y", "x>y"],
  types: { x: "input", w: "parameter" },
};

describe("the level of a call", () => {
  it("has a residual connection beside the branch", () => {
    const flow = flowFrom(RESIDUAL);
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.norm", "input in0>output output", "0.m.norm>0.m.mlp", "0.m.mlp>output output"]);
    expect(edgesOf(flow, 2)).toEqual(["input in0>0.m.mlp.up", "0.m.mlp.up>0.m.mlp.down", "0.m.mlp.down>output output"]);
    // A module without others in it: what goes in comes out.
    expect(edgesOf(flow, 4)).toEqual(["input in0>output output"]);
  });

  it("shows what was called outside all modules, and what it read", () => {
    const flow = flowFrom({
      ...RESIDUAL,
      calls: [...RESIDUAL.calls, ["critic", -1, "y", "score"]],
      edges: [...RESIDUAL.edges, "y>score", "score>loss"],
      types: { ...RESIDUAL.types, loss: "loss" },
    });
    expect(edgesOf(flow, -1)).toEqual(["input 0.x>0.m", "0.m>0.critic", "0.critic>output loss"]);
  });

  it("has a node per call of a module that is called twice", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.fc", 0, "x", "a"],
        ["m.act", 0, "a", "b"],
        ["m.fc", 0, "b", "y"],
      ],
      edges: ["x>a", "a>b", "b>y", "w>a", "w>y"],
      types: { w: "parameter", x: "input" },
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.fc", "0.m.fc>0.m.act", "0.m.act>1.m.fc", "1.m.fc>output output"]);
  });

  it("keeps apart the calls of a module that two others share", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y z"],
        ["m.a", 0, "x", "y"],
        ["shared", 1, "x", "p"],
        ["m.b", 0, "x", "z"],
        ["shared", 3, "x", "q"],
      ],
      edges: ["x>p", "p>y", "x>q", "q>z"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.a", "input in0>0.m.b", "0.m.a>output output", "0.m.b>output output[1]"]);
    expect(edgesOf(flow, 1)).toEqual(["input in0>0.shared", "0.shared>output output"]);
    expect(edgesOf(flow, 3)).toEqual(["input in0>1.shared", "1.shared>output output"]);
  });

  it("follows a module into itself", () => {
    // f(x) = leaf(f(half of x)), twice deep.
    const flow = flowFrom({
      calls: [
        ["f", -1, "x", "y"],
        ["f", 0, "h", "r"],
        ["f.leaf", 1, "h", "r"],
        ["f.leaf", 0, "r", "y"],
      ],
      edges: ["x>h", "h>r", "r>y"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>1.f", "1.f>1.f.leaf", "1.f.leaf>output output"]);
    expect(edgesOf(flow, 1)).toEqual(["input in0>0.f.leaf", "0.f.leaf>output output"]);
  });

  it("has two sources of what is computed from both in between", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x k", "y"],
        ["m.a", 0, "x", "a"],
        ["m.b", 0, "k", "b"],
        ["m.c", 0, "sum", "y"],
      ],
      edges: ["x>a", "k>b", "a>half", "half>sum", "b>sum", "sum>y"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.a", "input in1>0.m.b", "0.m.a>0.m.c", "0.m.b>0.m.c", "0.m.c>output output"]);
  });

  it("leads through what hands its input on, and makes no circle", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.fc", 0, "x", "a"],
        ["m.identity", 0, "a", "a"],
        ["m.again", 0, "a", "a"],
        ["m.out", 0, "a", "y"],
      ],
      edges: ["x>a", "a>y"],
    });
    expect(edgesOf(flow, 0)).toEqual([
      "input in0>0.m.fc",
      "0.m.fc>0.m.identity",
      "0.m.identity>0.m.again",
      "0.m.again>0.m.out",
      "0.m.out>output output",
    ]);
    expect(edgesOf(flow, 2)).toEqual(["input in0>output output"]);
  });

  it("takes the input for what was computed from it before it was handed on", () => {
    // s = x + 1 was read by m.first; then the identity returned x, and y = s + x.
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.first", 0, "s", "f"],
        ["m.identity", 0, "x", "x"],
        ["m.last", 0, "s", "y"],
      ],
      edges: ["x>s", "s>f", "s>y"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.first", "input in0>0.m.identity", "input in0>0.m.last", "0.m.last>output output"]);
  });

  it("names what a call reads without being given it", () => {
    // m.a.inner returns a, and leaves h behind, which m.b.inner uses.
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "x", "a"],
        ["m.a.inner", 1, "x", "h"],
        ["m.b", 0, "a", "y"],
        ["m.b.inner", 3, "a", "y"],
      ],
      edges: ["x>h", "h>a", "a>y", "h>y"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.a", "0.m.a>inside 0.h", "0.m.a>0.m.b", "!inside 0.h>0.m.b", "0.m.b>output output"]);
    expect(edgesOf(flow, 3)).toEqual(["input in0>0.m.b.inner", "!outside 0.h>0.m.b.inner", "0.m.b.inner>output output"]);
    const apart = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "x", "a"],
        ["m.a.inner", 1, "x", "h"],
        ["m.c", 0, "x", "c"],
        ["m.b", 0, "c", "y"],
      ],
      edges: ["x>h", "h>a", "x>c", "c>y", "h>y"],
    });
    expect(edgesOf(apart, 0)).toEqual([
      "input in0>0.m.a",
      "input in0>0.m.c",
      "0.m.a>inside 0.h",
      "0.m.c>0.m.b",
      "!inside 0.h>0.m.b",
      "0.m.b>output output",
    ]);
  });

  it("knows what was computed where from the recorder's note", () => {
    // aux is at no port; it was made in m.a and is added in m.
    const described: Described = {
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "x", "a"],
        ["m.b", 0, "x", "b"],
      ],
      edges: ["x>a", "x>aux", "x>b", "aux>y", "b>y"],
    };
    expect(edgesOf(flowFrom({ ...described, madeIn: { aux: "m.a" } }), 0)).toEqual(
      expect.arrayContaining(["0.m.a>inside 0.aux", "inside 0.aux>output output"]),
    );
    expect(edgesOf(flowFrom({ ...described, madeIn: { aux: "m" } }), 0)).toEqual(
      expect.arrayContaining(["input in0>tensor 0.aux", "tensor 0.aux>output output"]),
    );
  });

  it("keeps a skip connection around a block whose first operation changes its input in place", () => {
    // h = first(x); y = h + block(h), where block begins with ReLU(inplace=True).
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.first", 0, "x", "h"],
        ["m.block", 0, "h", "b"],
        ["m.block.0", 2, "h", "m.block.0:output"],
        ["m.block.1", 2, "m.block.0:output", "b"],
      ],
      edges: ["x>h", "h>m.block.0:output", "m.block.0:output>b", "m.block.0:output>y", "b>y"],
    });
    expect(edgesOf(flow, 0)).toEqual([
      "input in0>0.m.first",
      "0.m.first>0.m.block",
      "0.m.block>inside 0.m.block.0:output",
      "0.m.block>output output",
      "inside 0.m.block.0:output>output output",
    ]);
  });

  it("has a node for a tensor that was registered in the module", () => {
    // In m: h = a(x), s = h + 1, both registered; y = b(s). In b: y, which it returns.
    const described: Described = {
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "x", "h"],
        ["m.b", 0, "s", "y"],
      ],
      edges: ["x>h", "h>s", "s>y"],
    };
    const flow = flowFrom({ ...described, madeIn: { h: "m", s: "m", y: "m.b" } });
    expect(edgesOf(flow, 0)).toEqual([
      "input in0>0.m.a",
      "0.m.a>tensor 0.h",
      "tensor 0.h>tensor 0.s",
      "tensor 0.s>0.m.b",
      "0.m.b>output output",
    ]);
    expect(edgesOf(flow, 1)).toEqual(["input in0>output output"]);
    // What the recorder itself named after a port is no node.
    const unnamed = flowFrom({ ...described, edges: ["x>h", "h>m.b: input", "m.b: input>s", "s>y"], madeIn: { "m.b: input": "m" } });
    expect(edgesOf(unnamed, 0)).toEqual(["input in0>0.m.a", "0.m.a>0.m.b", "0.m.b>output output"]);
  });

  it("says where no gradient flows", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "ids", "y z"],
        ["m.embed", 0, "ids", "e"],
        ["m.fc", 0, "e", "y"],
        ["m.detached", 0, "d", "z"],
      ],
      edges: ["ids-e", "w>e", "e>y", "e-d", "d-z"],
      types: { w: "parameter", ids: "input" },
    });
    expect(edgesOf(flow, 0)).toEqual([
      "input in0-0.m.embed",
      "0.m.embed>0.m.fc",
      "0.m.embed-0.m.detached",
      "0.m.fc>output output",
      "0.m.detached-output output[1]",
    ]);
  });

  it("has no gradient through whole numbers, wherever they are handed on", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "ids x", "y"],
        ["m.keep", 0, "ids x", "ids x"],
        ["m.embed", 0, "ids", "e"],
        ["m.ignore", 0, "ids x", ""],
        ["m.fc", 0, "e x", "y"],
      ],
      edges: ["ids-e", "w>e", "e>y", "x>y"],
      types: { w: "parameter", ids: "input", x: "input" },
      discrete: ["ids"],
    });
    expect(edgesOf(flow, 0)).toEqual([
      "input in0-0.m.keep",
      "input in1>0.m.keep",
      "0.m.keep-0.m.embed",
      "0.m.keep>0.m.ignore",
      "0.m.keep>0.m.fc",
      "0.m.embed>0.m.fc",
      "0.m.fc>output output",
    ]);
    // In the module that hands them on, and outside all.
    expect(edgesOf(flow, 1)).toEqual(["input in0-output output", "input in1>output output[1]"]);
    expect(edgesOf(flow, OUTERMOST)).toContain("input 0.ids-0.m");
  });

  it("has no gradient through an input of which nothing is computed that has one", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.keep", 0, "x", "x"],
        ["m.fc", 0, "x", "y"],
      ],
      edges: ["x-y"],
      types: { x: "input" },
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0-0.m.keep", "0.m.keep-0.m.fc", "0.m.fc-output output"]);
    expect(edgesOf(flow, 1)).toEqual(["input in0-output output"]);
  });

  it("takes a state of an earlier iteration for something from outside", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.cell", 0, "x h", "y"],
      ],
      edges: ["x>y", "h>y"],
      earlier: ["h"],
      madeIn: { h: "m" },
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.cell", "outside -1.h>0.m.cell", "0.m.cell>output output"]);
  });

  it("has one node for a tensor that is given at several places", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x x x", "y"],
        ["m.a", 0, "x", "y"],
      ],
      edges: ["x>y"],
    });
    const { nodes } = levelOf(flow, 0);
    expect(nodes.map(({ key, ports }) => `${key}: ${ports.length}`)).toEqual(["input in0: 3", "0.m.a: 0", "output output: 1"]);
  });

  it("follows what is handed on unchanged where there is no graph", () => {
    const { calls, layout, network } = materialOf(RESIDUAL);
    const flow = flowOf(calls, null, layout, network, ITERATION);
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.norm", "0.m.norm>0.m.mlp"]);
  });

  it("ends where a damaged graph goes in circles", () => {
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "p", "y"],
      ],
      edges: ["p>q", "q>p", "x>q"],
    });
    expect(edgesOf(flow, 0)).toEqual(["input in0>0.m.a", "0.m.a>output output"]);
  });

  it("has only edges that lead on, whatever the graph says", () => {
    // A later call's result goes into an earlier one: nonsense, but no circle.
    const flow = flowFrom({
      calls: [
        ["m", -1, "x", "y"],
        ["m.a", 0, "b", "a"],
        ["m.b", 0, "a", "b"],
      ],
      edges: ["a>b", "b>a"],
    });
    const { edges } = levelOf(flow, 0);
    expect(edges.every(({ from, to }) => from < to)).toBe(true);
  });
});
