/** Types of values in bodies (docs/spec/api.md#values). All are strings, so nothing is rounded. */

/** ISO 8601 in UTC with three decimals. */
export type Timestamp = string;
/** `YYYY-MM-DD`. */
export type CalendarDate = string;
/** `0`, or a positive integer without leading zeros, of at most 78 digits. `units` and `amount` parse it. */
export type DecimalString = string;
export type UuidString = string;
/** `0x` and 64 hexadecimal digits. */
export type ChainHash = string;
/** `0x` and 40 hexadecimal digits. */
export type ChainAddress = string;
