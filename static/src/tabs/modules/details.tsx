/** What is known of the selected node, or of the module that is looked into. */

import { useMemo } from "preact/hooks";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { useDetailsOnPaper } from "../../ui/figure/printed_details";
import { counted, grouped } from "../../ui/text/format";
import { type ModuleNode, moduleTree } from "../../ui/text/module_tree";
import type { Actions } from "./actions";
import { Buffers, Parameters } from "./details_of_parameters";
import { Ports } from "./details_of_ports";
import type { DrawnItem, DrawnLevel } from "./drawing/level_drawing";
import { type Call, callSuffix } from "./levels/call_graph";
import { rowOf } from "./levels/keys";
import type { LevelNodeKind } from "./levels/level";
import type { Scene } from "./levels/scene";

interface Props {
  store: Store;
  scene: Scene;
  drawn: DrawnLevel | null;
  selected: number;
  actions: Actions;
}

export function Details(props: Props) {
  useDetailsOnPaper("modules", () => <Content {...props} />);
  return (
    <aside class="module-details" data-testid="module-details" aria-label="Details">
      <Content {...props} />
    </aside>
  );
}

function Content({ store, scene, drawn, selected, actions }: Props) {
  const item = drawn?.items[selected];
  return item === undefined ? (
    <OfOpen store={store} scene={scene} />
  ) : (
    <OfItem store={store} scene={scene} item={item} drawn={drawn!} selected={selected} actions={actions} />
  );
}

function OfOpen({ store, scene }: { store: Store; scene: Scene }) {
  const { flow, row } = scene;
  const call = flow?.calls[row ?? -1];
  return call === undefined ? <p class="soft">Select a node to see its details.</p> : <OfCall store={store} scene={scene} call={call} />;
}

function OfItem({ store, scene, item, drawn, selected, actions }: Props & { item: DrawnItem; drawn: DrawnLevel }) {
  const { node, kind, members } = item;
  const row = scene.flow === null || node.kind !== "call" ? null : rowOf(scene.flow, node.key);
  const call = row === null ? undefined : scene.flow?.calls[row];
  return (
    <>
      {kind !== "single" ? (
        <>
          <h2>
            <bdi>{item.title}</bdi>
          </h2>
          <p>
            {kind === "row"
              ? `${counted(members.length, "module")} in a row, with the same type, settings and parts.`
              : `${counted(members.length, "node")} in sequence.`}
          </p>
          <ul class="module-members">
            {members.map((member) => (
              <li key={member}>
                <bdi>{drawn.level.nodes[member]!.title}</bdi>
              </li>
            ))}
          </ul>
        </>
      ) : call !== undefined ? (
        <OfCall store={store} scene={scene} call={call} />
      ) : (
        <OfTensor store={store} scene={scene} item={item} />
      )}
      {drawn.level.steps > 1 && kind === "single" && (
        <p data-testid="module-often">
          Found on {grouped(node.steps)} of {counted(drawn.level.steps, "step")}.
        </p>
      )}
      <Neighbours
        title="Reads from"
        drawn={drawn}
        actions={actions}
        edges={drawn.links.filter(({ to }) => to === selected).map((link) => ({ ...link, item: link.from }))}
      />
      <Neighbours
        title="Read by"
        drawn={drawn}
        actions={actions}
        edges={drawn.links.filter(({ from }) => from === selected).map((link) => ({ ...link, item: link.to }))}
      />
    </>
  );
}

interface NeighboursProps {
  title: string;
  drawn: DrawnLevel;
  actions: Actions;
  edges: readonly { item: number; carriesGradient: boolean; direct: boolean; steps: number }[];
}

function Neighbours({ title, drawn, actions, edges }: NeighboursProps) {
  return edges.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="module-neighbours">
        {edges.map(({ item, carriesGradient, direct, steps }) => {
          const remarks = [
            ...(carriesGradient ? [] : ["no gradient"]),
            ...(direct ? ["read directly"] : []),
            ...(steps < drawn.level.steps ? [`in ${grouped(steps)} of ${counted(drawn.level.steps, "step")}`] : []),
          ];
          return (
            <li key={item}>
              <Button class="link" onClick={() => actions.select(item)}>
                <bdi>{drawn.items[item]!.title}</bdi>
              </Button>
              {remarks.length > 0 && <span class="soft"> {remarks.join(", ")}</span>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const KINDS: Readonly<Record<LevelNodeKind, string>> = {
  input: "An input.",
  output: "An output.",
  outside: "A tensor from elsewhere. The module reads it directly; it is not an input.",
  inside:
    "A tensor from inside a module that does not return it. An attribute holds it, or the module changed its input in place: then this is what the input holds now.",
  tensor: "A tensor that was registered here.",
  call: "Not called in this iteration.",
};

function OfTensor({ store, scene, item: { node } }: { store: Store; scene: Scene; item: DrawnItem }) {
  const ports = scene.nodes.find(({ key }) => key === node.key)?.ports ?? [];
  return (
    <>
      <h2>
        <bdi>{node.title}</bdi>
      </h2>
      <p class="soft">{ports.length === 0 && node.kind !== "call" ? "Not in this iteration." : KINDS[node.kind]}</p>
      {ports.length > 0 && <Ports store={store} scene={scene} title="Tensor" ports={ports} />}
    </>
  );
}

function OfCall({ store, scene, call }: { store: Store; scene: Scene; call: Call }) {
  const {
    flow,
    material: { network },
  } = scene;
  const calls = flow?.calls.filter(({ module }) => module === call.module).length ?? 0;
  const trees = useMemo(() => moduleTree(network), [network]);
  const tree = nodeOf(trees, call.module);
  return (
    <>
      <h2>
        <bdi>
          {call.name}
          {callSuffix(call.number)}
        </bdi>
      </h2>
      <p>
        <bdi>{call.type}</bdi>, {call.training ? "in training mode" : "in evaluation mode"}
        {calls > 1 && `, call ${call.number + 1} of ${calls} in this iteration`}
      </p>
      {call.raised && <p class="module-raised">This call ended with an exception.</p>}
      {call.description !== "" && <p class="mono">{call.description}</p>}
      <Ports store={store} scene={scene} title="Inputs" ports={call.inputs} />
      <Ports store={store} scene={scene} title="Outputs" ports={call.outputs} inputs={call.inputs} />
      {tree !== undefined && <Parameters store={store} scene={scene} tree={tree} />}
      <Buffers store={store} scene={scene} module={call.name} />
    </>
  );
}

function nodeOf(nodes: readonly ModuleNode[], id: number): ModuleNode | undefined {
  for (const node of nodes) {
    const match = node.id === id ? node : nodeOf(node.children, id);
    if (match !== undefined) {
      return match;
    }
  }
  return undefined;
}
