import { describe, expect, it } from "vitest";
import { parseGraph } from "../../../../../src/data/format/documents";
import { type Graph, TENSOR_TYPES, type TensorType } from "../../../../../src/data/format/types";
import { groupsAround } from "../../../../../src/tabs/tensors/graph/fold_buttons";
import { componentsOf } from "../../../../../src/tabs/tensors/graph/layout/connected_components";
import { hiddenInWords, isVisible, readFilter, writeHidden } from "../../../../../src/tabs/tensors/graph/layout/filter";
import {
  ALL_OPEN,
  collapsedInto,
  type Folding,
  fittingLevel,
  isCollapsed,
  openAround,
  readFolding,
  toggled,
  writeFolding,
} from "../../../../../src/tabs/tensors/graph/layout/folding";
import { itemsOf } from "../../../../../src/tabs/tensors/graph/layout/items";
import { layersOf } from "../../../../../src/tabs/tensors/graph/layout/layers";
import { layoutOf, MOST_NODES } from "../../../../../src/tabs/tensors/graph/layout/layout";
import { groupByPrefix, type PrefixTree, prefixTreeOf } from "../../../../../src/tabs/tensors/graph/layout/prefixes";
import { quotientOf } from "../../../../../src/tabs/tensors/graph/layout/quotient";
import { neighboursOf } from "../../../../../src/tabs/tensors/graph/layout/relations";
import { tracedEdges, traceOf, withGroups } from "../../../../../src/tabs/tensors/graph/layout/trace";
import { graphJson } from "../../../../support/bundle_fixture";
import { linksOf, numbersFrom } from "../../../../support/graphs";

/** Nodes in one column each, in the order of their names. */
function graphOf(
  names: readonly string[],
  edges: [number, number][],
  types: readonly TensorType[] = [],
  without_gradient: number[] = [],
): Graph {
  const nodes = names.map((name, column) => ({ name, type: types[column] ?? "calculated", column, row: 0 }));
  const tensors = names.map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 }));
  return parseGraph(graphJson({ nodes, tensors, edges, without_gradient }), "graph");
}

/** A graph without circles, with names of up to four parts. */
function randomGraph(seed: number, count = 40): Graph {
  const next = numbersFrom(seed);
  const names = Array.from({ length: count }, (_, k) => [...Array.from({ length: next(4) }, () => "ab"[next(2)]!), `n${k}`].join("."));
  const types = names.map(() => TENSOR_TYPES[next(5)]!);
  const edges = Array.from({ length: 2 * count }, () => [next(count), next(count)] as const).filter(
    ([a, b]) => a < b && types[b] !== "parameter",
  );
  return graphOf(
    names,
    edges.map(([a, b]) => [a, b]),
    types,
    [...edges.keys()].filter(() => next(3) === 0),
  );
}

/** The groups by definition: sets of at least two names, but not all, that share what stands before a dot. */
function groupsByDefinition(names: readonly string[]): Map<string, Set<number>> {
  const prefixes = new Set(
    names.flatMap((name) =>
      name
        .split(".")
        .slice(1)
        .map((_, k) =>
          name
            .split(".")
            .slice(0, k + 1)
            .join("."),
        ),
    ),
  );
  const bySet = new Map<string, string>();
  for (const prefix of [...prefixes].sort((a, b) => a.length - b.length)) {
    const members = [...names.keys()].filter((k) => names[k] === prefix || names[k]!.startsWith(`${prefix}.`));
    if (members.length > 1 && members.length < names.length) {
      bySet.set(members.join(), prefix);
    }
  }
  return new Map([...bySet].map(([members, prefix]) => [prefix, new Set(members.split(",").map(Number))]));
}

const membersOf = (tree: PrefixTree, group: number): Set<number> =>
  new Set(
    [...tree.groupOf.keys()].filter((node) => {
      let own = tree.groupOf[node]!;
      while (own > 0 && own !== group) {
        own = tree.parent[own]!;
      }
      return own === group;
    }),
  );

const SEEDS = Array.from({ length: 30 }, (_, k) => k);

