/** The page: header, tabs, and what each tab shows. */

import type { FunctionComponent } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Tab, writeLink } from "../state/address/url";
import type { Store } from "../state/store";
import { AboutView } from "../tabs/about/about";
import { CurvesView } from "../tabs/curves/curves";
import { FlowView } from "../tabs/flow/flow_view";
import { ModulesView } from "../tabs/modules/modules_view";
import { NetworkView } from "../tabs/network/network";
import { NotesView } from "../tabs/notes/notes";
import { OverviewView } from "../tabs/overview/overview";
import { GraphView } from "../tabs/tensors/graph/graph_view";
import { ValuesView } from "../tabs/tensors/tensor_panes";
import { useFirstValues } from "../tabs/tensors/use_first_values";
import { VisualizationView } from "../tabs/visualization/visualization_view";
import { Button } from "../ui/controls/button";
import { Menu } from "../ui/controls/menu";
import { Splitter } from "../ui/controls/splitter";
import { isSmall } from "../ui/media";
import { AddedTrials } from "../ui/notices/added_trials";
import { StepGaps } from "../ui/notices/step_notes";
import { CompareBar } from "./compare_bar";
import { KeyHelp } from "./keyboard";
import { Messages } from "./messages";
import { fileOpening } from "./opening/open_files";
import { OpenedFiles } from "./opening/opened_files";
import { PrintButton } from "./print/print";
import { SelectionSheet } from "./selection_sheet";
import { Controls, TrialSelector, ValueSelectors } from "./selectors";
import { CopyLink } from "./share";
import { StoryOffer } from "./story/story_offer";
import { StoryButtons, StoryPanel } from "./story/story_panel";
import { TabBar } from "./tabs";
import { ThemeButtons } from "./theme_buttons";
import { Title } from "./title";
import { LiveFoot } from "./update_notice";

export function App({ store }: { store: Store }) {
  const tab = store.tab.value;
  const opened = useRef(new Set<Tab>()).current.add(tab);
  const { title } = store.bundle.index;
  return (
    <>
      {/* No link: the address says what is shown. */}
      <Button class="skip-link" testid="skip" onClick={() => document.getElementById(`panel-${tab}`)?.focus()}>
        Skip to the content
      </Button>
      <header class="header">
        <Title title={title} />
        <TabBar store={store} />
        <div class="header-tools">
          {!isSmall.value && <TrialSelector store={store} />}
          <StoryButtons store={store} />
          <CopyLink
            link={() => writeLink(store.tab.value, store.selection.value, store.view.value, store.story.inAddress.value)}
            isOfFiles={store.files.value.length > 0}
          />
          <KeyHelp store={store} />
          <Menu testid="more" icon="more" label="More">
            <PrintButton store={store} />
            <ThemeButtons />
          </Menu>
        </div>
      </header>
      <OpenedFiles store={store} />
      <Messages store={store} />
      <StoryOffer store={store} />
      <AddedTrials store={store} />
      <Controls store={store} />
      {PANELS.map(([name, View]) => (
        <div
          key={name}
          id={`panel-${name}`}
          class={`panel panel-${name}`}
          role="tabpanel"
          tabIndex={-1}
          aria-labelledby={`tab-${name}`}
          hidden={name !== tab}
        >
          {(name === tab || (KEPT.has(name) && opened.has(name))) && <View store={store} />}
        </div>
      ))}
      <CompareBar store={store} />
      {isSmall.value && <SelectionSheet store={store} />}
      <StoryPanel store={store} />
      <LiveFoot store={store} />
    </>
  );
}

/** What each tab shows. */
const PANELS: readonly (readonly [Tab, FunctionComponent<{ store: Store }>])[] = [
  ["overview", OverviewView],
  ["tensors", TensorsTab],
  ["modules", ModulesView],
  ["flow", FlowView],
  ["network", NetworkView],
  ["notes", NotesView],
  ["graphs", CurvesView],
  ["visualization", VisualizationView],
  ["about", ({ store }) => <AboutView store={store} opening={fileOpening(store)} />],
];

/** What stays, once it was open, while another tab is open, with its zoom and its scroll position. */
const KEPT: ReadonlySet<Tab> = new Set<Tab>(["tensors", "visualization"]);

const FIRST_SHARE = 48;

function TensorsTab({ store }: { store: Store }) {
  const [share, setShare] = useState(FIRST_SHARE);
  const canDraw = useFirstValues(store);
  const loading = store.pending.value !== null && store.pending.value.error === null;
  if (store.shown.value?.open === null) {
    // Without a step there is no graph, and only words.
    return <ValuesView store={store} />;
  }
  return (
    <>
      <StepGaps store={store} />
      <p class="visually-hidden" role="status" aria-live="polite">
        {loading ? "Loading" : ""}
      </p>
      <div class={loading ? "work loading" : "work"} style={{ "--graph-share": `${share}%` }}>
        {canDraw ? <GraphView store={store} /> : <section class="graph empty" aria-label="Dependency graph" />}
        <Splitter share={share} onShare={setShare} />
        <div class="values-part">
          {!isSmall.value && store.tab.value === "tensors" && <ValueSelectors store={store} />}
          <ValuesView store={store} />
        </div>
      </div>
    </>
  );
}
