/** The data that a drawing gets: what the view holds at once, and numbers as answers of the page. */

import type { Answer, Request, StepDescription, TensorDescription, ViewMessage, Wanted } from "./messages";

/** Documented in `docs/visualization.md`. */
export interface VisualizationData {
  steps(): StepDescription[];
  iterations(): number;
  tensors(): TensorDescription[];
  statistics(tensor: string, wanted?: Wanted): Promise<unknown>;
  values(tensor: string, wanted?: Wanted): Promise<unknown>;
  curves(): Promise<unknown>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let lastId = 0;

export function dataOf({ number, steps, iterations, tensors }: ViewMessage): VisualizationData {
  const ask = (call: Request["call"], tensor: string, wanted: Wanted): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      const request: Request = { kind: "request", id: lastId, view: number, call, tensor: String(tensor), wanted: { ...wanted } };
      parent.postMessage(request, "*");
    });
  return {
    steps: () => structuredClone(steps),
    iterations: () => iterations,
    tensors: () => structuredClone(tensors),
    statistics: (tensor, wanted = {}) => ask("statistics", tensor, wanted),
    values: (tensor, wanted = {}) => ask("values", tensor, wanted),
    curves: () => ask("curves", "", {}),
  };
}

export function take({ id, value, error }: Answer): void {
  const request = waiting.get(id);
  waiting.delete(id);
  error === undefined ? request?.resolve(value) : request?.reject(new Error(error));
}
