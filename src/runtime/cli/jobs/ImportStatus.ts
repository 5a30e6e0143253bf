import { Effect } from "effect"
import type { License } from "../../../client/api/index.ts"
import type { Catalog, RequestedLicense } from "../../importing/LicenseJudge.ts"
import type { ImportRow } from "../../importing/RowReader.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"

/** The licenses that are compared, and changed, concurrently. */
const atOnce = 8

/** How an existing license differs from the file. */
export interface StandingDifference {
  readonly line: number
  /** Absent if the key belongs to a license that the token may not read: one of another product. */
  readonly license_id?: string
  readonly there: string
  readonly here: string
  /** What `--update-status` changes; absent if a person has to decide. */
  readonly change?: "revoke" | "suspend" | "set end" | "remove end"
  /** The reason why the service refused that. */
  readonly refused?: string
}

/** A row whose license exists already. */
export interface AlreadyThere {
  readonly row: ImportRow
  readonly license: RequestedLicense
}

/** The rows that differ. A license may differ in several ways. */
export const linesOf = (differing: ReadonlyArray<StandingDifference>): ReadonlySet<number> =>
  new Set(differing.map(({ line }) => line))

interface Judged extends StandingDifference {
  /** The expiration in the file, if it is to be set. */
  readonly end?: string
}

/** The result of one comparison. */
type Found = Omit<Judged, "line" | "license_id">

const strict: ReadonlyArray<string> = ["active", "suspended", "revoked"]

const statusThere = ({ status }: RequestedLicense): string => typeof status === "string" ? status : "active"

const endOf = (expires_at: unknown): string => typeof expires_at === "string" ? `until ${expires_at}` : "without an end"

const emailOf = (email: unknown): string | undefined =>
  typeof email === "string" && email.trim() !== "" ? email.trim().toLowerCase() : undefined

/** A key of another product is the same text by chance, or the file was imported to the wrong product. */
const productDifference = ({ license }: AlreadyThere, here: License, { products }: Catalog): Found | undefined => {
  const codeOf = (id: unknown) => [...products].find(([, named]) => named === id)?.[0] ?? String(id)
  const { product_id } = license
  return product_id === here.product_id
    ? undefined
    : { there: `product ${codeOf(product_id)}`, here: `product ${codeOf(here.product_id)}` }
}

/** If the file names no owner, it may be anyone. */
const ownerDifference = ({ license }: AlreadyThere, here: License): Found | undefined => {
  const { customer_email, customer_id } = license
  if (typeof customer_id === "string" && customer_id !== (here.customer_id ?? "")) {
    return { there: `customer ${customer_id}`, here: here.customer_id ? `customer ${here.customer_id}` : "no customer" }
  }
  const email = emailOf(customer_email)
  if (email === undefined || email === emailOf(here.customer_email)) return undefined
  const known = emailOf(here.customer_email) ?? here.customer_id
  return { there: `owner ${email}`, here: known === undefined ? "no owner" : `owner ${known}` }
}

const statusDifference = ({ license }: AlreadyThere, here: License): Found | undefined => {
  const there = statusThere(license)
  const decided = strict.includes(here.status) ? here.status : "active"
  if (there === decided) return undefined
  const isStricter = strict.indexOf(there) > strict.indexOf(decided)
  return { there, here: here.status, ...(isStricter ? { change: there === "revoked" ? "revoke" : "suspend" } : {}) }
}

/** Whether an empty cell means that there is no expiration. It does not mean the end of a policy's duration. */
const isEmptyEnd = ({ license, row }: AlreadyThere, { policies }: Catalog): boolean =>
  row.isEndEmpty === true &&
  policies.get(String(license["product_id"]))?.find(({ id }) => id === license["policy_id"])?.duration === undefined