describe("groups by prefix", () => {
  it("are what names have in common, without those that hold the same nodes or all", () => {
    const tree = groupByPrefix(["model.a.x.q", "model.a.x.k", "model.b.q", "model.b", "model.c.q", "model.c.r.s"]);
    expect(tree.prefix).toEqual(["", "model.a.x", "model.b", "model.c"]);
    expect([...tree.groupOf]).toEqual([1, 1, 2, 2, 3, 3]);
    expect(tree.depth).toEqual([0, 1, 1, 1]);
    expect(groupByPrefix(["a", "b", ".c", ".d"]).prefix).toEqual([""]);
    expect(groupByPrefix([]).prefix).toEqual([""]);
  });

  it("agree with their definition", () => {
    for (const seed of SEEDS) {
      const { name } = randomGraph(seed).nodes;
      const tree = groupByPrefix(name);
      const members = new Map(tree.prefix.slice(1).map((prefix, k) => [prefix, membersOf(tree, k + 1)]));
      expect(members).toEqual(groupsByDefinition(name));
      expect(tree.parent.every((outer, group) => outer < group)).toBe(true);
    }
  });

  it("do not take long for names that are all dots", () => {
    expect(groupByPrefix(Array.from({ length: 50 }, (_, k) => ".".repeat(50_000) + k)).prefix.length).toBeLessThan(30);
  });
});

describe("folding", () => {
  const tree = groupByPrefix(["a.x.p", "a.x.q", "a.y.p", "a.y.q", "b.p", "b.q", "c"]);
  const at = (prefix: string): number => tree.byPrefix.get(prefix)!;

  it("collapses a level, with exceptions, and what lies in a collapsed group with it", () => {
    const inWords = (folding: Folding): string[] => [
      ...new Set([...tree.groupOf].map((group) => tree.prefix[collapsedInto(tree, folding)[group]!]!)),
    ];
    expect(inWords(ALL_OPEN)).toEqual([""]);
    expect(inWords({ level: 1, exceptions: new Set() })).toEqual(["a", "b", ""]);
    expect(inWords({ level: 2, exceptions: new Set() })).toEqual(["a.x", "a.y", ""]);
    expect(inWords({ level: 1, exceptions: new Set(["a"]) })).toEqual(["a.x", "a.y", "b", ""]);
    expect(inWords({ level: 2, exceptions: new Set(["a", "a.x"]) })).toEqual(["a", ""]);
    expect(isCollapsed(tree, { level: 2, exceptions: new Set(["a", "a.x"]) }, at("a.x"))).toBe(false);
  });

  it("is undone by doing it again", () => {
    const once = toggled(tree, ALL_OPEN, at("a.x"));
    expect(isCollapsed(tree, once, at("a.x"))).toBe(true);
    expect(toggled(tree, once, at("a.x"))).toEqual(ALL_OPEN);
  });

  it("opens every group around a node, and no other", () => {
    const folding: Folding = { level: 1, exceptions: new Set() };
    const opened = openAround(tree, folding, tree.groupOf.indexOf(at("a.x")));
    const into = collapsedInto(tree, opened);
    expect([into[at("a")], into[at("a.x")], into[at("b")]]).toEqual([0, 0, at("b")]);
    expect(openAround(tree, opened, tree.groupOf.indexOf(at("a.x")))).toEqual(opened);
  });

  it("finds the groups around a node: what to expand, and what to collapse", () => {
    expect(groupsAround(tree, ALL_OPEN, 0)).toEqual({ inner: 0, outer: at("a.x") });
    expect(groupsAround(tree, toggled(tree, ALL_OPEN, at("a.x")), 0)).toEqual({ inner: at("a.x"), outer: at("a") });
    expect(groupsAround(tree, toggled(tree, ALL_OPEN, at("b")), 4)).toEqual({ inner: at("b"), outer: 0 });
    expect(groupsAround(tree, ALL_OPEN, 6)).toEqual({ inner: 0, outer: 0 });
  });

  it("is kept in the address, whatever the names", () => {
    const folding: Folding = { level: 2, exceptions: new Set(["a,b", "100%2C", "\u00e9.\u4e2d", "__proto__"]) };
    expect(readFolding(writeFolding(folding))).toEqual(folding);
    expect(writeFolding({ level: 0, exceptions: new Set() })).toBe("0");
    expect([undefined, "", "x", "-1", "1e3", ",a"].map(readFolding)).toEqual([null, null, null, null, null, null]);
    expect(readFolding("1,%E0%A4%A")?.exceptions).toEqual(new Set(["%E0%A4%A"]));
  });

  it("fits at the deepest level that leaves few enough", () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const all = prefixTreeOf(graph);
      const drawn = (node: number): boolean => seed % 2 === 0 || node % 3 > 0;
      const left = (level: number): number => {
        const into = collapsedInto(all, { level, exceptions: new Set() });
        const nodes = [...all.groupOf.keys()].filter(drawn);
        return new Set(nodes.map((node) => into[all.groupOf[node]!]! || `node ${node}`)).size;
      };
      for (const most of [1, 5, 12, 30]) {
        const deepest = Math.max(...[...all.groupOf.keys()].filter(drawn).map((node) => all.depth[all.groupOf[node]!]!));
        const fitting = Array.from({ length: deepest }, (_, k) => k + 1).filter((level) => left(level) <= most);
        expect(fittingLevel(all, drawn, most)).toBe(fitting.at(-1) ?? 0);
      }
    }
  });
});

