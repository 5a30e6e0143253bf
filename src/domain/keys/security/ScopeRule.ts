/**
 * Whether a token with these scopes may do what needs a scope: it has that one, or `admin`, or may write what is only to be
 * read. Whoever changes something sees it in the answer anyway.
 */
export const coversScope = (held: ReadonlyArray<string>, needed: string): boolean =>
  held.includes("admin") || held.includes(needed) ||
  (needed.endsWith(":read") && held.includes(needed.replace(/read$/, "write")))
