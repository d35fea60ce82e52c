/** Shows figures: short values together with their exact values. */
import type { ComponentChildren } from "preact";

/** Shows `short`, and gives `exact` to pointers and screen readers. */
export function Exact({ short, exact }: { readonly short: string; readonly exact: string }) {
  if (short === exact) return <span class="num">{short}</span>;
  return (
    <span class="num" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="sr">{exact}</span>
    </span>
  );
}

export interface FigureProps {
  readonly name: ComponentChildren;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
}

export function Figure({ name, children, note }: FigureProps) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {children}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}

export function Unknown({ why }: { readonly why?: string }) {
  return <span class="unknown">not known{why === undefined ? "" : `: ${why}`}</span>;
}

/** A badge for values that were not measured by hardware. */
export function Provenance({ of }: { readonly of: string }) {
  return of === "hardware" ? null : (
    <span class="badge" title="These values were not measured by hardware">
      {of}
    </span>
  );
}
