/** How the layers of a flow are laid out, as the address says it: channel, alignment, zoom and the neighbourhood mode of each. */

/** All places of a dimension side by side, or at every cell the place with the largest magnitude. */
export type Place = number | "all" | "strongest";

export interface LayerView {
  /** The place on each dimension before the last two; only the last of these may be no number. */
  page: readonly Place[];
  /** By how many cells the layer is moved, so that layers of different padding line up. */
  rowOffset: number;
  columnOffset: number;
  /** How often it is halved into sub-lattices, of which one is shown. */
  zoom: number;
  /** Whether the nine channels are the neighbours of each cell. */
  neighbours: boolean;
}

const MOST_ZOOM = 12;
export const MOST_OFFSET = 99;
const NEIGHBOURS = 9;

/** What `all` shows at most. */
const MOST_SIDE_BY_SIDE = 256;

export function usualView(shape: readonly number[]): LayerView {
  const page = shape.slice(0, -2).map((size, k, pages): Place => (k === pages.length - 1 && size > 1 ? "strongest" : 0));
  return { page: shape.length < 3 ? [] : page, rowOffset: 0, columnOffset: 0, zoom: 0, neighbours: false };
}

/** Whether a layer can be shown as cells with nine neighbours each. */
export function canBeNeighbours(shape: readonly number[]): boolean {
  return shape.length === 3 && shape[0] === NEIGHBOURS;
}

export function canStandSideBySide(shape: readonly number[]): boolean {
  const channels = shape.at(-3) ?? 1;
  return channels > 1 && channels <= MOST_SIDE_BY_SIDE;
}

/** The largest useful zoom: the sub-lattices still have two rows or two columns. */
export function mostZoom(shape: readonly number[]): number {
  const longest = shape.length < 2 ? 0 : Math.max(shape.at(-2)!, shape.at(-1)!);
  return Math.min(MOST_ZOOM, Math.max(0, Math.ceil(Math.log2(Math.max(1, longest))) - 1));
}

/** Reads the views of all layers from `0.3_r1_c-2_z1;_n;`: one part per layer, each with its page and what else is not as usual. */
export function readLayerViews(text: string | undefined, shapes: readonly (readonly number[])[]): LayerView[] {
  const parts = (text ?? "").split(";");
  return shapes.map((shape, k) => readView(parts[k] ?? "", shape));
}

/** Null where all are as usual. */
export function writeLayerViews(views: readonly LayerView[], shapes: readonly (readonly number[])[]): string | null {
  const text = views.map((view, k) => writeView(view, shapes[k]!)).join(";");
  return /^;*$/.test(text) ? null : text.replace(/;+$/, "");
}

function readView(text: string, shape: readonly number[]): LayerView {
  const [page = "", ...parts] = text.split("_");
  const usual = usualView(shape);
  const whole = (letter: string, low: number, high: number): number => {
    const option = parts.find((part) => part.startsWith(letter) && /^-?\d{1,3}$/.test(part.slice(1)));
    return Math.max(low, Math.min(high, Number(option?.slice(1) ?? 0)));
  };
  return {
    page:
      page === ""
        ? usual.page
        : usual.page.map((_, k) => readPlace(page.split(".")[k] ?? "", shape[k]!, k === usual.page.length - 1, shape)),
    rowOffset: whole("r", -MOST_OFFSET, MOST_OFFSET),
    columnOffset: whole("c", -MOST_OFFSET, MOST_OFFSET),
    zoom: whole("z", 0, mostZoom(shape)),
    neighbours: parts.includes("n") && canBeNeighbours(shape),
  };
}

function readPlace(text: string, size: number, isLast: boolean, shape: readonly number[]): Place {
  if (isLast && text === "*" && canStandSideBySide(shape)) {
    return "all";
  }
  if (isLast && text === "^") {
    return "strongest";
  }
  return /^\d{1,9}$/.test(text) && Number(text) < size ? Number(text) : 0;
}

function writeView({ page, rowOffset, columnOffset, zoom, neighbours }: LayerView, shape: readonly number[]): string {
  const places = page.map((place) => (place === "all" ? "*" : place === "strongest" ? "^" : String(place))).join(".");
  const usual = usualView(shape)
    .page.map((place) => (place === "strongest" ? "^" : String(place)))
    .join(".");
  return [
    places === usual ? "" : places,
    ...(rowOffset === 0 ? [] : [`r${rowOffset}`]),
    ...(columnOffset === 0 ? [] : [`c${columnOffset}`]),
    ...(zoom === 0 ? [] : [`z${zoom}`]),
    ...(neighbours ? ["n"] : []),
  ].join("_");
}
