import { Effect } from "effect"
import { dayMillis, decided, hex, instant, newMachine } from "./Cast.ts"
import type { Act, Cast, Stage } from "./Cast.ts"

/** Records what the shop was paid. */
const paid = Effect.fnUntraced(function*({ ask, vendor }: Stage, cast: Cast, customer: string, from: number) {
  const { data } = yield* ask("POST", `/api/v1/products/${vendor.productOf(cast.plan)}/orders`, {
    as: vendor.tokens.shop,
    body: {
      customer_id: customer,
      external_system: "stripe",
      external_id: `in_${hex(cast.chance.bytes(9))}`,
      status: "paid",
      ...(cast.subscription === undefined ? {} : {
        subscription_id: cast.subscription,
        period_start: instant(from),
        period_end: instant(cast.paidUntil)
      })
    }
  })
  return String(data.id)
})

/** Buys a license, and becomes a customer with the first. */
export const buy: Act = Effect.fnUntraced(function*(stage, cast) {
  const { ask, customers, now, vendor } = stage
  const { chance, names, plan } = cast
  const as = vendor.tokens.shop
  const product = vendor.productOf(plan)
  let customer = customers.get(cast.customer)
  if (customer === undefined) {
    const { code, email, name } = names
    const made = yield* ask("POST", "/api/v1/customers", {
      as,
      body: { name, code, ...(email === undefined ? {} : { email }) }
    })
    customer = String(made.data.id)
    customers.set(cast.customer, customer)
  }
  const start = now()
  const { days, policy } = plan
  cast.paidUntil = start + (days ?? 0) * dayMillis
  if (plan.sale === "subscription") {
    const made = yield* ask("POST", `/api/v1/products/${product}/subscriptions`, {
      as,
      body: {
        customer_id: customer,
        external_system: "stripe",
        external_id: `sub_${hex(chance.bytes(9))}`,
        status: "active",
        current_period_start: instant(start),
        current_period_end: instant(cast.paidUntil)
      }
    })
    cast.subscription = String(made.data.id)
  }
  cast.order = yield* paid(stage, cast, customer, start)
  const { email, name } = names.person(chance)
  const { data } = yield* ask("POST", "/api/v1/licenses", {
    as,
    body: {
      product_id: product,
      policy_id: vendor.policies.get(policy.code),
      customer_id: customer,
      customer_email: email,
      customer_name: name,
      order_id: cast.order,
      ...(cast.subscription === undefined ? {} : { subscription_id: cast.subscription }),
      ...(days === undefined ? {} : { expires_at: instant(cast.paidUntil) }),
      metadata: { source: "shop" }
    }
  })
  cast.id = data.license.id
  cast.key = data.license_key
})

/** Opens a trial in the app. */
export const openTrial: Act = Effect.fnUntraced(function*({ ask, vendor }, cast) {
  const machine = newMachine(cast)
  const { data } = yield* ask("POST", "/api/v1/license/trials", {
    as: vendor.trialKey,
    body: machine,
    address: `198.51.100.${1 + cast.number % 250}`,
    key: `trial-${cast.number}`
  })
  cast.id = data.license_id
  cast.key = data.license_key
  cast.machines.push(machine)
})

/** Renews by a period. */
export const renew = decided(Effect.fnUntraced(function*(stage: Stage, cast: Cast) {
  const { ask, customers, vendor } = stage
  const customer = customers.get(cast.customer)
  if (customer === undefined || cast.subscription === undefined) return
  const start = cast.paidUntil
  cast.paidUntil += cast.plan.days! * dayMillis
  yield* paid(stage, cast, customer, start)
  yield* ask("PATCH", `/api/v1/subscriptions/${cast.subscription}`, {
    as: vendor.tokens.shop,
    body: { status: "active", current_period_start: instant(start), current_period_end: instant(cast.paidUntil) }
  })
  yield* ask("POST", `/api/v1/licenses/${cast.id}/renew`, {
    as: vendor.tokens.shop,
    key: `shop-${cast.number}-${cast.requests++}`,
    body: { expires_at: instant(cast.paidUntil) }
  })
}))

/** Leaves a period unpaid. */
export const cardFails = decided(({ ask, vendor }, cast) =>
  cast.subscription === undefined ? Effect.void : ask(
    "PATCH",
    `/api/v1/subscriptions/${cast.subscription}`,
    { as: vendor.tokens.shop, body: { status: "past_due" } }
  )
)
