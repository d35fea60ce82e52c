/** Shows hashes and addresses, as links if the settings name a block explorer. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The explorer's URL without a trailing slash; null if there is none. */
export const Explorer = createContext<string | null>(null);

const HEAD = 8;
const TAIL = 6;

export interface OnChainProps {
  readonly kind: "tx" | "address" | "block";
  readonly of: string;
}

export function OnChain({ kind, of }: OnChainProps) {
  const explorer = useContext(Explorer);
  const short = of.length > HEAD + TAIL + 1 ? `${of.slice(0, HEAD)}…${of.slice(-TAIL)}` : of;
  const text = (
    <span class="hash" title={of}>
      <span aria-hidden="true">{short}</span>
      <span class="sr">{of}</span>
    </span>
  );
  if (explorer === null) return text;
  return (
    <a href={`${explorer}/${kind}/${encodeURIComponent(of)}`} rel="noreferrer">
      {text}
    </a>
  );
}

/** Returns the explorer's URL; null unless it is an https URL. */
export function explorerOf(address: unknown): string | null {
  if (typeof address !== "string" || !URL.canParse(address)) return null;
  if (new URL(address).protocol !== "https:") return null;
  let end = address.length;
  while (address[end - 1] === "/") end--;
  return address.slice(0, end);
}
