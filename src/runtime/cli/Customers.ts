import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Found } from "../terminal/ExitCode.ts"
import { json, printTable } from "../terminal/Output.ts"
import { printJson } from "../terminal/Printing.ts"
import { limit, showWithLicenses } from "./Licenses.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

const find = Command.make("find", {
  text: Argument.String("text").pipe(
    Argument.withDescription("How the name, the code or the e-mail address begins, or the id")
  ),
  json,
  limit,
  url
}, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const found = yield* ask((client) => client.customers.list({ q: input.text, limit: input.limit }))
    if (input.json) yield* printJson(found)
    else if (found.length > 0) {
      yield* printTable([
        ["ID", "CODE", "NAME", "E-MAIL"],
        ...found.map(({ code, email, id, name }) => [id, code, name, email ?? ""])
      ])
    }
    if (found.length === 0) return yield* new Found({ message: `No customer is found by "${input.text}".` })
  })).pipe(
    Command.withDescription("Find customers by name, code, e-mail address or id; exits 1 when there is none"),
    Command.withExamples([{ command: "countersign customers find Beispiel", description: "By how the name begins" }]),
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
      ["E-mail", email],
      ["Since", created_at]
    ]
  })).pipe(
    Command.withDescription("Show a customer and the licenses that the customer has"),
    Command.withExamples([
      { command: "countersign customers show cus_06eqpx1trxz3h94vqjm3a6kz7c", description: "The newest licenses" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign customers ...`: who has licenses. */
export const customers = Command.make("customers").pipe(
  Command.withDescription("Find customers and see what they have"),
  Command.withExamples([{ command: "countersign customers find Beispiel", description: "Begin with a search" }]),
  Command.withSubcommands([find, show])
)
