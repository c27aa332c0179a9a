/** Opens the files of vnittest in the page: `flow_info.pkl` and what lies beside it, as a person drops them together. */

import type { ReportFile } from "../../data/report_file";
import { ForeignDataError } from "../pickles/errors";
import { readNpy } from "../pickles/npy";
import type { NumpyArray } from "../pickles/numpy_array";
import { readPickle } from "../pickles/pickle";
import { checkFiles } from "./checking";
import { pageOf } from "./conversion";

const FLOW_INFO = "flow_info.pkl";
const PICTURES = ["input_representation.npy", "target_representation.npy"] as const;

/** A file as the browser gives it. */
export interface GivenFile {
  readonly name: string;
  arrayBuffer: () => Promise<ArrayBuffer>;
}

/** Whether a file of this name is one of vnittest's, with any beginning. */
export function isOfVnittest(name: string): boolean {
  return [FLOW_INFO, ...PICTURES].some((end) => name.endsWith(end));
}

/** Rejects with `ForeignDataError`, in words for the person. */
export async function openVnittest(files: readonly GivenFile[]): Promise<ReportFile> {
  const pickles = files.filter(({ name }) => name.endsWith(FLOW_INFO));
  const [pickle] = pickles;
  if (pickle === undefined || pickles.length > 1) {
    throw new ForeignDataError(
      `Drop one ${FLOW_INFO}, together with input_representation.npy and target_representation.npy of the same beginning.`,
    );
  }
  const prefix = pickle.name.slice(0, -FLOW_INFO.length);
  const picture = async (end: string): Promise<NumpyArray | null> => {
    const file = files.find(({ name }) => name === prefix + end);
    return file === undefined ? null : readNpy(new Uint8Array(await file.arrayBuffer()), file.name);
  };
  const flowInfo = readPickle(new Uint8Array(await pickle.arrayBuffer()), pickle.name);
  const [input, target] = await Promise.all(PICTURES.map(picture));
  return pageOf(checkFiles({ flowInfo, input: input ?? null, target: target ?? null }), prefix.replace(/[-_. ]+$/, "") || "vnittest");
}
