/** Returns a header's value; joins the lines of a repeated header. */
export function fieldOf(header) {
  if (header.multiValue === undefined) return header.value;
  return header.multiValue
    .map(function (line) {
      return line.value;
    })
    .join(", ");
}
