import { anchorOf, guideName } from "../../ground/pages/Markdown.ts"

/** A part of a guide under a heading, with its words as they are looked for. */
export interface GuideSection {
  readonly guide: string
  readonly heading: string
  readonly address: string
  readonly text: string
  readonly lowered: string
}

/** The longest question that is looked for, in characters; what is behind it is left out. */
export const longestQuestion = 100

/** The most sections that are found. */
export const mostFound = 20

/** The characters of a text around the first word that was found. */
const around = 160

/** Markdown as it is read: without its signs, and with each break a space. */
const readable = (markdown: string): string =>
  markdown.replaceAll(/```\w*|\[([^\]]*)\]\([^)]*\)|[*`|]|-{3,}/g, "$1").replaceAll(/\s+/g, " ").trim()

/** The parts of a document that begin with a heading. A comment of a command, which looks like one, is none. */
const partsOf = (markdown: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let isCode = false
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    if (!isCode && /^#{1,3} /.test(line)) parts.push(line)
    else if (parts.length > 0) parts.push(`${parts.pop()}\n${line}`)
  }
  return parts
}

/** The sections of guides, each with the address that leads to its heading. */
export const guideSections = (
  guides: ReadonlyArray<readonly [path: string, markdown: string]>
): ReadonlyArray<GuideSection> =>
  guides.flatMap(([path, markdown]) => {
    const page = `/docs/guides/${guideName(path)}`
    const parts = partsOf(markdown).map((part) => {
      const [head = "", ...lines] = part.split("\n")
      const title = head.replace(/^#+ /, "")
      return { depth: head.indexOf(" "), title, heading: readable(title), text: readable(lines.join("\n")) }
    })
    const guide = parts[0]?.heading ?? guideName(path)
    return parts.map(({ depth, heading, text, title }) => ({
      guide,
      heading,
      address: depth === 1 ? page : `${page}#${anchorOf(title)}`,
      text,
      lowered: `${guide} ${heading} ${text}`.toLowerCase()
    }))
  })

/** The words of a question, each without the `s` of a plural, so that it finds the singular, too. */
const wordsOf = (question: string): ReadonlyArray<string> => {
  const words = question.slice(0, longestQuestion).toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
  return [...new Set(words.filter((word) => word !== "").map((word) => word.replace(/(?<=\w{3}[^s])s$/, "")))]
}

/** The sections that have each word of a question, those first whose headings have them; none for no word. */
export const foundIn = (sections: ReadonlyArray<GuideSection>, question: string): ReadonlyArray<GuideSection> => {
  const words = wordsOf(question)
  if (words.length === 0) return []
  const named = (text: string) => words.filter((word) => text.toLowerCase().includes(word)).length
  return sections
    .filter(({ lowered }) => words.every((word) => lowered.includes(word)))
    .map((section) => ({ section, weight: 2 * named(section.heading) + named(section.guide) }))
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, mostFound)
    .map(({ section }) => section)
}

/** The text of a section around the first word of a question that it has. */
export const excerptOf = ({ text }: GuideSection, question: string): string => {
  const lowered = text.toLowerCase()
  const [first] = wordsOf(question).map((word) => lowered.indexOf(word)).filter((at) => at >= 0)
    .toSorted((one, other) => one - other)
  const from = Math.max(0, (first ?? 0) - around / 2)
  const begin = from === 0 ? 0 : text.indexOf(" ", from) + 1
  const excerpt = text.slice(begin, begin + around)
  return `${begin > 0 ? "… " : ""}${excerpt}${begin + around < text.length ? " …" : ""}`
}
