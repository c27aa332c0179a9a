/**
 * Which room of the viewer may import which: arrows lead down this list, and no two files import each other in a circle, types included.
 * CONTRIBUTING.md shows the list as a table.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  data: [],
  frame: ["data"],
  importers: ["data"],
  state: ["data"],
  ui: ["data", "state"],
  kits: ["data", "state", "ui"],
  tabs: ["data", "frame", "state", "ui", "kits"],
  page: ["data", "importers", "state", "ui", "kits", "tabs"],
  "main.tsx": ["data", "state", "ui", "tabs", "page"],
};

/** Rooms whose folders do not import each other. */
const APART = ["kits", "tabs"];

const MOST_FILES = 20;

const STATIC = join(import.meta.dirname, "..");
const SOURCES = join(STATIC, "src");
const FILES = filesBelow(SOURCES).filter((path) => /\.tsx?$/.test(path));
const IMPORTS = new Map(FILES.map((path) => [path, importsOf(path)]));

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function importsOf(path: string): string[] {
  const names = readFileSync(join(SOURCES, path), "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...names].map(([, name]) => {
    const target = normalize(join(dirname(path), name!));
    const file = [target, `${target}.ts`, `${target}.tsx`].find((candidate) => FILES.includes(candidate));
    if (file === undefined) {
      throw new Error(`${path} imports ${name}, which is no file of the viewer.`);
    }
    return file;
  });
}

/** The first circle of imports that can be reached from a file, or null. */
function circleFrom(path: string, way: readonly string[], done: Set<string>): string[] | null {
  if (way.includes(path)) {
    return [...way.slice(way.indexOf(path)), path];
  }
  if (done.has(path)) {
    return null;
  }
  for (const next of IMPORTS.get(path) ?? []) {
    const circle = circleFrom(next, [...way, path], done);
    if (circle !== null) {
      return circle;
    }
  }
  done.add(path);
  return null;
}

function isAllowed(from: string, to: string): boolean {
  const [[room = "", folder], [otherRoom = "", otherFolder]] = [from.split("/"), to.split("/")];
  return room === otherRoom ? !APART.includes(room) || folder === otherFolder : (MAY_IMPORT[room]?.includes(otherRoom) ?? false);
}

function roomOf(path: string): string {
  return path.split("/")[0]!;
}

describe("the viewer's files", () => {
  it("lie in rooms that this test knows", () => expect(new Set(FILES.map(roomOf))).toEqual(new Set(Object.keys(MAY_IMPORT))));

  it("import from rooms below alone, and no kit or tab from another", () => {
    expect([...IMPORTS].flatMap(([from, all]) => all.filter((to) => !isAllowed(from, to)).map((to) => `${from} -> ${to}`))).toEqual([]);
  });

  it.each(Object.entries(MAY_IMPORT))("of %s import every room that they may import", (room, others) => {
    const used = [...IMPORTS].filter(([from]) => roomOf(from) === room).flatMap(([, all]) => all.map(roomOf));
    expect(others.filter((other) => !used.includes(other))).toEqual([]);
  });

  it("are in the rooms of CONTRIBUTING.md, which may import the same", () => {
    const text = readFileSync(join(STATIC, "..", "CONTRIBUTING.md"), "utf8");
    const [, table = ""] = text.split("Rooms of `static/src/`")[1]!.split("|---|---|---|\n");
    const rows = table
      .split("\n\n")[0]!
      .split("\n")
      .map((row) => row.split("|").map((cell) => cell.trim()));
    const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    expect(rows.map(([, room, , others]) => [names(room!)[0], names(others!)])).toEqual(Object.entries(MAY_IMPORT));
  });

  it("import each other in no circle", () => {
    const done = new Set<string>();
    expect(FILES.map((path) => circleFrom(path, [], done)).find((circle) => circle !== null) ?? []).toEqual([]);
  });

  it.each(["src", "tests"])("are at most twenty in any folder of %s", (root) => {
    const folders = filesBelow(join(STATIC, root)).map((path) => dirname(path));
    expect([...new Set(folders)].filter((folder) => folders.filter((other) => other === folder).length > MOST_FILES)).toEqual([]);
  });
});
