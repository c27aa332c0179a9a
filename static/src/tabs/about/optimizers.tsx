/** The tracked optimizers, with the settings of their groups. */

import type { Network } from "../../data/format/types";
import { TableFrame, TableHead } from "../../ui/controls/table_frame";
import { grouped } from "../../ui/text/format";
import { settingsText } from "../../ui/text/training_text";

export function Optimizers({ network }: { network: Network }) {
  if (network.optimizers === null) {
    return (
      <p class="soft">
        No optimizer is tracked: <code class="mono">recorder.track_optimizers(optimizer)</code> tracks one.
      </p>
    );
  }
  return (
    <TableFrame name="Optimizers">
      <table data-testid="optimizers">
        <TableHead columns={["Name", "Type", "Group", "Parameters", "Settings when tracking began"]} numbers={["Parameters"]} />
        <tbody>
          {network.optimizers.flatMap((optimizer) =>
            optimizer.groups.map((group, k) => (
              <tr key={`${optimizer.name}/${k}`}>
                <td>
                  <bdi>{optimizer.name}</bdi>
                </td>
                <td>
                  <bdi>{optimizer.type}</bdi>
                </td>
                <td>
                  {k + 1} of {optimizer.groups.length}
                </td>
                <td class="number">{grouped(group.parameters.length)}</td>
                <td dir="auto">{settingsText(group)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </TableFrame>
  );
}
