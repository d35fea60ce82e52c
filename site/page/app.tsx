/** The page from now to the past. */
import { useEffect, useState } from "preact/hooks";
import { ActivityPanel } from "./activity/panel.tsx";
import { ModulesPanel } from "./chain/modules.tsx";
import { ChainPanel } from "./chain/panel.tsx";
import { useNow, useView } from "./data/use-view.ts";
import { STATUS } from "./data/views.ts";
import { DaysPanel } from "./days/panel.tsx";
import { NowPanel } from "./now/panel.tsx";
import { Banner } from "./parts/banner.tsx";
import { Explorer, explorerOf } from "./parts/explorer.tsx";
import { Footer } from "./parts/footer.tsx";
import { PublishedAt } from "./parts/published-at.ts";
import { SettlementsPanel } from "./settlements/panel.tsx";

const SLOW_MS = 15_000;

export function App() {
  const status = useView(STATUS).body;
  const now = useNow(SLOW_MS);
  const begun = useAfterFirstPaint();
  return (
    <Explorer.Provider value={explorerOf(status?.explorer)}>
      <PublishedAt.Provider value={status?.answers}>
        <main>
          <h1 class="sr">What the wheel did</h1>
          <Banner status={status} now={now} />
          <NowPanel />
          {begun && (
            <>
              <DaysPanel />
              <SettlementsPanel />
              <ActivityPanel />
              <ChainPanel />
              <ModulesPanel />
            </>
          )}
        </main>
        {begun && <Footer />}
      </PublishedAt.Provider>
    </Explorer.Provider>
  );
}

/** On a phone the sentence shall not wait for what lies below the fold. */
function useAfterFirstPaint(): boolean {
  const [begun, begin] = useState(false);
  useEffect(() => {
    const timer = setTimeout(begin, 0, true);
    return () => clearTimeout(timer);
  }, []);
  return begun;
}
