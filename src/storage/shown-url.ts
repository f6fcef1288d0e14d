/** A store's URL as it may be shown or logged: without its password, however that was written. */
export function shownUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+]*:\/\/[^:/?#@]*):.*@/is, '$1:***@')
    .replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1***')
}
