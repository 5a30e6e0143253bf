/** Items by a key, in their order: what `Map.groupBy` does, which Node.js 20 does not have and the clients run on. */
export const groupedBy = <Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key
): Map<Key, Array<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
