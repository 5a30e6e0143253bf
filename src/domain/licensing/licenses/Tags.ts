import { Schema } from "effect"
import { storedTag, Tag } from "../../ground/wire/Action.ts"

/** The most tags of a license. */
const mostTags = 20

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
