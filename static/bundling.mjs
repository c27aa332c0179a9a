/** Bundles scripts with esbuild: for the build, and for the coverage, which asks where each part of our own code comes from. */

import { build } from "esbuild";

export const PREACT_MODULES = ["preact", "preact/hooks", "preact/jsx-runtime", "@preact/signals"];

const TARGET = "es2022";

/** What our own code takes from libraries that run when they are first called. */
const LATER = {
  cytoscape: "export default (options) => vendor.cytoscape()(options);",
  uplot: "export default function (...all) { return new (vendor.uPlot())(...all); }",
  "d3-sankey": "export const sankey = () => vendor.d3Sankey().sankey();",
};

/** Our own code, as it stands in dist/viewer.js, and where each part of it comes from: a source map, which no page has. */
export async function bundleOwn() {
  const libraries = {
    name: "libraries",
    setup(own) {
      const names = new RegExp(`^(${[...Object.keys(LATER), ...PREACT_MODULES].join("|")})$`);
      own.onResolve({ filter: names }, ({ path }) => ({ path, namespace: "library" }));
      own.onLoad({ filter: /.*/, namespace: "library" }, async ({ path }) => ({ contents: await exportsOf(path), loader: "js" }));
    },
  };
  const files = await bundleFiles({
    entryPoints: ["src/main.tsx"],
    outfile: "viewer.js",
    sourcemap: "external",
    plugins: [libraries],
    jsx: "automatic",
    jsxImportSource: "preact",
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const [map, script] = files.sort((a, b) => b.path.length - a.path.length);
  return { text: script.text, map: JSON.parse(map.text) };
}

/** Code that exports what the page's copy of a library does. */
async function exportsOf(name) {
  return LATER[name] ?? `export const { ${Object.keys(await import(name)).join(", ")} } = vendor.modules[${JSON.stringify(name)}];`;
}

export async function bundleText(options) {
  return (await bundleFiles(options))[0].text;
}

async function bundleFiles(options) {
  const result = await build({
    bundle: true,
    write: false,
    format: "iife",
    target: TARGET,
    charset: "ascii",
    legalComments: "inline",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles;
}
