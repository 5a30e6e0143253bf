/** The document with the part named `part` replaced: what stands between its two markers, which stay. */
export const withGenerated = (document: string, part: string, lines: ReadonlyArray<string>): string => {
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The document has no lines ${begin} and ${end}`)
  return document.slice(0, from) + [begin, "", ...lines, "", end].join("\n") + document.slice(to + end.length)
}
