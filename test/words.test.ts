import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { mailLanguages } from "../src/domain/ground/wire/MailLanguage.ts"
import { customerTexts } from "./fixtures/CustomerTexts.ts"
import { spokenTexts } from "./fixtures/SpokenTexts.ts"
import type { SpokenText } from "./fixtures/SpokenTexts.ts"

const root = join(import.meta.dirname, "..")

/** The rows of the tables of the glossary that say what not to say: the term, and each phrase that it replaces. */
const banned: ReadonlyArray<readonly [term: string, phrase: string]> = readFileSync(
  join(root, "docs/reference/glossary.md"),
  "utf8"
).split("\n").flatMap((line) => {
  const cells = line.split("|").slice(1, -1).map((cell) => cell.trim())
  const [term = ""] = cells
  return [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)].map(([, phrase = ""]) => [term, phrase] as const)
})

/** A phrase as whole words, in any case. */
const patternOf = (phrase: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}_-])${phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+")}(?![\\p{L}_-])`,
    "iu"
  )

const patterns = banned.map(([term, phrase]) => ({ term, phrase, pattern: patternOf(phrase) }))

/** Where programs show texts to people. The words of former editions of PDF files are kept, as they were signed. */
const programs = {
  console: globSync("src/console/**/*.{ts,tsx}", { cwd: root }),
  contract: globSync("src/domain/**/*.ts", { cwd: root }),
  http: globSync("src/{api,http}/**/*.ts", { cwd: root }),
  services: globSync("src/services/**/*.ts", { cwd: root }),
  "command line, settings, PDF reports and logs": globSync("src/runtime/**/*.ts", {
    cwd: root,
    exclude: (path) => path.startsWith("src/runtime/postgres/migrations")
  }),
  client: globSync("src/client/**/*.ts", { cwd: root })
}

/**
 * Texts that keep old words, each for a reason. The list only shrinks: an entry that no program says any more, or that
 * breaks no rule, fails.
 */
const kept: Readonly<Record<string, ReadonlyArray<string>>> = {
  "auditors in other languages say the same": [
    "event … stands in its place",
    "an event … stands after event …",
    "it stands after a later event",
    "stands in a text that is too long: give the key alone"
  ],
  "the reader of a document puts its name before them": [
    "It is not JSON",
    "It holds a lone surrogate",
    "It is nested deeper than …"
  ]
}
const isKept = new Set(Object.values(kept).flat())

const formerWords = (text: SpokenText, source: string): boolean => {
  if (!text.at.startsWith("src/runtime/rendering/report/reportWords.ts:")) return false
  const line = Number(text.at.split(":").at(-1))
  return line < source.slice(0, source.indexOf("\nconst third")).split("\n").length
}

const spaced = (text: string): string => text.replaceAll(/\s+/g, " ")

/** What customers read in other languages: the glossary is of English. */
const foreign = new Set(mailLanguages.filter((language) => language !== "en").flatMap(customerTexts).map(spaced))

const spoken: ReadonlyArray<SpokenText> = Object.values(programs).flat().toSorted().flatMap((path) => {
  const source = readFileSync(join(root, path), "utf8")
  return spokenTexts(root, path).filter((text) => !formerWords(text, source) && !foreign.has(spaced(text.text)))
})

/** The headings of documents, as `file:line`. Records of decisions are of their time. */
const headings: ReadonlyArray<SpokenText> = [
  ...globSync("docs/**/*.md", { cwd: root }),
  ...globSync("{README,ARCHITECTURE,CONTRIBUTING,SECURITY}.md", { cwd: root }),
  ...globSync("{src/client,examples/*}/README.md", { cwd: root })
].filter((path) => !path.startsWith("docs/decisions/") && path !== "docs/reference/glossary.md").toSorted().flatMap(
  (path) => {
    let isCode = false
    return readFileSync(join(root, path), "utf8").split("\n").flatMap((line, index) => {
      if (line.startsWith("```")) isCode = !isCode
      const text = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1]
      return text === undefined ? [] : [{ at: `${path}:${index + 1}`, text, holder: "heading" }]
    })
  }
)

