/** The page's entry point: renders it into its element of index.html. */
import { render } from "preact";
import { App } from "./app.tsx";
import { PROCESS, TELEMETRY } from "./data/views.ts";

// index.html has already requested these two, which the page always shows.
for (const view of [PROCESS, TELEMETRY]) view.watch(() => undefined);

const place = document.getElementById("page");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
