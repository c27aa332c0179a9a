/** The tree of modules and parameters. */

import { useMemo, useState } from "preact/hooks";
import { stepInWords } from "../../data/format/steps";
import type { Network, Trial } from "../../data/format/types";
import { linkToModule, linkToName } from "../../state/findings/mentions";
import type { Store } from "../../state/store";
import { Button } from "../../ui/controls/button";
import { DocumentView } from "../../ui/notices/document_loading";
import { counted, grouped, keyOf, shapeText } from "../../ui/text/format";
import { type ModuleNode, moduleTree, nameWithin, type Parameter, valuesOf } from "../../ui/text/module_tree";

/** Rows that are open at the beginning, at most. */
const OPEN_ROWS = 60;

export function NetworkView({ store }: { store: Store }) {
  return (
    <DocumentView store={store} read={(bundle, trial) => bundle.network(trial)} what="the network">
      {(network, trial) => <Tree key={keyOf(trial)} store={store} trial={trial} network={network} runs={runsOf(store, trial)} />}
    </DocumentView>
  );
}

/** How the modules ran on the step that is selected. */
interface Runs {
  step: number;
  type: string;
  /** By the position of the module, in words; modules that did not run are not in it. */
  byModule: ReadonlyMap<number, string>;
}

/** Null where it is not known, or not loaded yet. */
function runsOf(store: Store, trial: Trial): Runs | null {
  const shown = store.shown.value;
  if (shown?.open?.trial !== trial) {
    return null;
  }
  const facts = store.bundle.facts(trial, shown.step);
  const runs = facts.state === "ready" && facts.value !== null ? store.bundle.moduleRuns(facts.value.module_runs) : null;
  if (runs?.state !== "ready" || runs.value === null) {
    return null;
  }
  const { module, training, calls } = runs.value;
  const byModule = new Map(
    module.map((position, k) => [position, `${training[k] ? "train" : "eval"}${calls[k] === 1 ? "" : ` \u00d7${grouped(calls[k]!)}`}`]),
  );
  return { step: shown.selection.step, type: store.bundle.typeOf(trial, shown.step), byModule };
}

function Tree({ store, trial, network, runs }: { store: Store; trial: Trial; network: Network; runs: Runs | null }) {
  const roots = useMemo(() => moduleTree(network), [network]);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => openAtFirst(roots));
  if (roots.length === 0) {
    return (
      <p class="empty" data-testid="network-empty">
        This trial has no tracked module: <code class="mono">recorder.track_module(name, module)</code> and{" "}
        <code class="mono">recorder.watch(module)</code> track one.
      </p>
    );
  }
  const toggle = (id: number): void => {
    const next = new Set(open);
    if (!next.delete(id)) {
      next.add(id);
    }
    setOpen(next);
  };
  const { bundle, selection } = store;
  const { step } = selection.value;
  const links: ModuleProps["links"] = {
    module: (name) => linkToModule(bundle, trial, step, name),
    parameter: (name) => linkToName(bundle, trial, step, name),
  };
  const total = roots.reduce((sum, root) => sum + root.values, 0);
  const trainable = roots.reduce((sum, root) => sum + root.trainable, 0);
  return (
    <section class="page" aria-label="Network">
      <div class="page-bar">
        <p data-testid="network-total">
          <strong>{grouped(total)}</strong> parameter values in {counted(network.parameters.length, "parameter")} of{" "}
          {counted(network.modules.length, "module")}
          {trainable !== total && `, ${grouped(trainable)} of them trainable`}
        </p>
        {runs !== null && (
          <p class="soft" data-testid="network-step">
            {grouped(runs.byModule.size)} of {counted(network.modules.length, "module")} ran on {stepInWords(runs.step)} (
            <bdi>{runs.type}</bdi>)
          </p>
        )}
        <div class="button-group" role="group" aria-label="Modules with parts">
          <Button onClick={() => setOpen(new Set(network.modules.keys()))}>Expand all</Button>
          <Button onClick={() => setOpen(new Set())}>Collapse all</Button>
        </div>
      </div>
      <div class={runs === null ? "tree-header" : "tree-header tree-with-runs"} aria-hidden="true">
        <span>Module or parameter</span>
        {runs !== null && <span class="tree-run">On {stepInWords(runs.step)}</span>}
        <span>Type</span>
        <span class="number">Shape</span>
        <span class="number">Values</span>
      </div>
      <ul class={runs === null ? "tree" : "tree tree-with-runs"} data-testid="network-tree">
        {roots.map((root) => (
          <Module key={root.id} links={links} node={root} depth={0} open={open} toggle={toggle} runs={runs} />
        ))}
      </ul>
    </section>
  );
}

