/** The document as text, and the address it names. Without the schemas: the publisher loads this too. */

/** The text that is published and printed. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A document that was made without an address, with one: what stands in the package is made before anybody has it. */
export function withServer(text: string, server: string): string {
  const { openapi, info, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return documentText({ openapi, info, servers: [{ url: server }], ...rest });
}
