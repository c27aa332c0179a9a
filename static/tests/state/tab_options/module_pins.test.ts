import { beforeEach, describe, expect, it } from "vitest";
import type { Bundle } from "../../../src/data/bundle";
import { readLink, writeLink } from "../../../src/state/address/url";
import { Store } from "../../../src/state/store";
import { movePin, pinModule, pinnedModules, unpinModule } from "../../../src/state/tab_options/module_pins";

const EMPTY = { index: { trials: [], structure_sets: [], sample_sets: [] } } as unknown as Bundle;

let store: Store;

beforeEach(() => {
  store = new Store(EMPTY);
});

describe("pinned modules", () => {
  it("stand in the order in which they were pinned, each once", () => {
    expect(pinnedModules(store)).toEqual([]);
    pinModule(store, "net.a");
    pinModule(store, "net.b");
    pinModule(store, "net.a");
    pinModule(store, "");
    expect(pinnedModules(store)).toEqual(["net.a", "net.b"]);
    pinModule(store, "net.c", 1);
    expect(pinnedModules(store)).toEqual(["net.a", "net.c", "net.b"]);
  });

  it("move to a place, and are taken away", () => {
    ["a", "b", "c", "d"].forEach((name) => pinModule(store, name));
    movePin(store, "d", 0);
    expect(pinnedModules(store)).toEqual(["d", "a", "b", "c"]);
    movePin(store, "d", 2);
    expect(pinnedModules(store)).toEqual(["a", "b", "d", "c"]);
    movePin(store, "a", 99);
    movePin(store, "c", -1);
    movePin(store, "missing", 0);
    expect(pinnedModules(store)).toEqual(["c", "b", "d", "a"]);
    unpinModule(store, "d");
    expect(pinnedModules(store)).toEqual(["c", "b", "a"]);
    ["a", "b", "c"].forEach((name) => unpinModule(store, name));
    expect(store.view.value.has("panels")).toBe(false);
  });

  it("are in the address, whatever they are called", () => {
    const names = ["net.a,b", "100%2C", "ü & =#", "net.layers.0"];
    names.forEach((name) => pinModule(store, name));
    const link = readLink(`#${writeLink("tensors", null, store.view.value)}`);
    const other = new Store(EMPTY);
    other.view.value = link?.view ?? new Map();
    expect(pinnedModules(other)).toEqual(names);
  });
});
