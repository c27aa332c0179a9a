/** Lists of names in the address: names may hold the comma that is between them. */

export function escaped(text: string): string {
  return text.replace(/[%,]/g, encodeURIComponent);
}

export function unescaped(text: string): string {
  return text.replace(/%2C|%25/gi, decodeURIComponent);
}

/** Null where there are none. */
export function writeNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.map(escaped).join(",");
}

/** Each name once, in their order. */
export function readNames(text: string | undefined): string[] {
  const parts = (text ?? "").split(",").filter((part) => part !== "");
  return [...new Set(parts.map(unescaped))];
}
