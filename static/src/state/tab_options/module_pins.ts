/** The modules that stay in sight, by their full names, in the order in which they are shown. They are in the address. */

import { readNames, writeNames } from "../address/name_list";
import type { Store } from "../store";

/** Names that the network lacks may be among them: the address of another recording may have brought them. */
export function pinnedModules(store: Store): string[] {
  return readNames(store.view.value.get("panels"));
}

/** Pins a module behind those that are pinned already, or at a place among them. A pinned module stays where it is. */
export function pinModule(store: Store, name: string, place?: number): void {
  const names = pinnedModules(store);
  if (name !== "" && !names.includes(name)) {
    names.splice(place ?? names.length, 0, name);
    write(store, names);
  }
}

export function unpinModule(store: Store, name: string): void {
  write(
    store,
    pinnedModules(store).filter((other) => other !== name),
  );
}

/** Moves a pinned module to a place among all pinned ones, counted from 0; beyond the first or the last, it becomes that one. */
export function movePin(store: Store, name: string, place: number): void {
  const names = pinnedModules(store);
  if (names.includes(name)) {
    const others = names.filter((other) => other !== name);
    others.splice(Math.max(0, place), 0, name);
    write(store, others);
  }
}

function write(store: Store, names: readonly string[]): void {
  store.setView("panels", writeNames(names));
}
