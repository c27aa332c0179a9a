/** The few ways to change the state of the page. */

import { batch } from "@preact/signals";
import type { Bundle, Loaded } from "../data/bundle";
import { tabOrTensors } from "./address/available_tabs";
import { linkMessage } from "./address/link_message";
import type { Link } from "./address/url";
import { NO_OPTIONS, type ViewKey, withOption } from "./address/view_options";
import { type Pin, swapped, writePin } from "./comparison/pin";
import { Edits } from "./editing/edits";
import { PageState, type Pending } from "./page_state";
import { addedTrials } from "./selection/added_trials";
import { type OpenStep, openStep } from "./selection/open_step";
import { typeWithStep } from "./selection/options";
import { resolve } from "./selection/resolve";
import { ANY_TYPE, type Attribute, type Selection } from "./selection/selection";
import { initialSelection, type Placed, place } from "./selection/step_choice";

export type { Shown } from "./page_state";

export class Store extends PageState {
  /** What has been changed of inputs, by a key that names the tensor. */
  private readonly edits = new Map<string, Edits>();

  /** The step and its type that the person has chosen last; others may be shown where the type, the trial or the rank lacks them. */
  private chosenStep = 0;
  private chosenStepType = ANY_TYPE;
  /** The rank that the person has chosen last; another one may be shown where the trial lacks it. */
  private chosenRank: string | null = null;
  /** A link that names what the page lacks, and the message about that; null where there is none. */
  private broken: { link: Partial<Selection>; message: string } | null = null;

  /** Whether the page has been given no address, and nothing has been chosen since. */
  isFirstView = false;
  /** Whether what the first view begins with is still being looked for. Its step is loaded meanwhile, and nothing is shown. */
  private isSeeking = false;

  /** Replaces the shown data by data whose step is loaded, and keeps of the selection what exists in it. */
  take(bundle: Bundle, files: readonly string[]): void {
    const selection = this.selection.peek();
    batch(() => {
      const isBack = files.length === 0 && this.files.peek().length > 0;
      this.files.value = files;
      const known = this.added.peek().filter((name) => bundle.index.trials.some((trial) => trial.name === name));
      this.added.value = [...known, ...(isBack ? [] : addedTrials(this.current.peek(), bundle))];
      this.current.value = bundle;
      this.story.take(bundle.index.story, files.length > 0);
      this.tab.value = tabOrTensors(bundle.index, this.tab.peek());
      this.shown.value = this.pending.value = null;
      this.version.value += 1;
      this.arrived.value += 1;
      this.go(place(bundle, selection), null, {});
    });
  }

  /** Changes one attribute; others give way as far as they must. */
  change<A extends Attribute>(attribute: A, value: Selection[A]): void {
    this.isFirstView = this.isSeeking = false;
    this.soughtNode.value = this.soughtDifference.value = null;
    const current = this.selection.value;
    const wanted = { ...current, rank: this.chosenRank ?? current.rank, [attribute]: value };
    if (attribute === "step") {
      this.chosenStep = wanted.step;
    }
    if (attribute === "step" || attribute === "stepType") {
      this.chosenStepType = wanted.stepType;
    }
    if (attribute === "rank") {
      this.chosenRank = wanted.rank;
      // Ranks record the same run: what one of them lacks is looked for again in the next.
      Object.assign(wanted, { step: this.chosenStep, stepType: this.chosenStepType });
    }
    const placed = place(this.bundle, wanted);
    this.go(placed.selection.step === wanted.step ? placed : place(this.bundle, { ...wanted, step: this.chosenStep }), attribute, {});
  }

  /** Goes to a step of the trial, whichever steps it is among. */
  goToStep(step: number): void {
    const { stepType } = this.selection.value;
    const needed = this.trial.value === undefined ? stepType : typeWithStep(this.bundle, this.trial.value, step, stepType);
    if (needed !== stepType) {
      this.change("stepType", needed);
    }
    this.change("step", step);
  }

  /** Selects a tensor of the iteration that is shown, by its name. */
  selectNode(node: string): void {
    batch(() => {
      this.change("node", node);
      this.soughtNode.value = node;
    });
  }

  /** Changes how something is shown; null goes back to what it is by default. */
  setView(key: ViewKey, value: string | null): void {
    this.view.value = withOption(this.view.value, key, value);
  }

  /** The same for what follows from a choice that was made already: the browser's back button does not stop between the two. */
  adjustView(key: ViewKey, value: string | null): void {
    this.isAdjusting = true;
    try {
      this.setView(key, value);
    } finally {
      this.isAdjusting = false;
    }
  }

  /** Makes a view the second one; null: none. */
  setPin(pin: Pin | null): void {
    this.setView("pin", pin === null ? null : writePin(pin));
  }

  /** Shows B, at another node where one is given, and compares it with what was shown: the same attributes stay fixed. */
  swapPinned(place: { node?: string; role?: string | undefined } = {}): void {
    const [pin, shown] = [this.pin.value, this.shown.value];
    if (pin === null || shown === null) {
      return;
    }
    const at = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
    const { selection, pin: others } = swapped(shown.selection, pin);
    batch(() => {
      this.open({ tab: this.tab.value, selection: { ...selection, ...at }, view: this.view.value });
      this.setPin(others);
      this.soughtNode.value = place.node ?? null;
    });
  }

