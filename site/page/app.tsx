/** The page from now to the past. */
import { useEffect, useMemo, useState } from "preact/hooks";
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
import { PublicationContext, publicationOf } from "./parts/publication.ts";
import { SettlementsPanel } from "./settlements/panel.tsx";

const SLOW_MS = 15_000;

export function App() {
  const status = useView(STATUS).body;
  const now = useNow(SLOW_MS);
  const publication = useMemo(() => publicationOf(status), [status]);
  const begun = useAfterFirstPaint();
  return (
    <Explorer.Provider value={explorerOf(status?.explorer)}>
      <PublicationContext.Provider value={publication}>
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
      </PublicationContext.Provider>
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
