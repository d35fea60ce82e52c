/** The responses that the page reads, and their intervals. */
import {
  type Activity,
  type ActivityCategory,
  type ApiResponse,
  createClient,
  NoonmarkError,
  type SettlementRange,
  type Settlements,
  type StatisticsRange,
} from "../../../src/client/create-client.ts";
import { BROWSER, learnTime } from "./browser.ts";
import { View } from "./view.ts";

const S = 1000;
/** Events per page of activity. */
const PAGE = 20;

/** The API is relative to the page's address, which may be a subpath. Views retry, so the client does not. */
const API = createClient({ baseUrl: new URL(".", document.baseURI), retries: 0 });

type Options = { readonly signal: AbortSignal };

function view<Body>(every: number, call: (options: Options) => Promise<ApiResponse<Body>>): View<Body> {
  return new View<Body>(
    {
      every,
      async ask(signal) {
        const response = await call({ signal });
        learnTime(response.headers);
        return response;
      },
      failureOf: (error) =>
        error instanceof NoonmarkError
          ? { code: error.code, retryAfter: error.retryAfter ?? undefined }
          : { code: "invalid_response" },
    },
    BROWSER,
  );
}

export const PROCESS = view(10 * S, (options) => API.process(options));
export const TELEMETRY = view(20 * S, (options) => API.telemetry(options));
export const STATUS = view(30 * S, (options) => API.status(options));
export const MODULES = view(60 * S, (options) => API.modules(options));
export const ONCHAIN = view(60 * S, (options) => API.onchain(options));

const statistics = (range: StatisticsRange) => view(60 * S, (options) => API.statistics({ range }, options));
export const STATISTICS = { "7d": statistics("7d"), "30d": statistics("30d") };

const settlements = (range: SettlementRange) => view(60 * S, (options) => API.settlements({ range }, options));
export const SETTLEMENTS: Readonly<Record<SettlementRange, View<Settlements>>> = {
  /** Includes the queue's projection. */
  now: view(60 * S, (options) => API.settlements({ queue: true }, options)),
  "24h": settlements("24h"),
  "7d": settlements("7d"),
  "30d": settlements("30d"),
};

const activity = (category: ActivityCategory) =>
  view(60 * S, (options) => API.activity({ category, limit: PAGE }, options));
export const ACTIVITY: Readonly<Record<ActivityCategory, View<Activity>>> = {
  all: activity("all"),
  protocol: activity("protocol"),
  players: activity("players"),
  measurement: activity("measurement"),
};

/** Requests the page of events after a cursor. Throws `NoonmarkError`. */
export async function askOlder(category: ActivityCategory, cursor: string): Promise<Activity> {
  const { body } = await API.activity({ category, limit: PAGE, cursor });
  return body;
}
