/**
 * Builds dist/viewer.js, dist/viewer.css and dist/drawing_frame.js, which are committed so that installing the package needs no Node.
 *
 * The script is one IIFE that works from file://, without modules: first the libraries as they are published, minified; then our own
 * code without spaces and comments, since every page carries it, but with its names, so that an error says where it comes from.
 * Everything is ASCII, so that it means the same whatever encoding a page is read with.
 */

import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { bundleOwn, bundleText, PREACT_MODULES } from "./bundling.mjs";

const VENDORED = [
  { from: "node_modules/cytoscape/dist/cytoscape.min.js", to: "vendor/cytoscape.min.js" },
  { from: "node_modules/uplot/dist/uPlot.iife.min.js", to: "vendor/uPlot.iife.min.js" },
  { from: "node_modules/uplot/dist/uPlot.min.css", to: "vendor/uPlot.min.css" },
];

/** Libraries in the page, for vendor/LICENSES.txt. */
const LIBRARIES = ["cytoscape", "uplot", "preact", "@preact/signals", "@preact/signals-core", "d3-sankey", "d3-array"];

await mkdir("dist", { recursive: true });
await mkdir("vendor", { recursive: true });
await rm("dist/.placeholder", { force: true });
await Promise.all(VENDORED.map(({ from, to }) => copyFile(from, to)));
await writeFile("vendor/preact.min.js", await bundlePreact());
await writeFile("vendor/d3-sankey.min.js", await bundleSankey());
await writeFile("vendor/LICENSES.txt", await licences());
const vendored = await Promise.all(
  ["cytoscape.min.js", "uPlot.iife.min.js", "d3-sankey.min.js", "preact.min.js"].map((name) => read(`vendor/${name}`)),
);
await writeFile("dist/viewer.js", inOnePiece(...vendored, (await bundleOwn()).text));
await writeFile("dist/drawing_frame.js", ascii(await bundleText({ entryPoints: ["src/frame/main.ts"], minify: true }), "drawing_frame.js"));
await writeFile("dist/viewer.css", await bundleStyle());

/** Preact comes in several modules; the page needs them in one. */
async function bundlePreact() {
  const imports = PREACT_MODULES.map((name, k) => `import * as m${k} from ${JSON.stringify(name)};`).join("\n");
  const exported = PREACT_MODULES.map((name, k) => `${JSON.stringify(name)}: m${k}`).join(", ");
  return bundleText({
    stdin: { contents: `${imports}\nexport default { ${exported} };`, resolveDir: "." },
    globalName: "modules",
    minify: true,
    footer: { js: "modules=modules.default;" },
  });
}

/** The parts of d3-sankey that place nodes and links, with the parts of d3-array that they need. The viewer draws the links. */
async function bundleSankey() {
  return bundleText({ stdin: { contents: 'export { sankey } from "d3-sankey";', resolveDir: "." }, globalName: "d3Sankey", minify: true });
}

async function bundleStyle() {
  const result = await build({ entryPoints: ["src/styles/viewer.css"], bundle: true, write: false, charset: "ascii", logLevel: "warning" });
  return ascii(result.outputFiles[0].text, "viewer.css");
}

/**
 * Cytoscape and uPlot would each leave a global behind; here they become members of `vendor`. They run when they are first used: opening a
 * page waits for none of them. Most pages show a graph first, so its function is in brackets: browsers compile it at once, and read it once.
 */
function inOnePiece(cytoscape, uPlot, sankey, preact, own) {
  return ascii(
    `(() => {
const vendor = {};
const later = (load) => { let loaded; return () => (loaded ??= load()); };
vendor.cytoscape = later((function () { const module = { exports: {} }, exports = module.exports;
${cytoscape}
return module.exports; }));
vendor.uPlot = later(() => {
${uPlot}
return uPlot; });
vendor.d3Sankey = later(() => {
${sankey}
return d3Sankey; });
vendor.modules = (() => {
${preact}
return modules; })();
${own}})();
`,
    "viewer.js",
  );
}

/** Typographic quotes in comments become plain; anything else that is not ASCII can only stand in a string or a pattern. */
function ascii(text, name) {
  const escaped = text
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
    .replace(/[^\x00-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const unsafe = /<\/script|<!--|<\/style/i.exec(escaped);
  if (unsafe !== null) {
    throw new Error(`${name} holds ${unsafe[0]}, which cannot stand inside a page.`);
  }
  return escaped;
}

async function licences() {
  const parts = await Promise.all(
    LIBRARIES.map(async (name) => {
      const { version, homepage, license } = JSON.parse(await read(`node_modules/${name}/package.json`));
      const text = (await read(`node_modules/${name}/LICENSE`)).trim();
      return `${name} ${version} (${license})${homepage ? `, ${homepage}` : ""}\n\n${text}\n`;
    }),
  );
  const intro = "The viewer in every page (static/dist/viewer.js and viewer.css) contains these libraries.\n";
  return [intro, ...parts].join(`\n${"-".repeat(78)}\n\n`);
}

function read(path) {
  return readFile(path, "utf8");
}
