/** Checks what comes from a frame: it may hold anything, since the author's scripts run there. What is not understood is left out. */

import type { Picture, Request, Wanted } from "../../frame/messages";

const CALLS: ReadonlySet<unknown> = new Set<Request["call"]>(["statistics", "values", "curves"]);
const MOST_PICTURES = 100;
const MOST_LETTERS = 50_000_000;
/** In pixels. */
const LARGEST = 20_000;

/** The height that a frame asks for, in pixels. */
export function heightIn(message: unknown): number | null {
  const height = isObject(message) ? message.height : undefined;
  return typeof height === "number" && Number.isFinite(height) ? height : null;
}

export function requestIn(message: unknown): Request | null {
  if (!isObject(message) || message.kind !== "request" || !CALLS.has(message.call)) {
    return null;
  }
  const { id, view, call, tensor, wanted } = message;
  if (typeof id !== "number" || typeof view !== "number" || typeof tensor !== "string" || !isObject(wanted)) {
    return null;
  }
  return { kind: "request", id, view, call: call as Request["call"], tensor, wanted: wantedIn(wanted) };
}

export function picturesIn(message: unknown): Picture[] | null {
  if (!isObject(message) || message.kind !== "pictures" || !Array.isArray(message.pictures)) {
    return null;
  }
  return message.pictures.slice(0, MOST_PICTURES).filter(isPicture);
}

function wantedIn({ iteration, recording, aggregation }: Record<string, unknown>): Wanted {
  return {
    ...(typeof iteration === "number" && { iteration }),
    ...(typeof recording === "string" && { recording }),
    ...(typeof aggregation === "string" && { aggregation }),
  };
}

function isPicture(value: unknown): value is Picture {
  return (
    isObject(value) &&
    typeof value.title === "string" &&
    typeof value.svg === "string" &&
    value.svg.length <= MOST_LETTERS &&
    [value.width, value.height].every((size) => typeof size === "number" && size >= 0 && size <= LARGEST)
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
