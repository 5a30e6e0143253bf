import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { License } from "../../client/api/index.ts"
import { labelOf } from "../../client/api/Labels.ts"
import { printFacts, printTable } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { keyOf, ownerOf } from "./LicenseShow.ts"
import { ServiceApi } from "./ServiceApi.ts"
import type { ServiceCall } from "./ServiceApi.ts"

/** Prints licenses a line each. */
export const printLicenses = (licenses: ReadonlyArray<License>) =>
  printTable([
    ["ID", "STATUS", "KEY", "DEVICES", "EXPIRES", "OWNER"],
    ...licenses.map((license) => [
      license.id,
      labelOf("state", license.status),
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
