/** Above everything, when what is published lags. The place is said to be a status, so that its change is read out. */
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { publicationWords } from "../words/publication.ts";

export function Banner({ status, now }: { readonly status: PublicationStatus | undefined; readonly now: number }) {
  const words = status === undefined ? [] : publicationWords(status, now);
  return (
    <div role="status" class={words.length === 0 ? "banner quiet" : "banner"}>
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}