describe("the graph of groups", () => {
  const foldings: Folding[] = [
    ALL_OPEN,
    { level: 1, exceptions: new Set() },
    { level: 1, exceptions: new Set(["a", "b.a"]) },
    { level: 2, exceptions: new Set(["b"]) },
  ];

  it("has the connections of all members, each pair once", () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const filter = readFilter(seed % 2 === 0 ? "loss,input" : "", "");
      for (const folding of foldings) {
        const items = itemsOf(graph, folding, (node) => isVisible(graph, filter, node));
        const expected = new Map<string, boolean>();
        graph.from.forEach((from, k) => {
          const [a, b] = [items.ofNode[from]!, items.ofNode[graph.to[k]!]!];
          if (a >= 0 && b >= 0 && a !== b) {
            expected.set(`${a}-${b}`, expected.get(`${a}-${b}`) === true || !graph.without_gradient.includes(k));
          }
        });
        const { dependents, dependencies, carriesGradient } = quotientOf(graph, items);
        const found = new Map<string, boolean>();
        items.numbers.forEach((item, place) => {
          for (let k = dependents.start[place]!; k < dependents.start[place + 1]!; k++) {
            found.set(`${item}-${items.numbers[dependents.others[k]!]!}`, carriesGradient[k] === 1);
          }
        });
        expect(found).toEqual(expected);
        expect(dependents.others.length).toBe(expected.size);
        const swapped = pairsOf(dependencies).map(([to, from]) => [from, to]);
        expect(new Set(swapped.map(String))).toEqual(new Set(pairsOf(dependents).map(String)));
        for (const node of [0, 7, 31]) {
          const { dependencies: before, dependents: after } = neighboursOf(graph, node, graph.tensors.role[node]!, items);
          const item = items.ofNode[node]!;
          expect(new Set(before.map((other) => `${other.node}-${item}`))).toEqual(
            new Set([...expected.keys()].filter((pair) => pair.endsWith(`-${item}`))),
          );
          expect(new Set(after.map((other) => `${item}-${other.node}`))).toEqual(
            new Set([...expected.keys()].filter((pair) => pair.startsWith(`${item}-`))),
          );
        }
      }
    }
  });

  it("tells the connections of the selected node from those of its group", () => {
    const graph = graphOf(
      ["x", "g.a", "g.b", "y"],
      [
        [0, 1],
        [1, 2],
        [0, 2],
        [2, 3],
      ],
      [],
      [2],
    );
    const items = itemsOf(graph, { level: 1, exceptions: new Set() }, () => true);
    const group = items.ofNode[1]!;
    expect(neighboursOf(graph, 1, "g.a", items)).toEqual({
      dependencies: [{ node: 0, own: true, carriesGradient: true }],
      dependents: [{ node: 3, own: false, carriesGradient: true }],
    });
    expect(neighboursOf(graph, 2, "g.b", items).dependencies).toEqual([{ node: 0, own: true, carriesGradient: false }]);
    expect(neighboursOf(graph, 0, "x", items).dependents).toEqual([{ node: group, own: true, carriesGradient: true }]);
  });

  it("has a group on a trace where a member is on it", () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const items = itemsOf(graph, foldings[seed % 4]!, () => true);
      const trace = traceOf(graph, 20, "both");
      const { sides } = withGroups(trace, items);
      for (const item of items.numbers) {
        const members = [...items.ofNode.keys()].filter((node) => items.ofNode[node] === item);
        expect(sides[item] !== 0).toBe(members.some((node) => trace.sides[node] !== 0));
      }
      const edges = new Set(tracedEdges(graph, trace, items, () => true, 1000).map(({ from, to }) => `${from}-${to}`));
      const expected = graph.from.flatMap((from, k) => {
        const to = graph.to[k]!;
        const [a, b] = [items.ofNode[from]!, items.ofNode[to]!];
        return a !== b && (trace.sides[from]! & trace.sides[to]!) !== 0 ? [`${a}-${b}`] : [];
      });
      expect(edges).toEqual(new Set(expected));
    }
  });
});

