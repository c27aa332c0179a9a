/** The state of the page as signals, and the few ways to change it. */

import { batch, computed, type Signal, signal } from "@preact/signals";
import type { Bundle, Loaded } from "../data/bundle";
import type { Trial } from "../data/format/types";
import type { TensorRecord } from "../data/records/record_offsets";
import { tabOrTensors } from "./address/available_tabs";
import { linkMessage } from "./address/link_message";
import type { Link, Tab } from "./address/url";
import { NO_OPTIONS, type ViewKey, type ViewOptions, withOption } from "./address/view_options";
import { kindsSignal } from "./comparison/kinds/kinds";
import { type Pin, readPin, swapped, withPin, writePin } from "./comparison/pin";
import { openSecond, otherTrial, type Second } from "./comparison/second_view";
import { type Brush, FIRST_BRUSH } from "./editing/brush";
import { Edits } from "./editing/edits";
import { addedTrials } from "./selection/added_trials";
import type { Offer } from "./selection/offers";
import { type OpenStep, openStep } from "./selection/open_step";
import { typeWithStep } from "./selection/options";
import { resolve, type StepSelection } from "./selection/resolve";
import { ANY_TYPE, type Attribute, type Selection } from "./selection/selection";
import { initialSelection, type Placed, place } from "./selection/step_choice";
import { Story } from "./story/story";

/** What is shown, as far as it is known. */
export interface Shown extends Placed {
  open: OpenStep | null;
  hasRecord: boolean;
}

/** A change that waits for the description of its step. */
interface Pending extends Placed {
  changed: Attribute | null;
  link: Partial<Selection>;
  error: Error | null;
}

export class Store {
  readonly tab = signal<Tab>("tensors");
  /** How things are shown, as far as the person has said. */
  readonly view = signal<ViewOptions>(NO_OPTIONS);
  readonly shown = signal<Shown | null>(null);
  readonly pending = signal<Pending | null>(null);
  /** What the person has chosen last, whether or not all of it can be shown now. */
  readonly chosen = signal<StepSelection | null>(null);
  /** Sentences for the person, until they are dismissed. */
  readonly messages = signal<readonly string[]>([]);
  /** The names of the files that the shown data was opened from; none if it is the page's own. */
  readonly files = signal<readonly string[]>([]);
  /** Why files that a person wanted to look at could not be opened; null where they could. Only the last attempt counts. */
  readonly refused = signal<string | null>(null);
  /** When newer data was taken last; 0: never. */
  readonly updated = signal(0);
  /** Trials that have come with newer data, until they are dismissed. */
  readonly added = signal<readonly string[]>([]);
  /** The group of curves that a link leads to, until the Graphs tab shows it; null: none. */
  readonly soughtCurves = signal<string | null>(null);
  /** The node that a link, a search or a list leads to, until the graph shows it, whatever it is folded into; null: none. */
  readonly soughtNode = signal<string | null>(null);
  /** Whether the change that is being made follows from an earlier one. */
  isAdjusting = false;
  /** How inputs are changed, and what has been changed of each, by a key that names the tensor. */
  readonly brush = signal<Brush>(FIRST_BRUSH);
  private readonly edits = new Map<string, Edits>();
  readonly story: Story;
  /** Rises when a chunk has arrived or failed that something waits for. */
  readonly version = signal(0);
  /** Rises when any chunk has arrived or failed, also one that was read ahead. */
  readonly arrived = signal(0);

  /** What the selectors show: the change under way, or what is shown. */
  readonly selection = computed<Selection>(
    () => this.pending.value?.selection ?? this.shown.value?.selection ?? initialSelection(this.bundle),
  );
  readonly trial = computed<Trial | undefined>(() => this.bundle.index.trials[(this.pending.value ?? this.shown.value)?.trial ?? 0]);

  /** The tensor that is shown, and its record of the recording type that is shown. */
  readonly offer = computed<Offer | undefined>(() => {
    const shown = this.shown.value;
    const { iteration, node, role } = shown?.selection ?? this.selection.value;
    return shown?.open?.offers.of(iteration, node).find((offer) => offer.role === role);
  });
  readonly record = computed<TensorRecord | undefined>(() => {
    const shown = this.shown.value;
    const tensor = this.offer.value?.tensor ?? -1;
    return shown?.hasRecord ? shown.open?.content.table.byGroup.get(shown.selection.recording)?.get(tensor) : undefined;
  });

  /** What is fixed of the second view; null where there is none. */
  readonly pin = computed<Pin | null>(() => readPin(this.view.value.get("pin")));
  /** The second view; null where there is none. */
  readonly second = computed<Loaded<Second> | null>(() => {
    void this.version.value;
    const [pin, shown] = [this.pin.value, this.shown.value];
    if (pin === null || shown === null) {
      return null;
    }
    const second = openSecond(this.bundle, withPin(shown.selection, pin), [shown.open, this.lastOpen]);
    this.lastOpen = second.state === "ready" ? second.value.open : null;
    return second;
  });
  /** The step of the second view as it was opened last. */
  private lastOpen: OpenStep | null = null;

  /** How A and B differ in structure; null while there is nothing to compare. */
  readonly kinds = kindsSignal(
    () => this.bundle,
    () => this.shown.value,
    () => (this.second.value?.state === "ready" ? this.second.value.value : null),
  );

  /** The trial of B, where it is another one than that of A. */
  readonly secondTrial = computed<Trial | null>(() => {
    const [pin, trial] = [this.pin.value, this.trial.value];
    return pin === null || trial === undefined ? null : otherTrial(this.bundle, withPin(this.selection.value, pin), trial);
  });

  /** The step and its type that the person has chosen last; others may be shown where the type, the trial or the rank lacks them. */
  private chosenStep = 0;
  private chosenStepType = ANY_TYPE;
  /** The rank that the person has chosen last; another one may be shown where the trial lacks it. */
  private chosenRank: string | null = null;
  /** A link that names what the page lacks, and the message about that; null where there is none. */
  private broken: { link: Partial<Selection>; message: string } | null = null;

  private readonly current: Signal<Bundle>;

  /** Whether the page has been given no address, and nothing has been chosen since. */
  isFirstView = false;
  /** Whether what the first view begins with is still being looked for. Its step is loaded meanwhile, and nothing is shown. */
  private isSeeking = false;

  /** Whether the page looks for newer data by itself. */
  readonly isLive: boolean;

  constructor(bundle: Bundle) {
    this.current = signal(bundle);
    this.isLive = bundle.index.generation > 0;
    this.story = new Story(bundle.index.story);
  }

  /** The shown data. Newer data may replace it. */
  get bundle(): Bundle {
    return this.current.value;
  }

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
    this.soughtNode.value = null;
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
