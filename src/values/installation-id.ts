/**
 * Installation identities (docs/spec/api.md#values; docs/spec/intake.md#records): 1 to 128 characters of `A-Z a-z 0-9 .
 * _ : -`.
 */

const IN_PATHS = /^[A-Za-z0-9._:-]{1,128}$/;

/** What a path may carry. `.` and `..` match, though no URL reaches them. */
export function isInstallationId(text: string): boolean {
  return IN_PATHS.test(text);
}

/** What a ledger or a configuration may name: as in paths, save `.` and `..`. */
export function isNameableInstallationId(text: string): boolean {
  return IN_PATHS.test(text) && text !== "." && text !== "..";
}
