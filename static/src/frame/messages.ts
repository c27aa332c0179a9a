/** What the page and the frame of the author's drawings send each other. The page checks all that comes from the frame. */

import type { Curve, TensorType } from "../data/format/types";

export interface TensorDescription {
  name: string;
  /** -1 for parameters and initial values. */
  iteration: number;
  node: string;
  role: string;
  type: TensorType;
  /** With the batch dimension, if there is one. */
  shape: readonly number[];
  batchDimension: number | null;
  dtype: string;
}

export interface StepDescription {
  step: number;
  type: string;
  batchSize: number;
}

/** What is left out is as it is selected. */
export interface Wanted {
  iteration?: number;
  recording?: string;
  aggregation?: string;
}

/** To the frame: what is selected now, and what can be said of it at once. */
export interface ViewMessage {
  kind: "view";
  /** Requests name it. */
  number: number;
  selection: object;
  steps: StepDescription[];
  iterations: number;
  tensors: TensorDescription[];
  dark: boolean;
  contrast: boolean;
}

/** From the frame: numbers that a drawing asks for. */
export interface Request {
  kind: "request";
  id: number;
  /** The view in which it asks. */
  view: number;
  call: "statistics" | "values" | "curves";
  tensor: string;
  wanted: Wanted;
}

/** To the frame: numbers, or why there are none. */
export interface Answer {
  kind: "answer";
  id: number;
  value?: Record<string, number> | Float64Array | readonly Curve[];
  error?: string;
}

/** A drawing as an SVG, for paper. */
export interface Picture {
  title: string;
  /** In pixels. */
  width: number;
  height: number;
  /** Empty where the drawing cannot be copied. */
  svg: string;
}

/** From the frame: its drawings as they are now. */
export interface Pictures {
  kind: "pictures";
  pictures: Picture[];
}
