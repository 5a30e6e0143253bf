/**
 * The entity tags that a condition asks for (RFC 9110 section 13.1), each as it was sent; `*` stands for any at all.
 */
export type ConditionTags = "*" | ReadonlyArray<string>

/** An entity tag (RFC 9110 section 8.8.3): between its quotes may be commas, and no quote. */
const entityTag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y

/** Separators of the elements of a list, which may be empty (RFC 9110 section 5.6.1.2). */
const between = /[ \t]*(?:,[ \t]*)*/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Reads the value of `If-Match` or `If-None-Match`; undefined where it is not well-formed. */
export const parseConditionTags = (header: string): ConditionTags | undefined => {
  if (header.trim() === "*") return "*"
  const tags: Array<string> = []
  let separator = matchAt(between, header, 0)!
  for (let at = separator.length; at < header.length;) {
    const tag = matchAt(entityTag, header, at)
    if (tag === undefined || (tags.length > 0 && !separator.includes(","))) return undefined
    tags.push(tag)
    separator = matchAt(between, header, at + tag.length)!
    at += tag.length + separator.length
  }
  return tags.length === 0 ? undefined : tags
}

/** Whether a strong tag is among those asked for, by strong comparison (RFC 9110 section 8.8.3.2): no weak tag is. */
export const isAmong = (expected: ConditionTags, etag: string): boolean => expected === "*" || expected.includes(etag)

/** Whether an `If-None-Match` header (RFC 9110 section 13.1.2) has this strong tag, by weak comparison. */
export const matchesEtag = (header: string | undefined, etag: string): boolean => {
  const expected = header === undefined ? undefined : parseConditionTags(header)
  return expected !== undefined && (isAmong(expected, etag) || isAmong(expected, `W/${etag}`))
}
