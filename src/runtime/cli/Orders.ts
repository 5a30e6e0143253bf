import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Order } from "../../client/api/index.ts"
import { labelOf } from "../../client/api/Labels.ts"
import { Found } from "../terminal/ExitCode.ts"
import { json, printTable } from "../terminal/Output.ts"
import { printJson, printNotice, printText } from "../terminal/Printing.ts"
import { limit, showWithLicenses } from "./LicenseLists.ts"
import { ServiceApi, url } from "./ServiceApi.ts"

const day = (instant: string): string => instant.slice(0, 10)

/** What was paid for, by the days of UTC; undefined for an order without a period. */
const periodOf = ({ period_end, period_start }: Order): string | undefined =>
  period_start === undefined || period_end === undefined ? undefined : `${day(period_start)} to ${day(period_end)}`

/** The id of the product that a person names by its id, its code or one that it had before. */
const productOf = Effect.fnUntraced(function*(named: string) {
  if (named.startsWith("prod_")) return named
  const { ask } = yield* ServiceApi
  const found = yield* ask(async (client) => {
    for await (const { code, former_codes = [], id } of client.products.list({ limit: 200 })) {
      if (code === named || former_codes.includes(named)) return id
    }
    return undefined
  })
  if (found !== undefined) return found
  return yield* new Found({ message: `No product has the code "${named}".` })
})

const list = Command.make("list", {
  product: Argument.String("product").pipe(Argument.withDescription("Product ID, prod_…, or product code")),
  json,
  limit,
  url
}, (input) =>
  Effect.gen(function*() {
    const { ask } = yield* ServiceApi
    const product = yield* productOf(input.product)
    const found = yield* ask((client) => client.orders.list(product, { limit: input.limit }))
    if (input.json) return yield* printJson(found)
    if (found.length === 0) return yield* printText("No orders")
    yield* printTable([
      ["ID", "STATUS", "SYSTEM", "NUMBER THERE", "CUSTOMER", "PAID FOR", "CREATED"],
      ...found.map((order) => [
        order.id,
        labelOf("state", order.status),
        order.external_system,
        order.external_id,
        order.customer_id ?? "",
        periodOf(order) ?? "",
        order.created_at
      ])
    ])
    if (found.length === input.limit) {
      yield* printNotice(`Showing the first ${input.limit}. Raise --limit for more.`)
    }
  })).pipe(
    Command.withDescription("List the orders of a product, newest first"),
    Command.withExamples([
      { command: "countersign orders list acme-studio", description: "The newest, by product code" },
      {
        command: "countersign orders list prod_06eqpx1trxz3h94vqjm3a6kz7c --limit 200 --json",
        description: "By product ID, for a program"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

const show = Command.make("show", {
  id: Argument.String("order-id").pipe(Argument.withDescription("The order's id, ord_…, as `licenses show` prints it")),
  json,
  limit,
  url
}, (input) =>
  showWithLicenses(input, {
    name: "order",
    get: (client) => client.orders.get(input.id),
    filter: { order_id: input.id },
    facts: (order) => [
      ["Order", order.id],
      ["Status", labelOf("state", order.status)],
      ["System", order.external_system],
      ["Number there", order.external_id],
      ["Product", order.product_id],
      ["Customer", order.customer_id],
      ["Subscription", order.subscription_id],
      ["Paid for", periodOf(order)],
      ["Created", order.created_at],
      ["Changed", order.updated_at]
    ]
  })).pipe(
    Command.withDescription("Show an order and its licenses"),
    Command.withExamples([
      { command: "countersign orders show ord_06eqpx1trxz3h94vqjm3a6kz7c", description: "With the newest licenses" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign orders ...`: what was bought, as the billing system told it. */
export const orders = Command.make("orders").pipe(
  Command.withDescription("Orders and their licenses"),
  Command.withExamples([{ command: "countersign orders list acme-studio", description: "Start with a product" }]),
  Command.withSubcommands([list, show])
)