/** Opens whole levels as long as the page does not become long. */
function openAtFirst(roots: readonly ModuleNode[]): ReadonlySet<number> {
  const open = new Set<number>();
  let rows = roots.length;
  for (let level = [...roots]; level.length > 0; level = level.flatMap((node) => node.children)) {
    rows += level.reduce((sum, node) => sum + node.children.length + node.parameters.length, 0);
    if (rows > OPEN_ROWS && open.size > 0) {
      break;
    }
    level.forEach((node) => open.add(node.id));
  }
  return open;
}

/** A name, which leads to what it names if there is something to see of it. */
function Name({ name, label, link }: { name: string; label: string; link: string | null }) {
  const text = <bdi title={name}>{label}</bdi>;
  return link === null ? text : <a href={link}>{text}</a>;
}

interface ModuleProps {
  /** What the name of a module, or of a parameter, leads to. */
  links: Record<"module" | "parameter", (name: string) => string | null>;
  node: ModuleNode;
  depth: number;
  open: ReadonlySet<number>;
  toggle: (id: number) => void;
  runs: Runs | null;
}

function Module({ links, node, depth, open, toggle, runs }: ModuleProps) {
  const isOpen = open.has(node.id);
  const isLeaf = node.children.length + node.parameters.length === 0;
  return (
    <li>
      <div class="tree-row tree-module">
        <span class="tree-name" style={{ "--depth": depth }}>
          {isLeaf ? (
            <span class="tree-toggle" />
          ) : (
            <Button
              class="tree-toggle"
              aria-expanded={isOpen}
              label={`${isOpen ? "Collapse" : "Expand"} ${node.name}`}
              onClick={() => toggle(node.id)}
            >
              {isOpen ? "\u25be" : "\u25b8"}
            </Button>
          )}
          <Name name={node.name} label={node.label} link={links.module(node.name)} />
        </span>
        {runs !== null && (
          <span data-testid="module-run" class={runs.byModule.has(node.id) ? "tree-run" : "tree-run soft"} style={{ "--depth": depth }}>
            {runs.byModule.get(node.id) ?? "did not run"}
          </span>
        )}
        <span class="tree-type soft">
          <bdi>{node.type}</bdi>
        </span>
        <span class="tree-no-shape" />
        <span class="number">{grouped(node.values)}</span>
      </div>
      {isOpen && !isLeaf && (
        <ul>
          {node.parameters.map((parameter) => (
            <ParameterRow
              key={parameter.name}
              links={links}
              parameter={parameter}
              module={node.name}
              depth={depth + 1}
              hasRuns={runs !== null}
            />
          ))}
          {node.children.map((child) => (
            <Module key={child.id} links={links} node={child} depth={depth + 1} open={open} toggle={toggle} runs={runs} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface ParameterProps extends Pick<ModuleProps, "links" | "depth"> {
  parameter: Parameter;
  module: string;
  hasRuns: boolean;
}

function ParameterRow({ links, parameter, module, depth, hasRuns }: ParameterProps) {
  return (
    <li class="tree-row tree-parameter" data-testid="network-parameter">
      <span class="tree-name" style={{ "--depth": depth }}>
        <span class="tree-toggle">
          <span class="legend-badge type-parameter" aria-hidden="true">
            P
          </span>
        </span>
        <Name name={parameter.name} label={nameWithin(module, parameter.name)} link={links.parameter(parameter.name)} />
        {parameter.alias_of !== null && (
          <span class="tag" title={`The same tensor as ${parameter.alias_of}; counted there`}>
            shared with <bdi>{parameter.alias_of}</bdi>
          </span>
        )}
        {!parameter.requires_grad && <span class="tag">frozen</span>}
      </span>
      {hasRuns && <span class="tree-run" />}
      <span class="soft">{parameter.dtype}</span>
      <span class="number soft">{shapeText(parameter.shape)}</span>
      <span class="number">{parameter.alias_of === null ? grouped(valuesOf(parameter)) : "\u2013"}</span>
    </li>
  );
}
