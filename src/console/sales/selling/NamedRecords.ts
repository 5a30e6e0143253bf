/** The records that entries of a mapping name, by their IDs; one that was deleted is not among them. */
export const namedRecords = async <A extends { readonly id: string }>(
  ids: ReadonlyArray<string>,
  find: (id: string) => Promise<{ readonly ok: true; readonly data: A } | { readonly ok: false }>
): Promise<ReadonlyMap<string, A>> => {
  const found = await Promise.all([...new Set(ids)].map(find))
  return new Map(found.flatMap((result) => result.ok ? [[result.data.id, result.data] as const] : []))
}
