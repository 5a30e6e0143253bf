import { Effect } from "effect"
import type { License } from "../../client/api/index.ts"
import type { AskedLicense } from "../importing/LicenseJudge.ts"
import type { ImportRow } from "../importing/RowReader.ts"
import { ServiceApi } from "./ServiceApi.ts"

/** How many licenses are looked at, and changed, at once. */
const atOnce = 8

/** How a license that is there already stands otherwise than in the file. */
export interface StandingDifference {
  readonly line: number
  /** Absent where the key is taken, and no license has it any more. */
  readonly license_id?: string
  readonly there: string
  readonly here: string
  /** What `--update-status` does about it; absent where that is for a person to decide. */
  readonly change?: "revoke" | "suspend" | "set end"
  /** Why the service did not do that. */
  readonly refused?: string
}

/** A row whose key is there already. */
export interface AlreadyThere {
  readonly row: ImportRow
  readonly license: AskedLicense
}

interface Judged extends StandingDifference {
  /** The end of the file, where it is to be set. */
  readonly end?: string
}

const strict: ReadonlyArray<string> = ["active", "suspended", "revoked"]

const statusThere = ({ status }: AskedLicense): string => typeof status === "string" ? status : "active"

const endOf = (expires_at: unknown): string => typeof expires_at === "string" ? `until ${expires_at}` : "without an end"

/** What a file says of a license, and what is so here: the stricter status, and the later end, are not left unsaid. */
const differenceOf = ({ license, row: { line } }: AlreadyThere, here: License): Judged | undefined => {
  const there = statusThere(license)
  const decided = strict.includes(here.status) ? here.status : "active"
  const of = { line, license_id: here.id }
  if (there !== decided) {
    const isStricter = strict.indexOf(there) > strict.indexOf(decided)
    const change = there === "revoked" ? "revoke" : "suspend"
    return { ...of, there, here: here.status, ...(isStricter ? { change } : {}) }
  }
  const end = license["expires_at"]
  // A license that follows its subscription ends when that says.
  if (there === "revoked" || typeof end !== "string" || here.follows_subscription === true) return undefined
  const until = here.expires_at === undefined ? undefined : Date.parse(here.expires_at)
  if (until === undefined || Date.parse(end) > until) {
    return { ...of, there: endOf(end), here: endOf(here.expires_at), change: "set end", end }
  }
  // A license that was renewed here ends later than an old file says; one that is over there, and serves here, is told.
  const isOverThere = Date.parse(end) <= Date.now() && until > Date.now()
  return isOverThere ? { ...of, there: endOf(end), here: endOf(here.expires_at) } : undefined
}

const lookUp = Effect.fnUntraced(function*(key: string) {
  const { ask } = yield* ServiceApi
  return yield* Effect.catchTag(
    ask((client) => client.licenses.lookup({ license_key: key })),
    "Refused",
    (refused) => refused.error.code === "NOT_FOUND" ? Effect.undefined : Effect.fail(refused)
  )
})

/** How licenses that are there already stand otherwise than in the file: a refund after the first import, for one. */
export const standingDifferences = Effect.fnUntraced(function*(rows: ReadonlyArray<AlreadyThere>) {
  const found = yield* Effect.forEach(
    rows,
    (row) =>
      Effect.map(lookUp(row.license.license_key), (here): Judged | undefined => {
        if (here !== undefined) return differenceOf(row, here)
        const there = statusThere(row.license)
        return there === "active" ? undefined : { line: row.row.line, there, here: "the key of no license any more" }
      }),
    { concurrency: atOnce }
  )
  return found.flatMap((difference) => difference ?? [])
})

const reason = "as the system says that it was imported from"

/** Has one license stand as in the file. What is refused about it is told with it; what is about the token ends the command. */
const adjust = Effect.fnUntraced(function*(difference: Judged) {
  const { ask } = yield* ServiceApi
  const { change, end, license_id: id } = difference
  if (change === undefined) return difference
  const changed = ask((client) =>
    change === "revoke"
      ? client.licenses.revoke(id!, { reason })
      : change === "suspend"
      ? client.licenses.suspend(id!, { reason })
      : client.licenses.update(id!, { expires_at: end! })
  )
  return yield* Effect.as(changed, difference).pipe(Effect.catchTag("Refused", (refused) => {
    const { detail, message, status = 0 } = refused.error
    const told: Judged = { ...difference, refused: detail ?? message }
    return [404, 409, 422].includes(status) ? Effect.succeed(told) : Effect.fail(refused)
  }))
})

/** Has licenses stand as in the file, as far as {@link StandingDifference.change} says; answers what was refused of it, too. */
export const adjustStandings = (differences: ReadonlyArray<Judged>) =>
  Effect.forEach(differences, adjust, { concurrency: atOnce })
