import { Schema } from "effect"
import { isVisible, notStorable } from "../wire/Fields.ts"

/** The most tags of a license, and the most UTF-16 code units of one. */
const mostTags = 20
const longestTag = 50

/** The form in which a tag is stored, so that "VIP", "#vip" and " vip " are one: composed, in lower case, without spaces around. */
export const storedTag = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll(/\s+/gu, " ").replace(/^ ?#/u, "").trim()

/** A tag in a request. */
export const Tag = Schema.String.check(
  Schema.isBetweenLength(1, longestTag),
  Schema.makeFilter(
    (value: string) =>
      notStorable(value) ??
        (isVisible(storedTag(value)) && !/[\p{Cc},]/u.test(value) && storedTag(value).length <= longestTag
          ? undefined
          : `must be 1 to ${longestTag} visible characters on one line, without a comma`),
    { toJsonSchema: () => ({ pattern: "^[^\\x00-\\x1f\\x7f,]+$" }) }
  )
).annotate({
  description:
    `A short label for the vendor's own use, up to ${longestTag} characters, without a comma. Stored in lower case, without a leading \`#\`.`,
  examples: ["vip"]
})

/** The tags of a license in a request. */
export const Tags = Schema.Array(Tag).check(Schema.isMaxLength(mostTags)).annotate({
  description: `At most ${mostTags} tags. One that comes twice counts once.`
})

/** Tags as they are stored: each once, in the order given; null where there are none. */
export const storedTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const stored = [...new Set(tags.map(storedTag))]
  return stored.length === 0 ? null : stored
}

/** The tags of a license with others added and taken away, as they are stored; undefined where that is too many. */
export const retagged = (
  tags: ReadonlyArray<string>,
  { add = [], remove = [] }: { readonly add?: ReadonlyArray<string>; readonly remove?: ReadonlyArray<string> }
): ReadonlyArray<string> | null | undefined => {
  const gone = new Set(remove.map(storedTag))
  const left = storedTags([...tags.filter((tag) => !gone.has(tag)), ...add])
  return left !== null && left.length > mostTags ? undefined : left
}
