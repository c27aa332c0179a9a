/** What can be opened in the page, by the names of files. */

import { DamagedBundleError } from "../../data/format/errors";
import { readReport } from "../../data/report_file";
import { isOfVnittest, openVnittest } from "../../importers/vnittest/open";
import type { Tab } from "../../state/address/url";
import type { OpenedData } from "../../state/loading/replace";

interface Opener {
  /** What it opens, in words. */
  what: string;
  /** Endings of names, as a file chooser takes them. */
  endings: readonly string[];
  accepts: (name: string) => boolean;
  /** The tab on which it is seen; none: the one that is shown. */
  tab?: Tab;
  /** Reads a file, or several that belong together. Rejects in words. */
  open: (files: readonly File[]) => Promise<OpenedData>;
}

/** The first one that accepts all files opens them. */
export const OPENERS: readonly Opener[] = [
  {
    what: "an exported report.html",
    endings: [".html", ".htm"],
    accepts: (name) => /\.html?$/i.test(name),
    open: async ([file, ...others]) => {
      if (others.length > 0) {
        throw new DamagedBundleError("The page shows one report at a time. Drop one file.");
      }
      return readReport(await file!.text());
    },
  },
  {
    what: "the files of vnittest",
    endings: [".pkl", ".npy"],
    accepts: isOfVnittest,
    tab: "flow",
    open: openVnittest,
  },
];

export const ALL_ENDINGS = OPENERS.flatMap((opener) => opener.endings);

/** `an exported report.html or ...`. */
export function openableInWords(): string {
  return OPENERS.map((opener) => opener.what).join(" or ");
}