  /** The edits of a tensor, given the key that names it. */
  editsOf(key: string): Edits {
    const known = this.edits.get(key) ?? new Edits();
    this.edits.set(key, known);
    return known;
  }

  /** Opens the first view, and shows nothing of its step until `endSeeking`, or until something else is opened. */
  openFirst(link: Link): void {
    this.isSeeking = true;
    this.openLink(link);
    this.isFirstView = true;
  }

  endSeeking(): void {
    if (this.isSeeking) {
      this.isSeeking = false;
      batch(() => this.settle());
    }
  }

  /** Shows what a link names; what it does not name is as at the beginning. */
  open(link: Link): void {
    this.isFirstView = this.isSeeking = false;
    this.openLink(link);
  }

  private openLink(link: Link): void {
    batch(() => {
      this.forgetBroken();
      this.view.value = link.view ?? NO_OPTIONS;
      // What a link names without a tab is in no overview.
      const wanted = link.tab ?? (this.tab.peek() === "overview" ? "tensors" : this.tab.peek());
      this.tab.value = tabOrTensors(this.bundle.index, wanted);
      // A link that says what is folded means just that view.
      this.soughtNode.value = this.view.value.has("fold") ? null : (link.selection.node ?? null);
      const placed = this.placeLink(link.selection);
      this.chosenStep = placed.selection.step;
      this.chosenStepType = placed.selection.stepType;
      this.chosenRank = link.selection.rank ?? null;
      this.go(placed, null, link.selection);
    });
  }

  /** A link that names a step and no type means that step, whichever steps it is among. */
  private placeLink(link: Partial<Selection>): Placed {
    const wanted = { ...initialSelection(this.bundle), ...link };
    const placed = place(this.bundle, wanted);
    const trial = this.bundle.index.trials[placed.trial];
    if (trial === undefined || link.step === undefined || link.stepType !== undefined) {
      return placed;
    }
    return place(this.bundle, { ...wanted, stepType: typeWithStep(this.bundle, trial, link.step, wanted.stepType) });
  }

  /** Says something until it is dismissed, and only once. */
  tell(message: string): void {
    this.messages.value = [...this.messages.value.filter((other) => other !== message), message];
  }

  dismiss(message: string): void {
    this.refused.value = this.refused.value === message ? null : this.refused.value;
    this.messages.value = this.messages.value.filter((other) => other !== message);
  }

  /** Tries again to load what could not be loaded. */
  retry(): void {
    this.bundle.chunks.forgetFailures();
    this.chunksChanged();
  }

  chunksChanged(isAwaited = true): void {
    batch(() => {
      this.arrived.value += 1;
      if (isAwaited) {
        this.version.value += 1;
        this.settle();
      }
    });
  }

  private go(placed: Placed, changed: Attribute | null, link: Partial<Selection>): void {
    batch(() => {
      this.pending.value = { ...placed, changed, link, error: null };
      this.settle();
    });
  }

  /** Carries out the pending change as soon as the step's description is there. */
  private settle(): void {
    const pending = this.pending.value;
    if (pending === null) {
      return;
    }
    const opened = this.openStep(pending);
    if (this.isSeeking) {
      return;
    }
    if (opened.state === "ready") {
      this.show(pending, opened.value);
    } else if (opened.state === "failed") {
      this.pending.value = { ...pending, error: opened.error };
    }
  }

  private openStep(placed: Placed): Loaded<OpenStep | null> {
    const trial = this.bundle.index.trials[placed.trial];
    if (trial === undefined || placed.step < 0) {
      return { state: "ready", value: null };
    }
    const known = this.shown.value;
    if (known !== null && known.open !== null && known.trial === placed.trial && known.step === placed.step) {
      return { state: "ready", value: known.open };
    }
    return openStep(this.bundle, trial, placed.step);
  }

  private show(pending: Pending, open: OpenStep | null): void {
    const { selection, trial, step } = pending;
    const resolution = open === null ? null : resolve(open.offers, selection, pending.changed, this.chosen.value);
    const final = { ...selection, ...resolution?.selection };
    this.chosen.value = resolution?.chosen ?? this.chosen.value;
    this.shown.value = { selection: final, trial, step, open, hasRecord: resolution?.hasRecord ?? false };
    this.pending.value = null;
    if (this.broken !== null && linkMessage(this.broken.link, final) === null) {
      this.forgetBroken();
    }
    const message = linkMessage(pending.link, final);
    if (message !== null) {
      this.broken = { link: pending.link, message };
      this.tell(message);
    }
  }

  /** A message about a link goes with the next link, and when what the link names is shown after all. */
  private forgetBroken(): void {
    if (this.broken !== null) {
      this.dismiss(this.broken.message);
      this.broken = null;
    }
  }
}
