/** A hash or an address, shortened for the eye and whole for a screen reader. */
const HEAD = 8;
const TAIL = 6;

export function OnChain({ of }: { readonly of: string }) {
  const short = of.length > HEAD + TAIL + 1 ? `${of.slice(0, HEAD)}…${of.slice(-TAIL)}` : of;
  return (
    <span class="hash" title={of}>
      <span aria-hidden="true">{short}</span>
      <span class="sr">{of}</span>
    </span>
  );
}
