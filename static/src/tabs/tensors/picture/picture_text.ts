/** What a picture is called. */

import { type Arrangement, axisName, type Page } from "../../../kits/heatmap/board";
import { type Census, rangeInWords } from "../../../kits/heatmap/value_census";
import { grouped, shapeText } from "../../../ui/text/format";
import type { ShownValues } from "../selected_values";

/** Which axes go down, to the right, and from tile to tile. */
export function axesText({ rows, columns, pages }: Arrangement, page: Page): string {
  if (rows === null) {
    return `${columns === null ? "A single value" : `${capitalized(axisName(columns))}, row by row`}`;
  }
  const tiles = page.length > 0 && page.at(-1) === null ? `; tiles: ${axisName(pages.at(-1)!)}` : "";
  return `Down: ${axisName(rows)}; right: ${axisName(columns)}${tiles}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function labelOf(arrangement: Arrangement, census: Census, { shape }: ShownValues): string {
  const special = [
    [census.nan, "NaN"],
    [census.positiveInfinity, "+inf"],
    [census.negativeInfinity, "-inf"],
  ] as const;
  const present = special.filter(([count]) => count > 0).map(([count, name]) => `, ${grouped(count)} ${name}`);
  return `Picture of ${rangeInWords(census)}${present.join("")}; shape ${shapeText(shape)}, rows are ${axisName(arrangement.rows)}`;
}
