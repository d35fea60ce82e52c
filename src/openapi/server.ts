/** The document as text, and the address it names. Without the schemas: the publisher loads this too. */

/** The text that is published and printed. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The document of the package, whose address nobody knew when it was made, with the operator's address. */
export function withServer(text: string, server: string): string {
  return documentText({ ...JSON.parse(text), servers: [{ url: server }] });
}
