/** Members of providers' objects that tell who somebody is, or where. */
const personal =
  /e-?mail|phone|address|^(first_|last_|full_|user_|customer_|company_|display_)?name$|^line[12]$|city|postal|zip|tax_id|^ip/i

const blank = (value: unknown): unknown =>
  typeof value === "string" ? "" : Array.isArray(value) ? [] : typeof value === "object" && value !== null ? {} : value

const erased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(erased)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, personal.test(name) ? blank(member) : erased(member)])
  )
}

/** The event of a provider without what tells who somebody is: its facts about the purchase stay what they are. */
export const erasedBody = (body: string): string => JSON.stringify(erased(JSON.parse(body)))
