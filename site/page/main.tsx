/** The page's script: draws the page into its element of index.html. */
import { render } from "preact";
import { App } from "./app.tsx";
import { PROCESS, TELEMETRY } from "./data/views.ts";

// index.html has already requested these two. The page always shows them.
for (const view of [PROCESS, TELEMETRY]) view.watch(() => undefined);

const place = document.getElementById("page");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
