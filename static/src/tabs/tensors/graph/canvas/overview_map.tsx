/** A small picture of the whole graph in the corner, with the part that is in view; a click or a drag moves the view. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Graph } from "../../../../data/format/types";
import type { Palette } from "../../../../kits/graph/palette";
import type { VisiblePart } from "../../../../kits/graph/viewport";
import { Button } from "../../../../ui/controls/button";
import type { NodeColor } from "../coloring/coloring";
import { firstNode } from "../layout/items";
import type { Layout } from "../layout/layout";
import type { GraphCanvas } from "./canvas";
import { type Frame, frameOf, highest, roomBelow, targetOf } from "./overview";
import type { Drawn } from "./use_canvas";

const WIDTH = 200;
const LARGEST_HEIGHT = 110;
const SMALLEST_HEIGHT = 26;
const PADDING = 4;
/** What the picture needs beside and below itself: the button, and distances. */
const BESIDE = 20;
const BELOW = 44;
const LARGEST_DOT = 5;
const SMALLEST_DOT = 1.2;

interface Props {
  graph: Graph;
  layout: Layout;
  drawn: Drawn;
  colors: readonly (NodeColor | undefined)[] | null;
}

/** Only where not everything is in view. */
export function Overview({ graph, layout, drawn, colors }: Props) {
  const [hidden, setHidden] = useState(false);
  const part = useVisiblePart(drawn.canvas, drawn);
  if (part === null || (part.hasAll && drawn.window.complete)) {
    return null;
  }
  return (
    <div class="overview">
      {!hidden && <OverviewPicture graph={graph} layout={layout} drawn={drawn} colors={colors} part={part} />}
      <Button class="overview-button" testid="overview-toggle" keys="o" pressed={!hidden} title="Key o" onClick={() => setHidden(!hidden)}>
        Overview
      </Button>
    </div>
  );
}

function useVisiblePart(canvas: GraphCanvas | null, drawn: Drawn): VisiblePart | null {
  const [part, setPart] = useState<VisiblePart | null>(null);
  useEffect(() => {
    const update = (): void => setPart(canvas?.view.visiblePart() ?? null);
    update();
    return canvas?.view.onChange(update);
  }, [canvas, drawn.placement]);
  return part;
}

function OverviewPicture({ graph, layout, drawn, colors, part }: Props & { part: VisiblePart }) {
  const { columns } = layout;
  const canvas = useRef<HTMLCanvasElement>(null);
  const rows = highest(columns);
  const wanted = Math.max(SMALLEST_HEIGHT, Math.min(LARGEST_HEIGHT, (LARGEST_DOT + 1) * rows + 2 * PADDING));
  const kept = useRef(wanted);
  const isHeld = useRef(false);
  // What is dragged in keeps its size.
  const height = isHeld.current ? kept.current : fittingHeight(wanted, part, drawn);
  kept.current = height;
  const scale = { x: (WIDTH - 2 * PADDING) / Math.max(1, columns.length), y: Math.min(LARGEST_DOT + 1, (height - 2 * PADDING) / rows) };
  useLayoutEffect(() => {
    if (canvas.current !== null) {
      paintDots(canvas.current, graph, layout, colors, drawn.palette, scale, height);
    }
  }, [drawn.placement, colors, drawn.palette, height]);
  const goTo = (event: PointerEvent): void => {
    const box = canvas.current?.getBoundingClientRect();
    if (box !== undefined) {
      const place = { column: (event.clientX - box.left - PADDING) / scale.x - 0.5, row: (event.clientY - box.top - height / 2) / scale.y };
      const { item, at } = targetOf(place, columns, drawn.window, drawn.placement);
      if (at === null) {
        drawn.lookAt(item);
      } else {
        drawn.canvas?.view.centerAt(at.x, at.y);
      }
    }
  };
  return (
    <div
      class="overview-picture"
      style={{ height: `${height}px` }}
      data-testid="overview"
      role="img"
      aria-label="The whole graph, with the part in view marked. Click to move the view."
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isHeld.current = true;
        goTo(event);
      }}
      onLostPointerCapture={() => (isHeld.current = false)}
      onPointerMove={(event) => event.buttons === 1 && goTo(event)}
    >
      <canvas ref={canvas} />
      <div
        class="overview-view"
        data-testid="overview-view"
        style={viewStyle(frameOf(part, columns, drawn.window, drawn.placement), scale, height)}
      />
    </div>
  );
}

/** Low enough to cover no node, where there is room for that. */
function fittingHeight(wanted: number, part: VisiblePart, { container, placement }: Drawn): number {
  const zoom = (container.current?.clientWidth ?? 0) / (part.right - part.left);
  const room = Math.floor(roomBelow(part, placement.nodes, WIDTH + BESIDE, zoom) - BELOW);
  return room < SMALLEST_HEIGHT ? wanted : Math.min(wanted, room);
}

/** The rectangle of what is in view, within the picture. */
function viewStyle(frame: Frame, scale: { x: number; y: number }, height: number): Record<string, string> {
  const across = (column: number): number => Math.max(0, Math.min(WIDTH, PADDING + (column + 0.5) * scale.x));
  const down = (row: number): number => Math.max(0, Math.min(height, height / 2 + row * scale.y));
  const [left, right, top, bottom] = [across(frame.left), across(frame.right), down(frame.top), down(frame.bottom)];
  return { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` };
}

function paintDots(
  canvas: HTMLCanvasElement,
  graph: Graph,
  layout: Layout,
  colors: Props["colors"],
  palette: Palette,
  scale: { x: number; y: number },
  height: number,
): void {
  const context = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  canvas.width = WIDTH * ratio;
  canvas.height = height * ratio;
  if (context === null) {
    return;
  }
  context.scale(ratio, ratio);
  const size = (room: number): number => Math.max(SMALLEST_DOT, Math.min(LARGEST_DOT, room * 0.8));
  const dot = { width: size(scale.x), height: size(scale.y) };
  layout.columns.forEach((column, number) => {
    const x = PADDING + (number + 0.5) * scale.x - dot.width / 2;
    column.forEach((item, row) => {
      const type = layout.items.groups.get(item)?.type ?? graph.nodes.type[firstNode(layout.items, item)]!;
      context.fillStyle = colors === null ? palette.line[type] : colorOfDot(colors[item], palette);
      context.fillRect(x, height / 2 + (row - (column.length - 1) / 2) * scale.y - dot.height / 2, dot.width, dot.height);
    });
  });
}

function colorOfDot(color: NodeColor | undefined, palette: Palette): string {
  const isBad = color !== undefined && color.sign !== "" && color.sign !== "0";
  return color?.fill ?? (isBad ? palette.bad : palette.neutral);
}
