import { Effect } from "effect"
import { Argument } from "effect/cli"
import { isMeantAsOurs, readLicenseKey, sayLicenseKeyFault } from "../../../domain/keys/security/Credential.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { readInput } from "../ground/Input.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"

/** A text that identifies a license. */
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

/**
 * The licenses that match a text, newest first, at most `limit` of them. The text is sent in a body, because it may
 * be a key.
 */
export const findLicenses = Effect.fnUntraced(function*(given: string, limit: number) {
  const { ask } = yield* ServiceApi
  const text = given === "-" ? yield* readInput("the search text") : given.trim()
  if (text === "") return yield* new WrongUsage({ message: "Specify a search text" })
  if (text.startsWith("req_")) return { licenses: yield* ofRequest(text, limit), text, hasMore: false }
  const { has_more: hasMore, licenses } = yield* ask((client) => client.licenses.search({ text, limit }))
  return { licenses, text, hasMore }
})

/** The fault of a text that looks like a license key; undefined for any other text. */
const keyFault = (text: string): string | undefined => {
  const reading = readLicenseKey(text)
  return "fault" in reading && isMeantAsOurs(text) ? sayLicenseKeyFault(reading.fault) : undefined
}

/**
 * Nothing was found, which the exit code says too. A text from standard input is not repeated, because it may be a
 * key.
 */
export const nothing = (given: string, text: string): Found =>
  new Found({
    message: given === "-"
      ? ["No license matches the text on standard input.", keyFault(text)].filter(Boolean).join(" ")
      : `No license matches "${given}". ${keyFault(text) ?? "Search matches words of a name or email."}`
  })
