/** The page's script: draws itself into the place that index.html keeps for it. */
import { render } from "preact";
import { App } from "./app.tsx";
import { PROCESS, TELEMETRY } from "./data/views.ts";

// index.html has asked for these two already; they are shown for as long as the page is.
for (const view of [PROCESS, TELEMETRY]) view.watch(() => undefined);

const place = document.getElementById("page");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
