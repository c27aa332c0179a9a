/**
 * Components that are rendered again only when a prop has changed: many small ones, or those that change seldom.
 *
 * preact/compat has one too. Importing it brings all of its layer for React into the script, which every page carries.
 */

import { Component, type ComponentChild, type ComponentType } from "preact";

/** Makes such a component of one that has no state and reads no signal. */
export function memo<Props extends object>(draw: (props: Props) => ComponentChild): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return (Object.keys({ ...this.props, ...next }) as (keyof Props)[]).some((key) => next[key] !== (this.props as Props)[key]);
    }

    override render(props: Props): ComponentChild {
      return draw(props);
    }
  };
}
