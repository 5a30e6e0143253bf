import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { ReportClock } from "./ReportClock.ts"
import { factsOf } from "./reportTexts.ts"
import type { Fact } from "./reportTexts.ts"
import type { ReportWords } from "./reportWords.ts"

/** Members of a summary that say whom or what the report is about, and what each is called. */
const subjects: Readonly<Record<string, string>> = { customer: "Customer", license: "License", subject: "Subject" }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Both ends of a key are one text for a person. */
const withKey = ({ license_key_last4, license_key_prefix, ...rest }: JsonObject): JsonObject =>
  typeof license_key_prefix === "string" && typeof license_key_last4 === "string"
    ? { ...rest, key: `${license_key_prefix}…${license_key_last4}` }
    : rest

/** The subject of a report, which a reader asks first, apart from the rest of its summary. */
export interface ReportSubject {
  readonly title: string
  readonly id: unknown
  readonly facts: ReadonlyArray<Fact>
}

/** Parts a summary into its subject, if the report is about one, and what it says of it. */
export const subjectOf = (
  summary: JsonObject,
  clock: ReportClock,
  words: ReportWords
): { readonly subject?: ReportSubject; readonly rest: JsonObject } => {
  const found = Object.entries(summary).find(([name, value]) => subjects[name] !== undefined && isObject(value))
  if (found === undefined) return { rest: summary }
  const [name, value] = found as [string, JsonObject]
  const { [name]: _subject, ...rest } = summary
  const { type, ...members } = withKey(value)
  const title = type === "order" ? "Order" : type === "subscription" ? "Subscription" : subjects[name]!
  return { subject: { title, id: value["id"], facts: factsOf(members, clock, words) }, rest }
}
