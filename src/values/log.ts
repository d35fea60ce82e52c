/** Returns the origin of the published log that keys of this name sign: the first line of its checkpoints. */
export function originOf(name: string): string {
  return `${name}/log`;
}
