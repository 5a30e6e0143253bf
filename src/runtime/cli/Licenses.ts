import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { License } from "../../client/api/index.ts"
import { json, printFacts, printTable } from "../terminal/Output.ts"
import { printJson, printNotice, printText } from "../terminal/Printing.ts"
import { extend, reinstate, renew, revoke, rotateKey, suspend, transfer } from "./LicenseChanges.ts"
import { anything, findLicenses, nothing } from "./LicenseSearch.ts"
import { keyOf, ownerOf, show } from "./LicenseShow.ts"
import { ServiceApi, url } from "./ServiceApi.ts"
import type { ServiceCall } from "./ServiceApi.ts"

/** Prints licenses a line each. */
export const printLicenses = (licenses: ReadonlyArray<License>) =>
  printTable([
    ["ID", "STATUS", "KEY", "DEVICES", "EXPIRES", "OWNER"],
    ...licenses.map((license) => [
      license.id,
      license.status,
      keyOf(license),
      String(license.active_device_count),
      license.expires_at ?? "never",
      ownerOf(license)
    ])
  ])

/** What {@link showWithLicenses} shows: how it is called, asked for and printed, and which licenses are its own. */
interface Owning<A> {
  readonly name: string
  readonly get: ServiceCall<A>
  readonly filter: { readonly customer_id: string } | { readonly order_id: string }
  readonly facts: (found: A) => Parameters<typeof printFacts>[0]
}

/** Shows something that licenses belong to, a customer or an order, and below it the newest of them. */
export const showWithLicenses = <A>(
  input: { readonly json: boolean; readonly limit: number },
  { facts, filter, get, name }: Owning<A>
) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const [found, licenses] = yield* Effect.all([
      ask(get),
      ask((client) => client.licenses.list({ ...filter, limit: input.limit }))
    ], { concurrency: 2 })
    if (input.json) return yield* printJson({ [name]: found, licenses })
    yield* printFacts(facts(found))
    if (licenses.length === 0) return yield* printText(["", "No licenses"])
    yield* printText(["", "Licenses"])
    yield* printLicenses(licenses)
  })

export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of results, up to 200"),
  Flag.withDefault(20)
)

const find = Command.make("find", { anything, json, limit, url }, (input) =>
  Effect.gen(function*() {
    const found = yield* findLicenses(input.anything, input.limit)
    if (input.json) yield* printJson(found)
    else if (found.length > 0) yield* printLicenses(found)
    if (found.length === 0) return yield* nothing(input.anything)
    if (found.length === input.limit) {
      yield* printNotice(`Showing the first ${input.limit}. Narrow the search or raise --limit.`)
    }
  })).pipe(
    Command.withDescription("Find licenses by owner, key, ID, order or device; exits 1 if none match"),
    Command.withExamples([
      { command: "countersign licenses find ada@example.com", description: "By email address or its start" },
      { command: "countersign licenses find 7Q2K", description: "By the last four characters of the key" },
      { command: "countersign licenses find -", description: "By the key, typed or piped in" },
      {
        command: "countersign licenses find req_06eqpx1trxz3h94vqjm3a6kz7c",
        description: "By the request id that an error message shows"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign licenses ...`: what support does with licenses, through the API of a service that runs. */
export const licenses = Command.make("licenses").pipe(
  Command.withDescription("Find licenses, see why they are refused, and change them"),
  Command.withExamples([{ command: "countersign licenses find ada@example.com", description: "Start with a search" }]),
  Command.withSubcommands([find, show, renew, extend, suspend, reinstate, revoke, rotateKey, transfer])
)
