/** A component that renders again only if a property has changed. */
import { Component, type ComponentChild } from "preact";
import { namesOf } from "../../../src/values/unknown.ts";

/**
 * Replaces vnodes kept with `useMemo`, because Preact 11 then leaks every earlier tree: 300 responses with statistics
 * took 22 MB, and take 1 MB this way.
 */
export function memo<Props extends object>(draw: (props: Props) => ComponentChild) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const names = namesOf(next);
      return names.some((name) => next[name] !== this.props[name]);
    }

    override render(): ComponentChild {
      return draw(this.props as Props);
    }
  };
}