const endDifference = (found: AlreadyThere, here: License, catalog: Catalog): Found | undefined => {
  const { license, row } = found
  // The subscription decides the end of a license that follows it, and a revoked license has ended.
  if (here.follows_subscription === true || [statusThere(license), here.status].includes("revoked")) return undefined
  const end = license["expires_at"]
  const of = { there: endOf(end), here: endOf(here.expires_at) }
  const until = here.expires_at === undefined ? undefined : Date.parse(here.expires_at)
  if (typeof end !== "string") {
    if (until === undefined) return undefined
    if (row.isEndless === true) return { ...of, change: "remove end" }
    // Only an explicit value removes an expiration.
    return isEmptyEnd(found, catalog) ? of : undefined
  }
  if (until === undefined || Date.parse(end) > until) return { ...of, change: "set end", end }
  return Date.parse(end) < until ? of : undefined
}

/**
 * The differences between a row and its license. A license of another product is not compared, and one of another
 * owner is not changed: it may be another license with the same key.
 */
const differencesOf = (found: AlreadyThere, here: License, catalog: Catalog): ReadonlyArray<Judged> => {
  const of = { line: found.row.line, license_id: here.id }
  const product = productDifference(found, here, catalog)
  if (product !== undefined) return [{ ...of, ...product }]
  const owner = ownerDifference(found, here)
  const standing = [endDifference(found, here, catalog), statusDifference(found, here)]
  const named = owner === undefined
    ? standing
    : [owner, ...standing.map((one) => one && { there: one.there, here: one.here })]
  return named.flatMap((one) => one === undefined ? [] : [{ ...of, ...one }])
}

const lookUp = Effect.fnUntraced(function*(key: string) {
  const { ask } = yield* ServiceApi
  return yield* Effect.catchTag(
    ask((client) => client.licenses.lookup({ license_key: key })),
    "Refused",
    (refused) => refused.error.code === "NOT_FOUND" ? Effect.undefined : Effect.fail(refused)
  )
})

/** The existing licenses that differ from the file: after a refund since the first import, for example. */
export const standingDifferences = Effect.fnUntraced(
  function*(rows: ReadonlyArray<AlreadyThere>, catalog: Catalog) {
    const found = yield* Effect.forEach(
      rows,
      (row) =>
        Effect.map(lookUp(String(row.license["license_key"])), (here): ReadonlyArray<Judged> =>
          here === undefined
            ? [{ line: row.row.line, there: statusThere(row.license), here: "no license that this token can read" }]
            : differencesOf(row, here, catalog)),
      { concurrency: atOnce }
    )
    return found.flat()
  }
)

const reason = "as the system says that it was imported from"

/**
 * Changes one license to match the file. A refusal that concerns the license is added to its difference; one that
 * concerns the token ends the command.
 */
const adjust = Effect.fnUntraced(function*(difference: Judged) {
  const { ask } = yield* ServiceApi
  const { change, end, license_id: id } = difference
  if (change === undefined) return difference
  const changed = ask((client) =>
    change === "revoke"
      ? client.licenses.revoke(id!, { reason })
      : change === "suspend"
      ? client.licenses.suspend(id!, { reason })
      : client.licenses.update(id!, { expires_at: end ?? null })
  )
  return yield* Effect.as(changed, difference).pipe(Effect.catchTag("Refused", (refused) => {
    const { detail, message, status = 0 } = refused.error
    const refusedDifference: Judged = { ...difference, refused: detail ?? message }
    return [404, 409, 422].includes(status) ? Effect.succeed(refusedDifference) : Effect.fail(refused)
  }))
})

/** Changes licenses to match the file, as {@link StandingDifference.change} allows; answers the refusals, too. */
export const adjustStandings = Effect.fnUntraced(function*(differences: ReadonlyArray<Judged>) {
  const licenses = [...Map.groupBy(differences, ({ line }) => line).values()]
  // Changes of one license are made in order: the expiration first, while its status allows that.
  const adjusted = yield* Effect.forEach(licenses, (of) => Effect.forEach(of, adjust), { concurrency: atOnce })
  return adjusted.flat()
})
