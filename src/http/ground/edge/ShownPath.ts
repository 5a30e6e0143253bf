/** The name of a request whose path no operation has: neither a label nor a line must take a caller's word. */
export const unmatched = "unmatched"

const isId = /^[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A path as it was sent, with the parameters left out that are no ids: a caller may have put anything there. `route` is the
 * path as the OpenAPI document writes it.
 */
export const shownPath = (path: string, route: string): string => {
  const sent = path.split("/")
  return route.split("/").map((part, index) =>
    part.startsWith("{") && isId.test(sent[index] ?? "") ? sent[index] : part
  ).join("/")
}
