/** Keeps the drawing in step with what is selected. The same graph is never drawn anew: only its selection changes. */

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import { areLabelsReadable, fitsClose } from "../../../../kits/graph/labels";
import { measureText } from "../../../../kits/graph/measure_text";
import { type Palette, readPalette } from "../../../../kits/graph/palette";
import { CLOSE, fittingZoom, type Placement } from "../../../../kits/graph/placement";
import type { Badge } from "../../../../state/badges/badges";
import { themeColor, themeName } from "../../../../ui/theme";
import { type Room, useSize } from "../../../../ui/use_size";
import type { NodeColor } from "../coloring/coloring";
import type { DifferingEdge } from "../compare/differing_edges";
import { type Window, windowAround } from "../layout/columns";
import { type Layout, looksLike, MOST_NODES } from "../layout/layout";
import type { Neighbours } from "../layout/relations";
import { type Trace, tracedEdges, withGroups } from "../layout/trace";
import { GraphCanvas, type Hover } from "./canvas";
import { drawnEdges } from "./drawn_edges";
import { faintEdges } from "./faint_edges";
import { placeGraph } from "./place_graph";

/** Connections that are drawn at most, of a trace or faintly; more would take too long, and hide one another. */
const MOST_EDGES = 400;

export interface Drawing {
  graph: Graph;
  layout: Layout;
  /** What is selected: a node, or the group that holds it; -1 where it is left out. */
  selected: number;
  /** The connections of the selected item, by the numbers of items. */
  neighbours: Neighbours;
  /** Names of the nodes that have numbers of the recording type shown. */
  recorded: ReadonlySet<string>;
  /** By nodes. */
  trace: Trace | null;
  /** By items; null where they have the colours of their types. */
  colors: readonly (NodeColor | undefined)[] | null;
  /** Short texts on the corners of items. */
  marks: ReadonlyMap<number, string>;
  /** What is wrong with items. */
  badges: ReadonlyMap<number, readonly Badge[]>;
  /** Connections that only one of two graphs has. */
  differences: readonly DifferingEdge[];
  onSelect: (item: number) => void;
  onExpand: (group: number) => void;
}

export interface Drawn {
  container: RefObject<HTMLDivElement | null>;
  canvas: GraphCanvas | null;
  palette: Palette;
  window: Window;
  placement: Placement;
  hover: Hover | null;
  /** Shows what is around an item, until something else is selected. */
  lookAt: (item: number) => void;
}

export function useCanvas(drawing: Drawing): Drawn {
  const { graph, layout, selected, neighbours, recorded, trace, colors, marks, badges, differences } = drawing;
  const { items } = layout;
  const [container, size] = useSize();
  const latest = useRef(drawing);
  latest.current = drawing;
  const [canvas, setCanvas] = useState<GraphCanvas | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const { window, placement, lookedAt, lookAt } = useWindow(graph, layout, selected, size);
  const theme = themeName.value;
  const palette = useMemo(() => readPalette(themeColor), [theme]);

  useLayoutEffect(() => {
    if (container.current === null) {
      return undefined;
    }
    const callbacks = {
      onSelect: (item: number): void => latest.current.onSelect(item),
      onExpand: (group: number): void => latest.current.onExpand(group),
      onHover: setHover,
    };
    const created = new GraphCanvas(container.current, callbacks, palette);
    setCanvas(created);
    return () => created.destroy();
  }, []);
  useLayoutEffect(() => canvas?.setPlacement(placement, selected), [canvas, placement]);
  useLayoutEffect(() => canvas?.setSelection(selected, neighbours), [canvas, placement, selected, neighbours]);
  useLayoutEffect(() => {
    const traced = trace === null ? [] : tracedEdges(graph, trace, items, (item) => window.shown.has(item), MOST_EDGES);
    canvas?.setEdges(drawnEdges(placement, selected, neighbours, traced, differences));
  }, [canvas, placement, selected, neighbours, trace, differences]);
  useLayoutEffect(() => canvas?.setFaintEdges(faintEdges(graph, items, placement, MOST_EDGES)), [canvas, placement]);
  useLayoutEffect(() => canvas?.setTrace(trace && withGroups(trace, items)), [canvas, placement, trace]);
  useLayoutEffect(() => canvas?.setColors(colors), [canvas, placement, colors]);
  useLayoutEffect(() => canvas?.setMarks(marks), [canvas, marks]);
  useLayoutEffect(() => canvas?.setBadges(badges), [canvas, badges]);
  useLayoutEffect(() => {
    const isRecorded = (node: number): boolean => recorded.has(graph.nodes.name[node] ?? "");
    canvas?.setRecorded((item) => (items.groups.get(item)?.members ?? [item]).some(isRecorded));
  }, [canvas, placement, recorded]);
  useLayoutEffect(() => canvas?.setPalette(palette), [canvas, palette]);
  useLayoutEffect(() => {
    if (lookedAt !== null) {
      canvas?.centerOn(lookedAt.item);
    }
  }, [canvas, lookedAt]);
  return { container, canvas, palette, window, placement, hover, lookAt };
}

interface LookedAt {
  item: number;
  layout: Layout;
  selected: number;
}

/** A part of a graph, and how it is drawn: wide, or close where that is needed. */
interface Placed {
  layout: Layout;
  window: Window;
  wide: Placement;
  close: Placement | null;
}

/** The part of the graph to draw; it stays where it is as long as that is enough. */
function useWindow(graph: Graph, layout: Layout, selected: number, size: Room) {
  const [wanted, setWanted] = useState<LookedAt | null>(null);
  const last = useRef<Placed | null>(null);
  const { columns } = layout;
  const lookedAt = wanted !== null && wanted.selected === selected && looksLike(wanted.layout, layout) ? wanted : null;
  const before = last.current !== null && looksLike(last.current.layout, layout) ? last.current : null;
  const window = windowAround(columns, lookedAt?.item ?? selected, before?.window ?? null, MOST_NODES);
  if (before?.window !== window) {
    last.current = { layout, window, wide: placeGraph(graph, layout, window, measureText), close: null };
  }
  return {
    window,
    placement: placementFor(last.current!, graph, size),
    lookedAt,
    lookAt: (item: number) => setWanted({ item, layout, selected }),
  };
}

/** Close where so all names can be read with the whole graph in view, and wide in any other case. */
function placementFor(placed: Placed, graph: Graph, size: Room): Placement {
  if (size.width === 0 || areLabelsReadable(fittingZoom(placed.wide, size))) {
    return placed.wide;
  }
  placed.close ??= placeGraph(graph, placed.layout, placed.window, measureText, CLOSE);
  return fitsClose(fittingZoom(placed.close, size)) ? placed.close : placed.wide;
}
