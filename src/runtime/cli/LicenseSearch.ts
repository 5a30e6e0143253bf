import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Found, WrongUsage } from "../terminal/ExitCode.ts"
import { readInput } from "./Input.ts"
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

/** The licenses that a request was about, be it granted or refused. */
const ofRequest = Effect.fnUntraced(function*(requestId: string, limit: number) {
  const { ask } = yield* ServiceApi
  const activities = yield* ask((client) => client.activities.list({ request_id: requestId, limit: 100 }))
  const ids = new Set(activities.flatMap(({ license_id }) => license_id === undefined ? [] : [license_id]))
  return yield* Effect.forEach([...ids].slice(0, limit), (id) => ask((client) => client.licenses.get(id)))
})

/** The licenses that a text is about, newest first, at most `limit` of them. Whatever it is, it goes into a body, as it may be a key. */
export const findLicenses = Effect.fnUntraced(function*(given: string, limit: number) {
  const { ask } = yield* ServiceApi
  const text = given === "-" ? yield* readInput("the search text") : given.trim()
  if (text === "") return yield* new WrongUsage({ message: "Specify a search text" })
  if (text.startsWith("req_")) return yield* ofRequest(text, limit)
  return (yield* ask((client) => client.licenses.search({ text, limit }))).licenses
})

/** Nothing was found; the exit code says so too. */
export const nothing = (text: string): Found =>
  new Found({
    message: text === "-"
      ? "No license matches the text on standard input."
      : `No license matches "${text}". Search matches the start of a name or email.`
  })
