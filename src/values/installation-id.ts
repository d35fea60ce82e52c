/** Installation ids (docs/spec/api.md#values; docs/spec/intake.md#records): 1 to 128 of `A-Z a-z 0-9 . _ : -`. */

const IN_PATHS = /^[A-Za-z0-9._:-]{1,128}$/;

/** Checks an id in a path. `.` and `..` match, but no URL reaches them. */
export function isInstallationId(text: string): boolean {
  return IN_PATHS.test(text);
}

/** The form of an id in a ledger or a configuration: as in paths, except `.` and `..`. */
export const NAMEABLE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;

export function isNameableInstallationId(text: string): boolean {
  return NAMEABLE_ID.test(text);
}
