import { Result } from "effect"
import { Liquid, LiquidError } from "liquidjs"
import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"
import type { MailValue, MailValues } from "./MailDeclaration.ts"

/**
 * What a template may use of Liquid: conditions and small words on texts. Nothing repeats, reads a file or includes another
 * template, so a rendering is done within the length of its source. What is not listed is unknown.
 */
const allowedTags = new Set(["if", "unless", "case", "comment", "#"])
const allowedFilters = new Set(["capitalize", "default", "downcase", "upcase", "strip", "truncate"])

/** The bounds of one rendering: characters of the source, milliseconds, and bytes or so. */
const bounds = { parseLimit: 20_000, renderLimit: 1_000, memoryLimit: 1_000_000 } as const

/** The marks around a value in what was rendered: markup is read around values, and never in them. */
export const valueMarks = { begin: "\ue000", end: "\ue001" } as const

const marks = /[\ue000\ue001]/g

/** English writes the day before the month: most of its readers are not in the United States. */
const localeOf = (language: MailLanguage): string => language === "en" ? "en-GB" : language

/** What went wrong in a template, and in which line of it. */
export interface TemplateFault {
  readonly line: number
  readonly message: string
}

/**
 * A name as one line of visible text: a header of a mail ends at a line break, and marks of direction would turn what follows.
 * Names come from customers and shops.
 */
export const oneLine = (name: string): string =>
  name.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").replaceAll(/ {2,}/g, " ")
    .trim()

/** How a language writes values: a day with its time zone, a number with its separators. */
const writerOf = (language: MailLanguage): (value: MailValue) => string => {
  const numbers = new Intl.NumberFormat(localeOf(language))
  const days = new Intl.DateTimeFormat(localeOf(language), { dateStyle: "long", timeZone: "UTC" })
  return (value) => {
    if (typeof value === "string") return oneLine(value)
    if (typeof value === "number") return numbers.format(value)
    if (language === "ja") return `${days.format(value)}（UTC）`
    // French has an ordinal for the first day of a month alone, which Intl leaves out.
    const day = language === "fr" ? days.format(value).replace(/^1(?= )/, "1er") : days.format(value)
    return `${day} (UTC)`
  }
}

/** A value as a language writes it. */
export const written = (value: MailValue, language: MailLanguage): string => writerOf(language)(value)

const isValue = (value: unknown): value is MailValue =>
  typeof value === "string" || typeof value === "number" || value instanceof Date

const engineOf = (language: MailLanguage): Liquid => {
  const write = writerOf(language)
  const engine = new Liquid({
    ...bounds,
    cache: false,
    dynamicPartials: false,
    // An empty text counts as none: a name of nothing but marks of direction is nobody's.
    jsTruthy: true,
    lenientIf: true,
    ownPropertyOnly: true,
    relativeReference: false,
    strictFilters: true,
    strictVariables: true,
    // Templates by name: there are none, and the file system is not asked.
    templates: {},
    outputEscape: (value: unknown) =>
      `${valueMarks.begin}${isValue(value) ? write(value).replaceAll(marks, "") : ""}${valueMarks.end}`
  })
  for (const name of Object.keys(engine.tags)) if (!allowedTags.has(name)) Reflect.deleteProperty(engine.tags, name)
  for (const name of Object.keys(engine.filters)) if (!allowedFilters.has(name)) engine.unregisterFilter(name)
  return engine
}

const engines = new Map<MailLanguage, Liquid>()

/** The engine of a language, made for its first mail: commands that send none do without. */
const engineFor = (language: MailLanguage): Liquid => {
  const engine = engines.get(language) ?? engineOf(language)
  engines.set(language, engine)
  return engine
}

/** Where and how Liquid failed; its message ends with the place, which is told apart. */
const faultOf = (error: unknown): TemplateFault => {
  if (!LiquidError.is(error)) return { line: 1, message: "This template cannot be rendered" }
  const place = /, line:(\d+), col:\d+$/.exec(error.message)
  return {
    line: Number(place?.[1] ?? 1),
    message: error.message.replace(/(?:, file:.*)?, line:\d+, col:\d+$/, "")
  }
}

/** Renders a source with values, each of them between marks; or says what is wrong with the source. */
export const liquid = (
  source: string,
  values: MailValues,
  language: MailLanguage
): Result.Result<string, TemplateFault> => {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? oneLine(value) : value] as const]
  )
  return Result.try({
    try: () => String(engineFor(language).parseAndRenderSync(source.replaceAll(marks, ""), Object.fromEntries(given))),
    catch: faultOf
  })
}

/**
 * The first variable of a source that is none of those that are known. A condition about one would hold or fail in silence
 * in every mail.
 */
export const unknownVariable = (source: string, known: ReadonlyArray<string>): TemplateFault | undefined => {
  const { globals } = engineFor("en").parseAndAnalyzeSync(source, undefined, { partials: false })
  return Object.entries(globals).flatMap(([name, uses]) =>
    known.includes(name) ? [] : [{ line: uses[0]?.location.row ?? 1, message: `unknown variable: ${name}` }]
  ).toSorted((a, b) => a.line - b.line)[0]
}
