/** The name and the password of an address: also where quotes or spaces stand before it, or its slashes are missing. */
const PASSWORD = /((?:[a-z][a-z0-9+.-]*:\/\/|(?:postgres(?:ql)?|https?|dynamodb):)[^:/?#@]*):.*@/is

/** A store's URL as it may be shown or logged: without its password, however that was written. */
export function shownUrl(url: string): string {
  return url.replace(PASSWORD, '$1:***@').replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1***')
}