/** What is written as code keeps its names. */
const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, "…")

const sentencesOf = (text: string): ReadonlyArray<string> => withoutCode(text).split(/(?<=[.!?:;]) /)
const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word))

/** Texts of {@link kept} that a rule has found. */
const stillNeeded = new Set<string>()

const found = (texts: ReadonlyArray<SpokenText>, faultOf: (text: SpokenText) => string | undefined) =>
  texts.flatMap((text) => {
    const fault = faultOf(text)
    if (fault !== undefined && isKept.has(text.text)) stillNeeded.add(text.text)
    return fault === undefined || isKept.has(text.text) ? [] : [`${text.at}: ${fault}: ${text.text}`]
  })

/** What a text says that the glossary replaces, and by what. */
const bannedIn = ({ text }: SpokenText): string | undefined => {
  const prose = withoutCode(text)
  const wrong = patterns.filter(({ pattern }) => pattern.test(prose))
  return wrong.length === 0
    ? undefined
    : wrong.map(({ phrase, term }) => `"${phrase}" is "${term}"`).join(", ")
}

/** How many words a text of the console or a heading may have, by what holds it. */
const most: Readonly<Record<string, number>> = { Button: 4, label: 6, heading: 9 }

describe("texts that people read", () => {
  it("are found, with where they are held", () => {
    assert.isAbove(banned.length, 80)
    assert.isAbove(spoken.length, 3000)
    assert.isAbove(headings.length, 250)
    const all = new Set(spoken.map(({ text }) => text))
    for (const text of ["Effective policy", "Data as of", "Can this license run?"]) assert.isTrue(all.has(text), text)
  })

  it("say what the glossary says, in the console, on the command line, in PDF reports and in the contract", () => {
    assert.deepStrictEqual(found(spoken, bannedIn), [])
  })

  it("say what the glossary says, in the headings of documents", () => {
    assert.deepStrictEqual(found(headings, bannedIn), [])
  })

  it("have sentences of at most 35 words and four commas", () => {
    assert.deepStrictEqual(
      found(spoken, ({ holder, text }) =>
        holder === "command"
          ? undefined
          : sentencesOf(text).some((sentence) => wordsOf(sentence).length > 35)
          ? "more than 35 words"
          : sentencesOf(text).some((sentence) => sentence.split(", ").length > 5)
          ? "more than four commas"
          : undefined),
      []
    )
  })

  it("are short where they are buttons, labels and headings", () => {
    const shown = [...spoken.filter(({ at }) => at.startsWith("src/console/")), ...headings]
    assert.deepStrictEqual(
      found(
        shown,
        ({ holder, text }) =>
          wordsOf(text).length > (most[holder] ?? Infinity) ? `more than ${most[holder]} words` : undefined
      ),
      []
    )
  })

  it("have the unit behind the number, and quantiles by their names", () => {
    assert.deepStrictEqual(
      found(spoken, ({ text }) => /, (min|days|hours)$|\b\d+ (of 100|%) within/.test(text) ? "unit" : undefined),
      []
    )
  })

  it("begin with their subject", () => {
    assert.deepStrictEqual(
      found([...spoken, ...headings], ({ holder, text }) => {
        if (/^(It|Its|They|That|These)\b/.test(text)) return "begins with a pronoun"
        if (holder === "heading") return undefined
        return sentencesOf(text).some((sentence) =>
            /^(What|Who|Whoever|Nothing|Nobody)\b/.test(sentence) && !sentence.includes("?")
          )
          ? "has no subject"
          : undefined
      }),
      []
    )
  })

  it("keep old words only where the list of exceptions says why", () => {
    assert.sameMembers([...stillNeeded], [...isKept], "take what nothing needs any more out of `kept`")
  })
})
