/** The inputs and outputs of a call, and the tensors at them. */

import { withOption } from "../../state/address/view_options";
import { FORWARD } from "../../state/selection/selection";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { PATTERNS } from "../../ui/text/attention_patterns";
import { shapeText } from "../../ui/text/format";
import { GradientThroughCall } from "./gradient_through_call";
import type { Port } from "./levels/call_graph";
import type { Scene } from "./levels/scene";
import { TensorNumbers } from "./tensor_numbers";

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

export function Ports({ store, scene, title, ports, inputs = [] }: PortsProps) {
  return ports.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="module-tensors">
        {ports.map((port, k) => {
          const record = scene.flow?.records[port.record];
          const sameAs = listedBefore(port, ports, inputs);
          const notKnown = scene.notKnown.get(record?.row ?? -1);
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
              {sameAs === undefined && notKnown !== undefined && (
                <div class="soft" data-testid="port-not-known">
                  {notKnown}
                </div>
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
export function Tensor({ store, scene, tensor, label, name, pattern, sameAs }: TensorProps) {
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
