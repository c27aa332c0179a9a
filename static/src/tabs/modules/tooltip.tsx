/** The node under the pointer, in words. */

import { Tooltip } from "../../kits/graph/tooltip";
import { BADGE_WORDS } from "../../state/badges/badges";
import { shapeText } from "../../ui/text/format";
import type { Hover } from "./drawing/canvas";
import type { DrawnLevel } from "./drawing/level_drawing";
import type { Port } from "./levels/call_graph";
import { rowOf } from "./levels/keys";
import type { Scene } from "./levels/scene";

const PORTS = 4;

export function ModuleTooltip({ scene, drawn, hover: { item, x, y } }: { scene: Scene; drawn: DrawnLevel; hover: Hover }) {
  const shown = drawn.items[item];
  if (shown === undefined) {
    return null;
  }
  const row = scene.flow === null || shown.node.kind !== "call" ? null : rowOf(scene.flow, shown.node.key);
  const call = row === null ? undefined : scene.flow?.calls[row];
  return (
    <Tooltip testid="module-tooltip" isColumn x={x} y={y}>
      <strong>{shown.kind === "single" ? shown.node.module || shown.node.title : shown.title}</strong>
      <span>{shown.subtitle}</span>
      {call !== undefined && call.description !== "" && <span>{call.description}</span>}
      {call !== undefined && <Shapes scene={scene} title="in" ports={call.inputs} />}
      {call !== undefined && <Shapes scene={scene} title="out" ports={call.outputs} />}
      {shown.badges.length > 0 && <span>{shown.badges.map((badge) => BADGE_WORDS[badge]).join(", ")}</span>}
      {shown.kind !== "single" && <span>click to unfold</span>}
      {shown.kind === "single" && shown.node.hasCalls && <span>double click to look inside</span>}
    </Tooltip>
  );
}

function Shapes({ scene, title, ports }: { scene: Scene; title: string; ports: readonly Port[] }) {
  const texts = ports.map((port) => `${port.path} ${portText(scene, port)}`);
  const more = texts.length > PORTS ? ` and ${texts.length - PORTS} more` : "";
  return texts.length === 0 ? null : (
    <span>
      {title}: {texts.slice(0, PORTS).join(", ")}
      {more}
    </span>
  );
}

/** The shape of a tensor, or what it was instead. */
function portText({ flow, layout }: Scene, port: Port): string {
  const tensor = flow?.records[port.record]?.tensor ?? -1;
  return port.record < 0 ? port.text : shapeText(layout.tensors.shape[tensor] ?? []);
}
