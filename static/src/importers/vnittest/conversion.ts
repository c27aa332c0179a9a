/** The data of vnittest as the data of a page: one trial with one step, its tensors and its gradient flows. */

import type { ReportFile } from "../../data/report_file";
import { BundleWriter } from "./bundle_writer";
import type { VnittestData } from "./checking";
import { flowsOf, writeFlow } from "./flow_conversion";
import { layersOf } from "./layers";
import { writeStep } from "./step";

/** `title` is that of the page, and the name of the trial. */
export function pageOf(data: VnittestData, title: string): ReportFile {
  const gaps = [...data.gaps];
  const writer = new BundleWriter();
  const layers = layersOf(data, gaps);
  const tensors = layers.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
  const firstLayer = layers.findIndex(({ role }) => role === "layer");
  const flows = flowsOf(data, gaps).map(({ named, pairs }) => writeFlow(writer, named, layers, firstLayer, pairs));
  const step = writeStep(writer, data, tensors, gaps.length);
  const document = (content: unknown): number => writer.document(content);
  return writer.finish({
    generator: "this page, from files for vnittest",
    title,
    description: "",
    group: "vnittest",
    ...step.sets,
    trials: [
      {
        name: title,
        rank: 0,
        steps: step.columns,
        network: document({ modules: [], parameters: [], optimizers: null }),
        notes: document([]),
        curves: document([]),
        findings: -1,
        gaps: document(gaps.map(({ layer, reason }) => ({ step: 0, iteration: null, group: null, tensor: layer, reason }))),
        flows: document(flows),
      },
    ],
    about: { recordings: [{ trial: title, writer: "files for vnittest" }], omissions: [], problems: [] },
  });
}
