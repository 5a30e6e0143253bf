/** The entries of a list, page after page, at most so many of them. */
export const firstOf = async <A>(list: AsyncIterable<A>, most: number): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of list) {
    found.push(each)
    if (found.length >= most) break
  }
  return found
}
