/** The looks of a half hour, which differ by more than their colour. */

const LOOKS = [
  ["worked step-1", "little"],
  ["worked step-2", ""],
  ["worked step-3", ""],
  ["worked step-4", ""],
  ["worked step-5", "most work"],
  ["idle", "idle"],
  ["missing", "missing"],
  ["future", "not yet"],
  ["worked step-3 partial", "partial"],
] as const;

export function Legend() {
  return (
    <ul class="legend" aria-label="Looks of a half hour">
      {LOOKS.map(([look, text]) => (
        <li key={look} aria-hidden={text === "" ? "true" : undefined}>
          <i class={`cell ${look}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}
