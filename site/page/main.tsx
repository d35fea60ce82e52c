/** The page's script: draws itself into the place that index.html keeps for it. */
import { render } from "preact";
import { App } from "./app.tsx";

const place = document.getElementById("page");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}
