/**
 * What a Host field may be, as fronts judge it: `uri-host [ ":" port ]` of RFC 9110, for PCRE between double quotes.
 * Possessive, for it is judged at every request.
 */
export const HOST =
  "(?:\\[[0-9A-Za-z.:%_~-]+\\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]++|%[0-9A-Fa-f][0-9A-Fa-f])*+)(?::[0-9]{0,5})?";
