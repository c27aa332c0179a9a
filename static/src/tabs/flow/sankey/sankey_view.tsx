/** The Sankey diagram on the page: the pointer shows a flow in words, and a click selects. */

import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import type { Flow } from "../../../data/records/flows";
import type { SvgElement } from "../../../ui/figure/svg";
import { themeColor, themeName } from "../../../ui/theme";
import { useSize } from "../../../ui/use_size";
import { nodeName, ribbonInWords } from "../flow_text";
import type { Followed } from "../follow";
import { layOut, REDUCED, type Sankey } from "./sankey";
import { sankeyColors, sankeyDrawing } from "./sankey_drawing";

export interface Pointed {
  layer: number;
  element: number;
}

interface Props {
  flow: Flow;
  followed: Followed;
  selected: { layer: number; elements: ReadonlySet<number> } | null;
  /** Says what is under the pointer; null where nothing is. */
  onSay: (words: string | null) => void;
  /** Names the element that is pointed at; null where none is. */
  onPoint: (pointed: Pointed | null) => void;
  onSelect: (layer: number, element: number) => void;
  onClear: () => void;
}

export function SankeyView({ flow, followed, selected, onSay, onPoint, onSelect, onClear }: Props) {
  const [frame, room] = useSize();
  const theme = themeName.value;
  const diagram = useMemo(
    () => (room.width > 0 && hasFlows(followed) ? layOut(flow, followed, selected, room.width) : null),
    [flow, followed, selected, room.width],
  );
  const drawn = useMemo(
    () => (diagram === null ? [] : sankeyDrawing(flow, diagram, sankeyColors(themeColor)).map(asPage)),
    [diagram, theme],
  );
  const links = diagram?.ribbons.filter(({ kind }) => kind === "flow").length;
  const names = diagram?.columns.map((layer) => flow.layers[layer]!.name).join(", ");
  const onPointerOver = (event: PointerEvent): void => {
    const { ribbon, node, heading } = under(event);
    const pointed = diagram?.nodes[node ?? -1];
    onPoint(pointed?.kind === "element" ? { layer: pointed.layer, element: pointed.element } : null);
    onSay(diagram === null ? null : wordsAt(flow, diagram, { ribbon, node, heading }));
  };
  const onClick = (event: MouseEvent): void => {
    const node = diagram?.nodes[under(event).node ?? -1];
    if (node?.kind === "element") {
      onSelect(node.layer, node.element);
    }
  };
  return (
    <>
      <div
        class="sankey-frame"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label="Sankey diagram; arrow keys scroll a wide diagram, and the list below has the same flows"
        data-testid="sankey-frame"
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            onClear();
          }
        }}
      >
        {diagram === null ? (
          <p class="empty" data-testid="sankey-empty">
            {emptyWords(followed)}
          </p>
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list below the diagram has the same links, and keys lead through it.
          <svg
            class="sankey"
            data-testid="sankey"
            data-ribbons={links}
            width={diagram.width}
            height={diagram.height}
            viewBox={`0 0 ${diagram.width} ${diagram.height}`}
            role="img"
            aria-label={`${links} flows through ${diagram.columns.length} layers: ${names}`}
            onPointerOver={onPointerOver}
            onPointerLeave={() => {
              onPoint(null);
              onSay(null);
            }}
            onClick={onClick}
          >
            {drawn}
          </svg>
        )}
      </div>
      {diagram?.isReduced === true && (
        <p class="flow-key soft" data-testid="flow-reduced">
          {REDUCED}
        </p>
      )}
    </>
  );
}

export function hasFlows({ links, leftOut, residuals }: Followed): boolean {
  return (
    links.length > 0 ||
    leftOut.some((rest) => rest.positive !== 0 || rest.negative !== 0) ||
    residuals.some(({ residual }) => Number.isFinite(residual) && residual !== 0)
  );
}

function emptyWords({ leftOut }: Followed): string {
  return leftOut.some((rest) => rest.nonFinite > 0)
    ? "All flows here are NaN or infinite, so none has a width."
    : "No flow enters or leaves here.";
}

/** What an element passes on and gets, of what is drawn. */
function nodeInWords(flow: Flow, { nodes, ribbons }: Sankey, node: number): string {
  const count = (side: "source" | "target"): number => ribbons.filter((ribbon) => ribbon[side] === node && ribbon.kind === "flow").length;
  return `${nodeName(flow, nodes[node]!)}: ${count("target")} drawn flows into it, ${count("source")} out of it`;
}

function under(event: Event): { ribbon: number | null; node: number | null; heading: number | null } {
  const target = event.target instanceof Element ? event.target : null;
  const read = (attribute: string): number | null => {
    const text = target?.closest(`[${attribute}]`)?.getAttribute(attribute);
    return text === null || text === undefined ? null : Number(text);
  };
  return { ribbon: read("data-ribbon"), node: read("data-node"), heading: read("data-heading") };
}

/** Titles are for files: the page shows at once what is under the pointer. Only the titles of headings stay, which may be cut. */
function asPage({ name, attributes, children }: SvgElement): ComponentChild {
  const shown = children.filter((child) => typeof child === "string" || child.name !== "title" || "data-heading" in attributes);
  return h(name, { ...attributes }, ...shown.map((child) => (typeof child === "string" ? child : asPage(child))));
}

function wordsAt(flow: Flow, diagram: Sankey, { ribbon, node, heading }: ReturnType<typeof under>): string | null {
  if (ribbon !== null) {
    return ribbonInWords(flow, diagram, diagram.ribbons[ribbon]!);
  }
  if (node !== null) {
    return nodeInWords(flow, diagram, node);
  }
  return heading === null ? null : flow.layers[heading]!.name;
}
