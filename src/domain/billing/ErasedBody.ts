import type { Fact, Origin } from "../providers/Fact.ts"
import type { Json, JsonObject } from "../wire/CanonicalJson.ts"

/** Members of providers' objects that tell who somebody is, or where. */
const personal =
  /e-?mail|phone|address|^(first_|last_|full_|user_|customer_|company_|display_)?name$|^line[12]$|city|postal|zip|tax_id|^ip/i

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const blank = (value: Json): Json =>
  typeof value === "string" ? "" : isList(value) ? [] : typeof value === "object" && value !== null ? {} : value

const erasedObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, personal.test(name) ? blank(member) : erased(member)])
  )

const erased = (value: Json): Json => {
  if (isList(value)) return value.map(erased)
  return typeof value === "object" && value !== null ? erasedObject(value) : value
}

/** The event of a provider without what tells who somebody is: its facts about the purchase stay what they are. */
export const erasedBody = (body: string): string => JSON.stringify(erased(JSON.parse(body)))

const erasedTexts = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, personal.test(name) ? "" : text]))

const erasedOrigin = ({ metadata, ...origin }: Origin): Origin => ({
  ...origin,
  ...(metadata === undefined ? {} : { metadata: erasedTexts(metadata) })
})

/** What was read of an event, without who somebody is. */
export const erasedFacts = (facts: ReadonlyArray<Fact>): ReadonlyArray<Fact> =>
  facts.map((fact) => ({
    ...fact,
    ...("payer" in fact && fact.payer !== undefined ? { payer: { id: fact.payer.id } } : {}),
    ...("origin" in fact && fact.origin !== undefined ? { origin: erasedOrigin(fact.origin) } : {}),
    ...("chain" in fact && fact.chain !== undefined
      ? {
        chain: {
          object: erasedObject(fact.chain.object),
          previous: fact.chain.previous && erasedObject(fact.chain.previous)
        }
      }
      : {})
  }))