describe("columns of groups", () => {
  it("find circles by their definition", () => {
    for (const seed of SEEDS) {
      const next = numbersFrom(seed);
      const links = linksOf(
        12,
        Array.from({ length: 18 }, () => [next(12), next(12)]),
      );
      const reaches = reachesByDefinition(12, links);
      const component = componentsOf(links);
      for (let a = 0; a < 12; a++) {
        for (let b = 0; b < 12; b++) {
          expect(component[a] === component[b]).toBe(a === b || (reaches[a]![b]! && reaches[b]![a]!));
        }
      }
    }
  });

  it("put everything to the right of what it depends on, except within a circle", () => {
    for (const seed of SEEDS) {
      const next = numbersFrom(seed);
      const links = linksOf(14, Array.from({ length: 20 }, () => [next(14), next(14)]).filter(([a, b]) => a !== b) as [number, number][]);
      const items = Array.from({ length: 14 }, (_, k) => ({ type: "calculated" as const, name: `n${k}`, column: next(6) }));
      const columns = layersOf(items, links);
      expect(columns.flat().sort((a, b) => a - b)).toEqual(items.map((_, k) => k));
      const columnOf = new Map(columns.flatMap((column, number) => column.map((item) => [item, number] as const)));
      const reaches = reachesByDefinition(14, links);
      for (const [a, b] of pairsOf(links)) {
        const isBackwards = reaches[b]![a]! && (items[a]!.column - items[b]!.column || a - b) > 0;
        expect(isBackwards || columnOf.get(a)! < columnOf.get(b)!).toBe(true);
      }
    }
  });

  it("are those of the exporter where nothing lies in a circle", () => {
    // By hand, after the rules: inputs, then what follows; parameters just before the first that uses one of them; then the loss.
    const types: TensorType[] = ["input", "calculated", "calculated", "parameter", "parameter", "target", "loss"];
    const items = ["x", "a", "b", "p", "q", "t", "l"].map((name, k) => ({ name, type: types[k]!, column: [0, 1, 3, 2, 2, 4, 5][k]! }));
    expect(
      layersOf(
        items,
        linksOf(7, [
          [0, 1],
          [1, 2],
          [3, 2],
          [4, 2],
          [2, 6],
          [5, 6],
        ]),
      ),
    ).toEqual([[0], [1], [3, 4], [2], [5], [6]]);
  });

  it("stay those of the bundle where nothing is collapsed, without what is hidden", () => {
    const graph = graphOf(
      ["x", "p", "a.b", "a.c"],
      [
        [0, 2],
        [1, 2],
        [2, 3],
      ],
      ["input", "parameter", "calculated", "calculated"],
    );
    const columns = (hide: string, only: string) => layoutOf(graph, null, readFilter(hide, only)).columns;
    expect(columns("", "")).toEqual([[0], [1], [2], [3]]);
    expect(columns("parameter", "")).toEqual([[0], [2], [3]]);
    expect(columns("", "a.")).toEqual([[2], [3]]);
    expect(columns("input,parameter,calculated", "")).toEqual([]);
  });

  it("have headings and labels by prefix, and how many nodes a group has", () => {
    const layout = layoutOf(
      graphOf(
        ["x", "m.a.p", "m.a.q", "m.b.p", "m.b.q"],
        [
          [0, 1],
          [0, 3],
          [1, 2],
          [3, 4],
        ],
      ),
      { level: 2, exceptions: new Set() },
      readFilter("", ""),
    );
    expect(layout.columns.map((column) => column.map((item) => layout.labelOf(item)))).toEqual([["x"], ["a (2)", "b (2)"]]);
    expect(layout.headings).toEqual(["", "m."]);
  });

  it("tell groups in different columns apart", () => {
    const names = [
      "encoder.layer3.p",
      "encoder.layer3.q",
      "m.decoder.layer3.p",
      "m.decoder.layer3.q",
      "n.decoder.layer3.p",
      "n.decoder.layer3.q",
      "other.p",
      "other.q",
    ];
    const layout = layoutOf(
      graphOf(names, [
        [0, 2],
        [2, 4],
        [4, 6],
      ]),
      { level: 1, exceptions: new Set() },
      readFilter("", ""),
    );
    expect(layout.columns.map((column) => column.map((item) => layout.labelOf(item)))).toEqual([
      ["encoder.layer3 (2)"],
      ["m.decoder.layer3 (2)"],
      ["n.decoder.layer3 (2)"],
      ["other (2)"],
    ]);
  });
});

