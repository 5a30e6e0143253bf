const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Whether each word of a text begins a word of the name, in any order. An empty text matches all names. */
export const isMatch = (text: string, name: string): boolean => {
  const own = wordsOf(name)
  const asked = wordsOf(text)
  if (asked.length === 0) return text.trim() === ""
  return asked.every((word) => own.some((each) => each.startsWith(word)))
}
