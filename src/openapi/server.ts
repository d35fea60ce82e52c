/** Adds the operator's address to the document. Loads no schemas, because the publisher uses this module too. */

/** Serialises the document as it is published and printed. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Sets the operator's address in the package's document. It is not known when the package is built. */
export function withServer(text: string, server: string): string {
  return documentText({ ...JSON.parse(text), servers: [{ url: server }] });
}
