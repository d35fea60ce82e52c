/** A Worker that runs the shim over the scripts' world. `POST /control/…` controls its clock and store. */
import { webHandler } from "../../src/shim/web-handler.ts";
import { scriptWorld } from "./scripts/script-world.ts";

const world = await scriptWorld();
const handler = webHandler(world.context);

// workerd requires the handlers as default export.
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== "POST" || !pathname.startsWith("/control/")) return handler(request);
    const value = searchParams.get("value") ?? "";
    if (pathname === "/control/clock") world.control.setClock(Number(value));
    else if (pathname === "/control/delete-object") await world.control.deleteObject(value);
    else if (pathname === "/control/fail-store") await world.control.failStore();
    else await world.control.restore();
    return new Response(null, { status: 204 });
  },
};
