/** Which part of each drawing a note shows: by the names of the drawings, as one text in the address. */

/** Says which part of a drawing is in view; null where that is all of it, or what the page chooses by itself. */
export type ReadZoom = () => string | null;

/** Reads `12,-5,0.75;picture:2,0.5,0.5`: a part without a name is that of the graph of tensors. */
export function readZooms(text: string | undefined): Map<string, string> {
  const parts = (text ?? "").split(";").filter((part) => part !== "");
  return new Map(
    parts.map((part) => {
      const colon = part.indexOf(":");
      return colon < 0 ? ["", part] : [unescaped(part.slice(0, colon)), part.slice(colon + 1)];
    }),
  );
}

/** Null where there are none. */
export function writeZooms(zooms: ReadonlyMap<string, string>): string | null {
  return zooms.size === 0 ? null : [...zooms].map(([name, zoom]) => (name === "" ? zoom : `${escaped(name)}:${zoom}`)).join(";");
}

/** So many finite numbers with commas between them; null if it is anything else. */
export function readNumbers(text: string | null, count: number): number[] | null {
  const numbers = (text ?? "").split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null;
}

export function writeNumbers(numbers: readonly number[], digits = 5): string {
  return numbers.map((number) => Number(number.toPrecision(digits))).join(",");
}

function escaped(text: string): string {
  return text.replace(/[%;:]/g, encodeURIComponent);
}

function unescaped(text: string): string {
  return text.replace(/%3B|%3A|%25/gi, decodeURIComponent);
}
