/**
 * Suggestions for a word that is not allowed. The distance is ours: it is a page of code that never changes, and a
 * dependency for it would have to be reviewed at each of its releases.
 */

/** Longer words are no typing mistakes, and each character costs. */
const longest = 64

/**
 * How many characters one word has to gain, lose, change or swap with their neighbour to become the other (optimal
 * string alignment), ignoring case. More than `most` is told as infinity and is not counted to the end: what anybody sends is compared
 * with each word that there is.
 */
export const distance = (from: string, to: string, most = Number.POSITIVE_INFINITY): number => {
  const a = from.toLowerCase()
  const b = to.toLowerCase()
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  let leastBefore = 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
      }
      least = Math.min(least, row[j]!)
    }
    // A later row is made of the two before it.
    if (least > most && leastBefore > most) return Number.POSITIVE_INFINITY
    leastBefore = least
    before = last
    last = row
  }
  return last[b.length]! > most ? Number.POSITIVE_INFINITY : last[b.length]!
}

/** Names that other services use for the same field. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  page: ["cursor"],
  offset: ["cursor"],
  after: ["cursor"],
  starting_after: ["cursor"],
  per_page: ["limit"],
  page_size: ["limit"],
  size: ["limit"],
  expiry: ["expires_at"],
  email: ["customer_email"],
  type: ["license_type", "event_type"],
  fields: ["metadata"]
}

/** The allowed words in order of distance from a word, the nearest first. */
const byDistance = (word: string, allowed: ReadonlyArray<string>) =>
  allowed.map((candidate) => ({ candidate, far: distance(word, candidate) })).toSorted((a, b) => a.far - b.far)

/** The allowed word that is likely meant: at most a third of its characters differ, or it is another name for it. */
export const nearest = (word: string, allowed: ReadonlyArray<string>): string | undefined => {
  if (word.length > longest) return undefined
  const other = Object.hasOwn(synonyms, word) ? synonyms[word]!.find((name) => allowed.includes(name)) : undefined
  if (other !== undefined) return other
  const [best] = byDistance(word, allowed)
  return best !== undefined && best.far <= Math.max(1, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : undefined
}

/** ` Did you mean x?`, or nothing when no allowed word is near. */
export const didYouMean = (word: unknown, allowed: ReadonlyArray<string>): string => {
  const meant = typeof word === "string" ? nearest(word, allowed) : undefined
  return meant === undefined ? "" : ` Did you mean ${meant}?`
}

/** More words than these are not listed. */
const few = 24
const shown = 5

/** The allowed words as a list: all when they are few, otherwise how many there are and the nearest ones. */
export const listed = (allowed: ReadonlyArray<string>, word?: unknown): string => {
  if (allowed.length <= few) return allowed.join(", ")
  const near = typeof word === "string" && word.length <= longest
    ? byDistance(word, allowed).map(({ candidate }) => candidate)
    : allowed
  return `${allowed.length} values, such as ${near.slice(0, shown).join(", ")}`
}
