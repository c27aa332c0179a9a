/**
 * Writes how many lines of each module the tests run, for tests/coverage_table.py: `node coverage.mjs FILE FOLDER`.
 *
 * Vitest has written into coverage/coverage-final.json which lines there are and which its tests run. The browser tests have written into
 * FOLDER which characters of dist/viewer.js they run: `pytest --viewer-coverage`. A line is run if either ran a statement that begins on it. The
 * bundler joins statements, so that the first part that is left of a statement stands for it.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { bundleOwn } from "./bundling.mjs";

const [output, folder] = process.argv.slice(2);
const inBrowser = await placesInBrowser();
const files = {};
for (const { path, statementMap, s } of Object.values(JSON.parse(await readFile("coverage/coverage-final.json", "utf8")))) {
  const name = relative(".", path);
  const places = (inBrowser.get(name) ?? []).sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = new Map();
  for (const [id, { start, end }] of Object.entries(statementMap)) {
    const first = places.find((place) => !isBefore(place, start));
    // Without a column, it ends where its line does.
    const runs = first?.isRun === true && isBefore(first, { ...end, column: end.column ?? Infinity });
    lines.set(start.line, lines.get(start.line) || s[id] > 0 || runs);
  }
  const run = [...lines.values()].filter(Boolean).length;
  files[join("static", name)] = { summary: { covered_lines: run, num_statements: lines.size } };
}
await writeFile(output, JSON.stringify({ files }));

function isBefore(a, b) {
  return a.line < b.line || (a.line === b.line && a.column < b.column);
}

/** By file, where the parts of dist/viewer.js begin in the sources, and whether a browser test has run them. */
async function placesInBrowser() {
  const { text, map } = await bundleOwn();
  const viewer = await readFile("dist/viewer.js", "utf8");
  const begin = viewer.indexOf(text);
  if (begin < 0) {
    throw new Error("dist/viewer.js is not what static/src makes. Run `npm run build`, then the browser tests again.");
  }
  const runs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  const sources = new SourceMap(map);
  const places = new Map();
  for (const [row, { index, 0: generated }] of [...text.matchAll(/.*\n/g)].entries()) {
    for (let at = 0; at < generated.length; at += 1) {
      const { generatedLine, generatedColumn, originalSource, originalLine, originalColumn } = sources.findEntry(row, at);
      if (generatedLine === row && generatedColumn === at) {
        const isRun = runs.some((run) => run[begin + index + at] === 1);
        places.set(originalSource, places.get(originalSource) ?? []);
        places.get(originalSource).push({ line: originalLine + 1, column: originalColumn, isRun });
      }
    }
  }
  return places;
}
