import { Effect } from "effect"
import { Argument } from "effect/cli"
import type { License } from "../../client/api/index.ts"
import { isMeantAsOurs, parseLicenseKey } from "../../domain/security/Credential.ts"
import { Found, WrongUsage } from "../terminal/ExitCode.ts"
import { readInput } from "./Input.ts"
import type { Failed } from "./ServiceApi.ts"
import { ServiceApi } from "./ServiceApi.ts"

/** What a person knows of a license. */
export const anything = Argument.String("anything").pipe(
  Argument.withDescription(
    "Email address, name or company; any ID, such as of a license, device or request; the license key or its last four " +
      "characters; - reads it from standard input, because other users can see arguments"
  )
)

/** The id of a license, as an argument. */
export const licenseId = Argument.String("license-id").pipe(
  Argument.withDescription("License ID, lic_…, from `licenses find`")
)

/** What is wanted when a refusal means only that there is nothing. */
const orNothing = <A>(asked: Effect.Effect<A, Failed>): Effect.Effect<A | undefined, Failed> =>
  Effect.catchTag(
    asked,
    "Refused",
    (refused) => refused.error.code === "NOT_FOUND" ? Effect.undefined : Effect.fail(refused)
  )

/** The license of a whole key, which goes into a body instead of an address that logs keep. */
const ofKey = Effect.fnUntraced(function*(key: string) {
  const { ask } = yield* ServiceApi
  const license = yield* orNothing(ask((client) => client.licenses.lookup({ license_key: key })))
  return license === undefined ? [] : [license]
})

/** The licenses that a request was about, be it granted or refused. */
const ofRequest = Effect.fnUntraced(function*(requestId: string, limit: number) {
  const { ask } = yield* ServiceApi
  const activities = yield* ask((client) => client.activities.list({ request_id: requestId, limit: 100 }))
  const ids = new Set(activities.flatMap(({ license_id }) => license_id === undefined ? [] : [license_id]))
  return yield* Effect.forEach([...ids].slice(0, limit), (id) => ask((client) => client.licenses.get(id)))
})

/** The licenses of the companies that a text is about, beyond what the list of licenses finds by itself. */
const ofCustomers = Effect.fnUntraced(function*(text: string, limit: number) {
  const { ask } = yield* ServiceApi
  const customers = yield* ask((client) => client.customers.list({ q: text, limit: 5 }))
  const found = yield* Effect.forEach(
    customers,
    ({ id }) => ask((client) => client.licenses.list({ customer_id: id, limit })),
    { concurrency: 5 }
  )
  return found.flat().slice(0, limit)
})

/**
 * The licenses that a text is about, newest first, at most `limit` of them. A license key is looked up by its hash, a
 * request id by the activities that name it, anything else as the list of licenses is searched, by the owner's company
 * too.
 */
export const findLicenses = Effect.fnUntraced(function*(given: string, limit: number) {
  const { ask } = yield* ServiceApi
  const text = given === "-" ? yield* readInput("the search text") : given.trim()
  if (text === "") return yield* new WrongUsage({ message: "Specify a search text" })
  if (text.startsWith("req_")) return yield* ofRequest(text, limit)
  const isKey = isMeantAsOurs(text)
  if (isKey || given === "-" && parseLicenseKey(text) !== undefined) {
    const found: ReadonlyArray<License> = yield* ofKey(text)
    if (isKey || found.length > 0) return found
  }
  const found: ReadonlyArray<License> = yield* ask((client) => client.licenses.list({ q: text, limit }))
  return found.length > 0 ? found : yield* ofCustomers(text, limit)
})

/** Nothing was found; the exit code says so too. */
export const nothing = (text: string): Found =>
  new Found({
    message: text === "-"
      ? "No license matches the text on standard input."
      : `No license matches "${text}". Search matches the start of a name or email.`
  })
