/** Where the parameters of a module are that are shown with its parts. */

import { Fragment } from "preact";
import type { Network } from "../../data/format/types";
import type { Store } from "../../state/store";
import { showModule } from "../../state/tab_options/module_place";
import { Button } from "../../ui/controls/button";
import { counted, elided, grouped } from "../../ui/text/format";
import { nameWithin, type PartsWithParameters } from "../../ui/text/module_tree";

/** Parts that are named; a network may have hundreds. */
const NAMED = 6;
/** Beside the graph, longer names take more than a line. */
const LONGEST_NAME = 28;

interface Props {
  store: Store;
  network: Network;
  module: number;
  /** Whether parameters of its own stand beside this. */
  hasOwn: boolean;
  parts: PartsWithParameters;
  /** What of the parts shows their parameters. */
  where: "details" | "panels";
}

export function PartsLine({ store, network, module, hasOwn, parts: { parts, values }, where }: Props) {
  const named = parts.slice(0, NAMED).map((part) => network.modules[part]!.name);
  const more = parts.length - named.length;
  const last = more > 0 ? "" : ".";
  return parts.length === 0 ? null : (
    <p class="soft parts-line" data-testid="parts-line">
      {!hasOwn && "No parameters of its own. "}Its parts have {counted(values, "parameter value")}, shown in the {where} of
      {named.map((name, k) => (
        <Fragment key={name}>
          {" "}
          <span class="unbroken">
            <Button
              class="link"
              title={`Show ${name} in the graph${where === "panels" ? ", where it can be pinned" : ""}`}
              onClick={() => showModule(store, name)}
            >
              <bdi>{elided(nameWithin(network.modules[module]!.name, name), LONGEST_NAME)}</bdi>
            </Button>
            {k < named.length - 1 ? "," : last}
          </span>
        </Fragment>
      ))}
      {more > 0 && ` and ${grouped(more)} more.`}
    </p>
  );
}
