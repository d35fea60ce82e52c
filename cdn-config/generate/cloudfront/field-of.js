/** Of a header that stands more than once, its lines as one list. */
export function fieldOf(header) {
  if (header.multiValue === undefined) return header.value;
  return header.multiValue
    .map(function (line) {
      return line.value;
    })
    .join(", ");
}
