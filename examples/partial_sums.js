// Draws the sums of the inputs so far, which the tutorial network should be computing.
// Each sequence has a line, with the network's answer at its end.
//
//     comgra-export build recordings --visualization examples/partial_sums.js
//
// docs/visualization.md describes what `draw` receives.

const WIDTH = 720;
const HEIGHT = 320;
const MARGIN = 56;
const LABEL_HEIGHT = 15;

comgraVisualize("Partial sums of the inputs", async ({ element, selection, data, signal }) => {
  const helpers = data.tensors().filter(({ node }) => node === "helper_partial_sums");
  if (helpers.length === 0) {
    element.replaceChildren("This step has no partial sums: select another one.");
    return;
  }
  const last = data.iterations() - 1;
  const aggregation = selection.aggregation === "has_no_batch_dimension" ? "batch_mean" : selection.aggregation;
  const wanted = { iteration: last, recording: "forward", aggregation };
  const sums = await Promise.all(helpers.map(({ name }) => data.values(name, wanted)));
  const output = await data.values("output", wanted);
  if (!signal.aborted) {
    element.replaceChildren(chart(sums, output));
  }
});

function chart(sums, output) {
  const largest = Math.max(1e-9, ...sums.flatMap((row) => [...row].map(Math.abs)));
  const x = (k) => MARGIN + (k * (WIDTH - 2 * MARGIN)) / Math.max(1, sums.length - 1);
  const y = (value) => HEIGHT / 2 - (value / largest) * (HEIGHT / 2 - MARGIN);
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, role: "img" });
  svg.append(make("title", {}, `Sums of ${sums.length} inputs in ${output.length} sequences`));
  svg.append(make("line", { x1: MARGIN, x2: WIDTH - MARGIN, y1: y(0), y2: y(0), stroke: "currentColor", "stroke-opacity": 0.4 }));
  const heights = spreadLabels([...output].map((_, sequence) => y(sums.at(-1)[sequence])));
  output.forEach((answer, sequence) => {
    const color = getComputedStyle(document.documentElement).getPropertyValue(`--curve-${sequence % 12}`);
    const points = sums.map((row, k) => `${x(k)},${y(row[sequence])}`).join(" ");
    svg.append(make("polyline", { points, fill: "none", stroke: color, "stroke-width": 2 }));
    const end = sums.at(-1)[sequence];
    const isRight = answer > 0.5 === end > 0;
    const label = `${answer.toFixed(2)} ${isRight ? "\u2713" : "\u2717"}`;
    const right = WIDTH - MARGIN;
    svg.append(make("line", { x1: right, x2: right + 8, y1: y(end), y2: heights[sequence], stroke: color }));
    svg.append(make("text", { x: right + 10, y: heights[sequence] + 4, fill: color, "font-size": 12 }, label));
  });
  svg.append(make("text", { x: MARGIN, y: HEIGHT - 8, fill: "currentColor", "font-size": 12 }, "input by input; behind each line, the network's answer to \u201cis the sum positive?\u201d"));
  return svg;
}

// Returns heights for labels, in the order given. They are as near to `wanted` as possible without overlap.
function spreadLabels(wanted) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  const room = Math.min(LABEL_HEIGHT, (HEIGHT - 2 * LABEL_HEIGHT) / Math.max(1, wanted.length));
  const heights = [...wanted];
  // Push each label below the one before it, then push labels up from the lowest place that fits.
  order.forEach((k, place) => (heights[k] = Math.max(wanted[k], place === 0 ? -Infinity : heights[order[place - 1]] + room)));
  order.reverse().forEach((k, place) => (heights[k] = Math.min(heights[k], place === 0 ? HEIGHT - 2 * LABEL_HEIGHT : heights[order[place - 1]] - room)));
  return heights;
}

function make(name, attributes, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, value);
  }
  node.textContent = text;
  return node;
}
