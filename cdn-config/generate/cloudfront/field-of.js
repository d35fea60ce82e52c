/** A header's lines as one list, if it appears more than once. */
export function fieldOf(header) {
  if (header.multiValue === undefined) return header.value;
  return header.multiValue
    .map(function (line) {
      return line.value;
    })
    .join(", ");
}
