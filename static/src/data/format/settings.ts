/** Hyperparameters, and settings of optimizers. */

import { number, object } from "./checks";

/** A hyperparameter, or a setting of an optimizer. */
export type Setting = number | boolean | string | null;
export const setting = (value: unknown, where: string): Setting =>
  value === null || typeof value === "boolean" || typeof value === "string" ? value : number(value, where);

/** Built from entries, so that a key such as __proto__ is a key. */
export function settings(value: unknown, where: string): Record<string, Setting> {
  return Object.fromEntries(Object.entries(object(value, where)).map(([key, item]) => [key, setting(item, where)]));
}
