/** The most tries of a page; the waits between them are 2, 4, 8 seconds and so on. */
export const mostTries = 8

/** The longest that a provider may ask to wait, in seconds. */
const longestRequested = 3600

/**
 * How long a page waits after a try that did not read it, in seconds; undefined: it was the last one. `requested`: how long the
 * provider asks to wait, in milliseconds. A page that is read begins anew.
 */
export const waitAfterTry = (tries: number, requested = 0): number | undefined =>
  tries >= mostTries ? undefined : Math.min(longestRequested, Math.max(2 ** tries, Math.ceil(requested / 1000)))
