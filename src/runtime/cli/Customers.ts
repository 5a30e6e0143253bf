import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Found } from "../terminal/ExitCode.ts"
import { json, printTable } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { limit, printLicenses, showWithLicenses } from "./LicenseLists.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

/**
 * Licenses that name their owner by such an address or name: one who is named on licenses alone, as an import names
 * them, is in no list of customers. None where the token may not read licenses.
 */
const namedOn = Effect.fnUntraced(function*(text: string, limit: number) {
  const { ask } = yield* ServiceApi
  const licenses = yield* Effect.catchTag(
    ask((client) => client.licenses.list({ q: text, limit })),
    "Refused",
    (refused) => refused.error.status === 403 ? Effect.succeed([]) : Effect.fail(refused)
  )
  return licenses.filter(({ customer_email, customer_name }) =>
    [customer_email, customer_name].some((named) => named?.toLowerCase().includes(text.toLowerCase()))
  )
})

const find = Command.make("find", {
  text: Argument.String("text").pipe(
    Argument.withDescription("Start of the name, code or email address, or the whole ID")
  ),
  json,
  limit,
  url
}, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const { found, licenses } = yield* Effect.all({
      found: ask((client) => client.customers.list({ q: input.text, limit: input.limit })),
      licenses: input.json ? Effect.succeed([]) : namedOn(input.text, input.limit)
    }, { concurrency: 2 })
    const owned = licenses.filter(({ customer_id }) => found.every(({ id }) => id !== customer_id))
    if (input.json) yield* printJson(found)
    else if (found.length > 0) {
      yield* printTable([
        ["ID", "CODE", "NAME", "EMAIL"],
        ...found.map(({ code, email, id, name }) => [id, code, name, email ?? ""])
      ])
    }
    if (owned.length > 0) {
      yield* printText([...(found.length > 0 ? [""] : []), "Licenses with a matching owner"])
      yield* printLicenses(owned)
    }
    if (found.length === 0 && owned.length === 0) {
      return yield* new Found({ message: `No customer matches "${input.text}".` })
    }
  })).pipe(
    Command.withDescription(
      "Find customers by name, code, email address or ID, and licenses with a matching owner; exits 1 if none match. " +
        "--json prints the customers"
    ),
    Command.withExamples([{ command: "countersign customers find Beispiel", description: "By the start of the name" }]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const show = Command.make("show", {
  id: Argument.String("customer-id").pipe(Argument.withDescription("The customer's id, cus_…")),
  json,
  limit,
  url
}, (input) =>
  showWithLicenses(input, {
    name: "customer",
    get: (client) => client.customers.get(input.id),
    filter: { customer_id: input.id },
    facts: ({ code, created_at, email, id, name }) => [
      ["Customer", id],
      ["Name", name],
      ["Code", code],
      ["Email", email],
      ["Since", created_at]
    ]
  })).pipe(
    Command.withDescription("Show a customer and their licenses"),
    Command.withExamples([
      { command: "countersign customers show cus_06eqpx1trxz3h94vqjm3a6kz7c", description: "The newest licenses" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign customers ...`: who has licenses. */
export const customers = Command.make("customers").pipe(
  Command.withDescription("Find customers and their licenses"),
  Command.withExamples([{ command: "countersign customers find Beispiel", description: "Start with a search" }]),
  Command.withSubcommands([find, show])
)