describe("a large graph", () => {
  it("opens collapsed, but not where names have no prefixes in common, nor where a filter leaves little", () => {
    const count = 2 * MOST_NODES;
    const chain = Array.from({ length: count - 1 }, (_, k): [number, number] => [k, k + 1]);
    const nested = graphOf(
      Array.from({ length: count }, (_, k) => `m.layer${k % 20}.n${k}`),
      chain,
    );
    const layout = layoutOf(nested, null, readFilter("", ""));
    expect([layout.items.groups.size, layout.items.numbers.length]).toEqual([20, 20]);
    expect(layoutOf(nested, null, readFilter("", "m.layer3.")).items.groups.size).toBe(0);
    expect(layoutOf(nested, ALL_OPEN, readFilter("", "")).items.groups.size).toBe(0);
    const flat = graphOf(
      Array.from({ length: count }, (_, k) => `n${k}`),
      chain,
    );
    expect(layoutOf(flat, null, readFilter("", "")).items.groups.size).toBe(0);
  });
});

describe("a long graph", () => {
  /** A chain: `x`, the nodes of every group in turn, and `y`. */
  const chainOf = (groups: number, size: number) => {
    const names = ["x", ...Array.from({ length: groups * size }, (_, k) => `m.g${Math.floor(k / size)}.n${k % size}`), "y"];
    return graphOf(
      names,
      names.slice(1).map((_, k): [number, number] => [k, k + 1]),
    );
  };
  const opened = (groups: number, size: number, only = "") => {
    const { items, columns } = layoutOf(chainOf(groups, size), null, readFilter("", only));
    return { groups: [...items.groups.values()].map(({ prefix }) => prefix), columns: columns.length };
  };

  it("opens with groups of which names can be read side by side", () => {
    expect(opened(4, 5)).toEqual({ groups: ["m.g0", "m.g1", "m.g2", "m.g3"], columns: 6 });
  });

  it("stays open where its columns are few", () => {
    expect(opened(2, 5)).toEqual({ groups: [], columns: 12 });
  });

  it("shows all names that a prefix asks for", () => {
    expect(opened(4, 5, "m.g2.")).toEqual({ groups: [], columns: 5 });
    expect(opened(4, 5, "m.")).toEqual({ groups: [], columns: 20 });
  });

  it("may be what is left of one with more groups than a function takes arguments", () => {
    const names = ["x", ...Array.from({ length: 300_000 }, (_, k) => `g${k >> 1}.n${k}`)];
    const nodes = names.map((name, node) => ({ name, type: node === 0 ? "input" : "calculated", column: node, row: 0 }));
    const tensors = names.map((name, node) => ({ name, node, role: name, record_name: name, record_iteration: 0 }));
    const graph = parseGraph(graphJson({ nodes, tensors, edges: [] }), "graph");
    expect(layoutOf(graph, null, readFilter("calculated", "")).columns).toEqual([[0]]);
    // On a machine with other work, longer than the usual limit.
  }, 60_000);

  it("is not collapsed into next to nothing", () => {
    // One level further out, there is only x, m and y.
    expect(opened(20, 2)).toMatchObject({ groups: { length: 20 }, columns: 22 });
    expect(opened(2, 30)).toEqual({ groups: ["m.g0", "m.g1"], columns: 4 });
  });
});

describe("the filter", () => {
  const graph = graphOf(["x", "a.p", "a.q", "a.w", "t"], [], ["input", "calculated", "calculated", "parameter", "target"]);

  it("is put into words", () => {
    const words = (hide: string, only: string) => hiddenInWords(graph, readFilter(hide, only));
    expect(words("", "")).toBe("");
    expect(words("parameter,calculated", "")).toBe("2 calculated tensors, 1 parameter hidden");
    expect(words("parameter", "a.")).toBe("1 parameter, 2 nodes with other names hidden");
  });

  it("is read from an address without trust, and written", () => {
    expect(readFilter("loss,nonsense,__proto__", undefined)).toEqual({ hidden: ["loss"], prefix: "" });
    expect([writeHidden([]), writeHidden(["loss", "input"])]).toEqual([null, "input,loss"]);
  });
});

function pairsOf({ start, others }: { start: Uint32Array; others: Uint32Array }): [number, number][] {
  return [...others].map((other, k) => [[...start.keys()].filter((node) => node + 1 < start.length && start[node]! <= k).at(-1)!, other]);
}

function reachesByDefinition(count: number, links: Parameters<typeof pairsOf>[0]): boolean[][] {
  const reaches = Array.from({ length: count }, () => new Array<boolean>(count).fill(false));
  const pairs = pairsOf(links);
  for (let round = 0; round < count; round++) {
    for (const [a, b] of pairs) {
      for (let from = 0; from < count; from++) {
        reaches[from]![b] ||= from === a || reaches[from]![a]!;
      }
    }
  }
  return reaches;
}
