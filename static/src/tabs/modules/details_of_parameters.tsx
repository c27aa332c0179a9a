/** The parameters and buffers of a module. */

import type { Store } from "../../state/store";
import { grouped, shapeText } from "../../ui/text/format";
import { type ModuleNode, nameWithin, type Parameter, parametersAt, partsWithParameters } from "../../ui/text/module_tree";
import { Tensor } from "./details_of_ports";
import type { Scene } from "./levels/scene";
import { PartsLine } from "./parts_line";
import { TensorNumbers } from "./tensor_numbers";

export function Parameters({ store, scene, tree }: { store: Store; scene: Scene; tree: ModuleNode }) {
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
export function Buffers({ store, scene, module }: { store: Store; scene: Scene; module: string }) {
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
