/**
 * Whether a subscription takes events of this kind: it lists kinds, and families written `license.*`. An empty list takes
 * every kind. The service delivers by this rule, and receivers read the feed by it, also for kinds that are newer than they.
 */
export const matches = (subscription: ReadonlyArray<string>, kind: string): boolean =>
  subscription.length === 0 || subscription.includes(kind) ||
  subscription.includes(`${kind.slice(0, kind.indexOf("."))}.*`)
