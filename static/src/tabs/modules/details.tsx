/** What is known of the selected node, or of the module that is looked into. */

import { useMemo } from "preact/hooks";
import { withOption } from "../../state/address/view_options";
import { FORWARD } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { useDetailsOnPaper } from "../../ui/figure/printed_details";
import { PATTERNS } from "../../ui/text/attention_patterns";
import { counted, grouped, shapeText } from "../../ui/text/format";
import { type ModuleNode, moduleTree, nameWithin, type Parameter, parametersAt, partsWithParameters } from "../../ui/text/module_tree";
import type { Actions } from "./actions";
import type { DrawnItem, DrawnLevel } from "./drawing/level_drawing";
import { GradientThroughCall } from "./gradient_through_call";
import type { Call, Port } from "./levels/call_graph";
import { callSuffix } from "./levels/displayed_level";
import { type LevelNodeKind, rowOf } from "./levels/level";
import type { Scene } from "./levels/scene";
import { PartsLine } from "./parts_line";
import { TensorNumbers } from "./tensor_numbers";

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

interface PortsProps {
  store: Store;
  scene: Scene;
  title: string;
  ports: readonly Port[];
  /** For outputs, the inputs, which are listed before: a call may return what it is given. */
  inputs?: readonly Port[];
}

/** As what a tensor is listed before; undefined where this is the first time. */
function listedBefore(port: Port, ports: readonly Port[], inputs: readonly Port[]): string | undefined {
  const isSame = ({ record }: Port): boolean => record >= 0 && record === port.record;
  const input = inputs.find(isSame)?.path;
  return input === undefined ? ports.slice(0, ports.indexOf(port)).find(isSame)?.path : input === "input" ? input : `input ${input}`;
}

function Ports({ store, scene, title, ports, inputs = [] }: PortsProps) {
  return ports.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="module-tensors">
        {ports.map((port, k) => {
          const record = scene.flow?.records[port.record];
          const sameAs = listedBefore(port, ports, inputs);
          return (
            <li key={k}>
              {record === undefined ? (
                <>
                  <bdi>{port.path}</bdi> <span class="mono">{port.text}</span>
                </>
              ) : (
                <Tensor
                  store={store}
                  scene={scene}
                  tensor={record.tensor}
                  label={port.path}
                  name={record.name}
                  pattern={PATTERNS.get(port.meaning ?? "")}
                  sameAs={sameAs}
                />
              )}
              {record !== undefined && sameAs === undefined && port.gradient >= 0 && (
                <GradientThroughCall store={store} scene={scene} tensor={record.tensor} gradient={port.gradient} />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface TensorProps {
  store: Store;
  scene: Scene;
  tensor: number;
  label: string;
  name: string;
  /** Which pattern of attention it is, in words, if it is one. */
  pattern?: string | undefined;
  /** As what the same tensor is listed before, with what is known of it. */
  sameAs?: string | undefined;
}

/** A tensor's device, if it is not the default one. */
const deviceText = (device: string | null): string => (device === null || device === "cpu" ? "" : ` ${device}`);

/** A tensor with its shape and dtype, linked to the graph of tensors if it is there; an attention pattern to its picture. */
function Tensor({ store, scene, tensor, label, name, pattern, sameAs }: TensorProps) {
  const { layout, material } = scene;
  const { shown, open } = material;
  const { iteration, recording } = shown.selection;
  const offer = tensor < 0 ? undefined : open.offers.of(iteration).find((candidate) => candidate.tensor === tensor);
  const shape = layout.tensors.shape[tensor];
  const show = (): void => {
    if (offer !== undefined) {
      const own = pattern === undefined && offer.recordings.includes(recording) ? recording : FORWARD;
      const view = pattern === undefined ? store.view.value : withOption(store.view.value, "pane", "picture");
      store.open({ tab: "tensors", selection: { ...shown.selection, node: offer.node, role: offer.role, recording: own }, view });
    }
  };
  return (
    <>
      {offer === undefined ? (
        <bdi>{label}</bdi>
      ) : (
        <Button class="link" title={`Show ${name} ${pattern === undefined ? "" : "as a picture "}on the Tensors tab`} onClick={show}>
          <bdi>{label}</bdi>
        </Button>
      )}
      {sameAs !== undefined && (
        <span class="soft">
          {" "}
          the same tensor as <bdi>{sameAs}</bdi>
        </span>
      )}
      {sameAs === undefined && shape !== undefined && (
        <span class="soft">
          {" "}
          {shapeText(shape)} {layout.tensors.dtype[tensor]}
          {deviceText(layout.tensors.device[tensor] ?? null)}
        </span>
      )}
      {pattern !== undefined && <div class="soft">{pattern}</div>}
      {sameAs === undefined && tensor >= 0 && <TensorNumbers store={store} scene={scene} tensor={tensor} />}
    </>
  );
}

function Parameters({ store, scene, tree }: { store: Store; scene: Scene; tree: ModuleNode }) {
  const { tensors } = scene.layout;
  const { network, calls } = scene.material;
  const called = new Set(calls?.calls.module);
  const parameters = parametersAt(network, tree.id, called);
  const place = ({ name, alias_of }: Parameter): number =>
    tensors.name.findIndex((own, k) => tensors.iteration[k] === -1 && (own === name || own === alias_of));
  return tree.values === 0 && parameters.length === 0 ? null : (
    <>
      <h3>Parameters</h3>
      <p class="soft">
        {grouped(tree.values)} values{tree.children.length > 0 && ", including those of its submodules"}
        {tree.trainable < tree.values && `, ${grouped(tree.trainable)} of them trainable`}
      </p>
      <ul class="module-tensors">
        {parameters.map((parameter) => (
          <li key={parameter.name}>
            <Tensor
              store={store}
              scene={scene}
              tensor={place(parameter)}
              label={nameWithin(tree.name, parameter.name)}
              name={parameter.name}
            />
            {place(parameter) < 0 && (
              <span class="soft">
                {" "}
                {shapeText(parameter.shape)} {parameter.dtype}
              </span>
            )}
            {parameter.alias_of !== null && (
              <span class="soft">
                {" "}
                shared with <bdi>{parameter.alias_of}</bdi>
              </span>
            )}
            {!parameter.requires_grad && <span class="soft"> frozen</span>}
          </li>
        ))}
      </ul>
      <PartsLine
        store={store}
        network={network}
        module={tree.id}
        hasOwn={parameters.length > 0}
        parts={partsWithParameters(network, tree.id, called)}
        where="details"
      />
    </>
  );
}

/** Buffers are in no graph, so that they cannot be selected. */
function Buffers({ store, scene, module }: { store: Store; scene: Scene; module: string }) {
  const { tensors } = scene.layout;
  const own = [...tensors.name.keys()].filter((k) => tensors.node[k] === module && tensors.role[k]!.startsWith("buffer "));
  return own.length === 0 ? null : (
    <>
      <h3>Buffers</h3>
      <ul class="module-tensors">
        {own.map((k) => (
          <li key={k} title="Buffers are not in the graph of tensors, so their values cannot be selected.">
            <bdi>{tensors.role[k]!.slice("buffer ".length)}</bdi>{" "}
            <span class="soft">
              {shapeText(tensors.shape[k]!)} {tensors.dtype[k]}
            </span>
            <TensorNumbers store={store} scene={scene} tensor={k} />
          </li>
        ))}
      </ul>
    </>
  );
}
