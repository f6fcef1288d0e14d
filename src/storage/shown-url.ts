/** The user name and password in an address, even after quotes or spaces, or without the slashes. */
const PASSWORD = /((?:[a-z][a-z0-9+.-]*:\/\/|(?:postgres(?:ql)?|https?|dynamodb):)[^:/?#@]*):.*@/is

/** A store's URL for display and logs, with the password removed however it was written. */
export function shownUrl(url: string): string {
  return url.replace(PASSWORD, '$1:***@').replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1***')
}
