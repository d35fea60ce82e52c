/** The document as text, with its address. It loads no schemas, because the publisher uses it, too. */

/** The text that is published and printed. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The package's document with the operator's address, which was unknown when the package was built. */
export function withServer(text: string, server: string): string {
  return documentText({ ...JSON.parse(text), servers: [{ url: server }] });
}
