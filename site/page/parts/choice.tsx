/** A row of buttons of which one is pressed. */

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly value: Value;
  readonly choose: (value: Value) => void;
}

export function Choice<Value extends string>({ label, options, value, choose }: ChoiceProps<Value>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([one, text]) => (
        <button type="button" key={one} aria-pressed={one === value} onClick={() => choose(one)}>
          {text}
        </button>
      ))}
    </div>
  );
}
