// Shortens the declarations of a package without a change of a type: tsc writes a schema out in full at every place that
// uses it, with the indentation of that place.

/** A comment of a member: its first sentence, on one line. */
const firstSentence = (comment: string): string => {
  const text = comment.slice(3, -2).replaceAll(/^\s*\* ?/gm, "").split(/\n\s*\n/)[0]!.replaceAll(/\s+/g, " ").trim()
  const [sentence = text] = /^.*?[.!?](?= [A-Z`]|$)/.exec(text) ?? []
  return `/** ${sentence} */`
}

const comments = /^[ \t]*\/\*\*[^]*?\*\/\n/gm

/**
 * The types of operations without comments on headers, paths and statuses: callers give these by the arguments of a method,
 * and write no value of such a type. Members of a query stay explained.
 */
const withoutTransport = (declarations: string): string =>
  declarations.replaceAll(/^export type \w+(Data|Responses) = \{\n[^]*?^\};/gm, (type, kind: string) => {
    if (kind === "Data" && !/^ {4}url: /m.test(type)) return type
    const [before = "", query = "", after = ""] = type.split(/(^ {4}query\??: \{\n[^]*?^ {4}\};)/m)
    return before.replaceAll(comments, "") + query + after.replaceAll(comments, "")
  })

/** The members of an object type with its `data` and its literal `type` as parameters, and what these are; if it has data. */
const templateOf = (members: string): readonly [template: string, given: string] | undefined => {
  const [, data] = /^ {4}data: (.+);$/m.exec(members) ?? []
  if (data === undefined) return undefined
  const [, literal] = /^ {4}type: ('[^']+');$/m.exec(members) ?? []
  const template = members.replace(`    data: ${data};`, "    data: Data;")
  return literal === undefined
    ? [template, `<${data}>`]
    : [template.replaceAll(literal, "Type"), `<${data}, ${literal}>`]
}

/** The declarations with one generic type for all that differ in their `data` and their `type` alone: deliveries, answers, pages. */
const templated = (declarations: string): string => {
  const object = /^(export type \w+ = )(\{\n[^]*?^\};)$/gm
  const uses = [...declarations.matchAll(object)].flatMap(([, , members = ""]) => templateOf(members)?.[0] ?? [])
  const repeated = [...Map.groupBy(uses, (template) => template)].filter(([, of]) => of.length > 2)
  const templates = repeated.map(([template]) => template)
  const written = declarations.replaceAll(object, (type: string, head: string, members: string) => {
    const [template = "", given = ""] = templateOf(members) ?? []
    const index = templates.indexOf(template)
    return index < 0 ? type : `${head}Body${index}${given};`
  })
  const bodies = templates.map((template, index) =>
    `type Body${index}<Data${template.includes(": Type;") ? ", Type" : ""}> = ${template}\n`
  )
  return bodies.length === 0 ? written : `${written}\n${bodies.join("")}export {};\n`
}

/** Comments, texts and the rest, in their order. */
const pieces = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g

/** The declarations with schemas by their namespace: tsc writes an import at each place where a module has none. */
const byNamespace = (declarations: string): string => {
  const written = declarations.replaceAll(/import\("effect\/Schema"\)\.(?=[$\w]+)/g, "Schema.")
  return written === declarations || /^import .*\bSchema\b.* from "effect"/m.test(written)
    ? written
    : `import type { Schema } from "effect"\n${written}`
}

/** The declarations without indentation, and where `shorten` says so with comments of one sentence. */
export const compact = (declarations: string, shorten: boolean): string => {
  const kept: Array<string> = []
  const marked = (shorten ? templated(withoutTransport(declarations)) : declarations).replaceAll(pieces, (piece) => {
    if (piece.startsWith("//")) return piece
    kept.push(shorten && piece.startsWith("/**") ? firstSentence(piece) : piece)
    return `/*${kept.length - 1}*/`
  })
  return byNamespace(
    marked.replaceAll(/^[ \t]+/gm, "").replaceAll(/\/\*(\d+)\*\//g, (_, index: string) => kept[Number(index)]!)
  )
}

/** Where the type ends that opens with the bracket at `start`, or undefined where it does not close. */
const endOf = (text: string, start: number): number | undefined => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!
    if (letter === "\"") {
      for (at++; text[at] !== "\""; at++) if (text[at] === "\\") at++
    } else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1
    else if ("<{[(".includes(letter)) depth++
    else if ("}])".includes(letter) || (letter === ">" && text[at - 1] !== "=")) {
      if (--depth === 0) return at + 1
    }
  }
  return undefined
}

/** Whether a type stands by itself: it names nothing but effect's schemas. */
const isClosed = (type: string): boolean =>
  !/\b(?:typeof|import|infer)\b|\b(?!Schema\b)[A-Z]\w*(?=[\s<>,;|&)\].]|$)/.test(
    type.replaceAll(/"(?:[^"\\]|\\.)*"|\/\*[^]*?\*\//g, "").replaceAll(/\bSchema\.\$?\w+/g, "")
      .replaceAll(/\b\w+\??:/g, "")
  )

/** The types of schemas that texts have more than once and that stand by themselves, the longest first. */
const repeated = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const { 0: opened, index } of text.matchAll(/\bSchema\.\$?[A-Za-z]+</g)) {
      const end = endOf(text, index + opened.length - 1)
      const type = end === undefined ? "" : text.slice(index, end)
      if (type.length > 60) counts.set(type, (counts.get(type) ?? 0) + 1)
    }
  }
  return [...counts].filter(([type, count]) => count > 1 && isClosed(type)).map(([type]) => type)
    .toSorted((a, b) => b.length - a.length)
}

/** The declarations of modules with a name for each schema's type that they repeat, and the types by their names. */
export const shared = (
  modules: ReadonlyArray<string>
): { readonly modules: ReadonlyArray<string>; readonly types: ReadonlyArray<readonly [string, string]> } => {
  let texts = [...modules]
  const types: Array<string> = []
  for (const type of repeated(modules)) {
    const all = [...texts, ...types].map((text) => text.split(type))
    // Those inside of a longer one that has a name already stand in its declaration, which is written once.
    if (all.reduce((sum, { length }) => sum + length - 1, 0) < 2) continue
    const written = all.map((parts) => parts.join(`Shared${types.length}`))
    texts = written.slice(0, texts.length)
    types.splice(0, types.length, ...written.slice(texts.length), type)
  }
  return { modules: texts, types: types.map((type, index) => [`Shared${index}`, type] as const) }
}
