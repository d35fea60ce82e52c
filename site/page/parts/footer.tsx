/** Other ways to read the same data. */
const LINKS = [
  ["openapi.json", "OpenAPI"],
  ["docs", "Reference"],
  ["feed.atom", "Feed"],
] as const;

export function Footer() {
  return (
    <footer>
      <p>
        Every figure here is read from the public API; all times are UTC. What is not known is shown as not known,
        estimates and projections are <span class="projected">~ in italics</span>.
      </p>
      <ul>
        {LINKS.map(([href, text]) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </footer>
  );
}
