/** How the runs of two trials were set up: hyperparameters, optimizers, modules, and the software and devices that ran them. */

import type { Index, Network, RunOverview, Setting, Trial } from "../../../data/format/types";
import { difference, differingSettings, type KindDifference } from "./difference";

/** What is known of the run of a trial; null if the page lacks it. */
export interface Run {
  overview: RunOverview | null;
  network: Network | null;
  /** What ran it, by name. */
  software: readonly (readonly [string, Setting])[];
}

export function runOf({ about, runs, trials }: Index, trial: Trial, network: Network | null): Run {
  const overview = runs[trials.indexOf(trial)] ?? null;
  const own = about.recordings.filter(({ trial: name }) => name === trial.name);
  const named = (name: string, texts: readonly string[]): [string, Setting][] => {
    const known = [...new Set(texts.filter((text) => text !== ""))];
    return known.length === 0 ? [] : [[name, known.join(", ")]];
  };
  const software = [
    ...named(
      "PyTorch",
      own.map((recording) => recording.torch_version),
    ),
    ...named(
      "recorder",
      own.map(({ writer }) => writer),
    ),
    ...named("devices", overview?.devices ?? []),
    ...named("dtypes", overview?.dtypes ?? []),
  ];
  return { overview, network, software };
}

export function differingRuns(a: Run, b: Run): KindDifference[] {
  const [ofA, ofB] = [a.overview, b.overview];
  return [
    ...(a.network === null || b.network === null || a.network === b.network ? [] : differingNetworks(a.network, b.network)),
    ...(ofA === null || ofB === null
      ? []
      : [...differingSettings("hyperparameter", ofA.config, ofB.config), ...differingOptimizers(ofA.optimizers, ofB.optimizers)]),
    ...differingSettings("software", a.software, b.software),
  ];
}

/** Optimizers by their place; the settings of one that is another one are not compared. */
function differingOptimizers(a: RunOverview["optimizers"], b: RunOverview["optimizers"]): KindDifference[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, k): KindDifference[] => {
    const [own, other] = [a[k], b[k]];
    if (own?.name !== other?.name) {
      return [difference("optimizer", `optimizer ${k + 1}`, own?.name, other?.name)];
    }
    const settings = ({ options, groups }: RunOverview["optimizers"][number]): [string, Setting][] => [
      ...Object.entries(options).map(([name, value]): [string, Setting] => [`${own!.name} ${name}`, value]),
      [`${own!.name} parameter groups`, groups],
    ];
    return differingSettings("optimizer", settings(own!), settings(other!));
  }).flat();
}

/** Modules by their names, without those inside a module that one side lacks, and which parameters are trained. */
function differingNetworks(a: Network, b: Network): KindDifference[] {
  const [names, others] = [namesOf(a), namesOf(b)];
  const modulesOf = (network: Network, known: ReadonlySet<string>): [string, Setting][] =>
    network.modules
      .filter(({ parent }) => known.has(network.modules[parent]?.name ?? "") || parent < 0)
      .map(({ name, type, description }) => [name, description === "" ? type : `${type}(${description})`]);
  const trained = ({ parameters }: Network, known: ReadonlySet<string>): [string, Setting][] =>
    parameters.filter(({ name }) => known.has(name)).map(({ name, requires_grad }) => [name, requires_grad ? "trained" : "frozen"]);
  const [parameters, otherParameters] = [a, b].map((network) => new Set(network.parameters.map(({ name }) => name))) as [
    Set<string>,
    Set<string>,
  ];
  return [
    ...differingSettings("module", modulesOf(a, others), modulesOf(b, names)),
    ...differingSettings("parameter", trained(a, otherParameters), trained(b, parameters)),
  ];
}

function namesOf({ modules }: Network): ReadonlySet<string> {
  return new Set(modules.map(({ name }) => name));
}
