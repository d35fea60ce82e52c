/**
 * The valid forms of a Host field for fronts: `uri-host [ ":" port ]` of RFC 9110, for PCRE between double quotes.
 * Possessive, because every request is checked.
 */
export const HOST =
  "(?:\\[[0-9A-Za-z.:%_~-]+\\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]++|%[0-9A-Fa-f][0-9A-Fa-f])*+)(?::[0-9]{0,5})?";
