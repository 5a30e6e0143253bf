/** Stands for a path and a query, which may hold a secret of the receiver. */
const mask = "/***"

/**
 * A URL of a receiver for everybody who does not manage webhooks: its origin. Whoever knows the path of a chat's incoming
 * webhook, or the token in a query, can post there himself.
 */
export const maskedUrl = (url: string): string => {
  if (!URL.canParse(url)) return mask
  const { origin, pathname, protocol, search } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") return mask
  return origin + (pathname === "/" && search === "" ? "/" : mask)
}

/** Where a redirect leads that was answered by `url`, masked; undefined where it does not say. */
export const maskedLocation = (location: string | undefined, url: string): string | undefined =>
  location === undefined || !URL.canParse(location, url) ? undefined : maskedUrl(new URL(location, url).href)
