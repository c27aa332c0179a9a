/** Keeps the drawing in step with what is selected. The same graph is never drawn anew: only its selection changes. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { TENSOR_TYPES, type Graph } from "../../data/types";
import { themeColor, themeName } from "../theme";
import { GraphCanvas, type Hover } from "./canvas";
import { windowAround, type Window } from "./columns";
import type { Coloring } from "./coloring";
import type { Palette } from "./decorations";
import { FONT_SIZE, placeGraph } from "./placement";
import { shapeKey, type Neighbours } from "./relations";
import { tracedEdges, type Trace } from "./trace";

/** Connections of a trace that are drawn at most; more would take too long, and hide one another. */
export const MOST_TRACED_EDGES = 400;

export interface Drawing {
  graph: Graph;
  /** Positions of nodes in the graph. */
  selected: number;
  neighbours: Neighbours;
  /** Names of the nodes that have numbers of the recording type shown. */
  recorded: ReadonlySet<string>;
  trace: Trace | null;
  /** Null where nodes have the colours of their types. */
  coloring: Coloring | null;
  /** Short texts on the corners of nodes. */
  marks: ReadonlyMap<number, string>;
  onSelect: (name: string) => void;
}

export interface Drawn {
  container: RefObject<HTMLDivElement | null>;
  canvas: GraphCanvas | null;
  window: Window;
  hover: Hover | null;
}

export function useCanvas(drawing: Drawing): Drawn {
  const { graph, selected, neighbours, recorded, trace, coloring, marks } = drawing;
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef(drawing);
  latest.current = drawing;
  const [canvas, setCanvas] = useState<GraphCanvas | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const key = shapeKey(graph);
  const window = useWindow(graph, selected, key);
  const theme = themeName.value;

  useLayoutEffect(() => {
    if (container.current === null) {
      return undefined;
    }
    const onSelect = (node: number): void => latest.current.onSelect(latest.current.graph.nodes.name[node] ?? "");
    const created = new GraphCanvas(container.current, { onSelect, onHover: setHover }, readPalette(themeColor));
    setCanvas(created);
    return () => created.destroy();
  }, []);
  useLayoutEffect(() => canvas?.setPlacement(placeGraph(graph, window, measureText), selected), [canvas, key, window]);
  useLayoutEffect(() => canvas?.setSelection(selected, neighbours), [canvas, key, window, selected, neighbours]);
  useLayoutEffect(() => {
    const edges = trace === null ? [] : tracedEdges(graph, trace, (node) => window.shown.has(node), MOST_TRACED_EDGES);
    canvas?.setTrace(trace, edges);
  }, [canvas, key, window, selected, neighbours, trace]);
  useLayoutEffect(() => canvas?.setColors(coloring?.nodes ?? null), [canvas, key, window, coloring]);
  useLayoutEffect(() => canvas?.setMarks(marks), [canvas, marks]);
  useLayoutEffect(() => canvas?.setRecorded((node) => recorded.has(graph.nodes.name[node] ?? "")), [canvas, key, window, recorded]);
  useLayoutEffect(() => canvas?.setPalette(readPalette(themeColor)), [canvas, theme]);
  return { container, canvas, window, hover };
}

/** The part of the graph to draw; it stays where it is as long as that is enough. */
function useWindow(graph: Graph, selected: number, key: string): Window {
  const last = useRef<{ key: string; window: Window } | null>(null);
  const before = last.current?.key === key ? last.current.window : null;
  const window = windowAround(graph, selected, before);
  last.current = { key, window };
  return window;
}

/** The colours of a graph, by the names that they have in the style sheet. */
export function readPalette(color: (name: string) => string): Palette {
  const byType = (part: string) => Object.fromEntries(TENSOR_TYPES.map((type) => [type, color(`${type}-${part}`)])) as Palette["fill"];
  return {
    fill: byType("fill"),
    line: byType("line"),
    text: color("text"),
    heading: color("text-soft"),
    selected: color("selected"),
    neighbour: color("neighbour"),
    background: color("surface"),
    bad: color("bad"),
  };
}

let measuring: CanvasRenderingContext2D | null = null;

function measureText(text: string): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (measuring === null) {
    return text.length * FONT_SIZE * 0.6;
  }
  measuring.font = `${FONT_SIZE}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}
