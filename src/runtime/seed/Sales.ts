import { Deferred, Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { dayMillis, decided, hex, instant, newMachine } from "./Cast.ts"
import type { Act, Cast, Stage } from "./Cast.ts"
import type { StoryBroken } from "./SeedApp.ts"

/** A request of the vendor's shop; answers the data. */
const shop = ({ ask, vendor }: Stage, method: HttpMethod.HttpMethod, path: string, body: object) =>
  Effect.map(ask(method, `/api/v1/${path}`, { as: vendor.tokens.shop, body }), ({ data }) => data)

/** The id of the license's customer, who becomes one with the first purchase. */
const customerOf = (stage: Stage, { customer, names: { code, email, name } }: Cast) =>
  Effect.suspend(() => {
    const known = stage.customers.get(customer)
    if (known !== undefined) return Deferred.await(known)
    const id = Deferred.makeUnsafe<string, StoryBroken>()
    stage.customers.set(customer, id)
    const created = Effect.map(shop(stage, "POST", "customers", { name, code, email }), (data) => String(data.id))
    return Effect.andThen(Deferred.into(created, id), Deferred.await(id))
  })

/** Takes the next period from an instant on, and answers it as the fields of a subscription. */
const takePeriod = (cast: Cast, from: number) => {
  cast.paidUntil = from + (cast.plan.days ?? 0) * dayMillis
  return { status: "active", current_period_start: instant(from), current_period_end: instant(cast.paidUntil) }
}

/** Records what the shop was paid for the period that begins at an instant. */
const paid = (stage: Stage, cast: Cast, customer_id: string, from: number) =>
  Effect.map(
    shop(stage, "POST", `products/${stage.vendor.productOf(cast.plan)}/orders`, {
      customer_id,
      external_system: "stripe",
      external_id: `in_${hex(cast.chance.bytes(9))}`,
      status: "paid",
      ...(cast.subscription === undefined ? {} : {
        subscription_id: cast.subscription,
        period_start: instant(from),
        period_end: instant(cast.paidUntil)
      })
    }),
    ({ id }) => String(id)
  )

/** Buys a license. */
export const buy: Act = Effect.fnUntraced(function*(stage, cast) {
  const { now, vendor } = stage
  const { chance, names, plan } = cast
  const product_id = vendor.productOf(plan)
  const customer_id = yield* customerOf(stage, cast)
  const start = now()
  const period = takePeriod(cast, start)
  if (plan.sale === "subscription") {
    const { id } = yield* shop(stage, "POST", `products/${product_id}/subscriptions`, {
      customer_id,
      external_system: "stripe",
      external_id: `sub_${hex(chance.bytes(9))}`,
      ...period
    })
    cast.subscription = String(id)
  }
  cast.order = yield* paid(stage, cast, customer_id, start)
  const { email, name } = names.person(chance)
  const { license, license_key } = yield* shop(stage, "POST", "licenses", {
    product_id,
    policy_id: vendor.policies.get(plan.policy.code),
    customer_id,
    customer_email: email,
    customer_name: name,
    order_id: cast.order,
    subscription_id: cast.subscription,
    expires_at: plan.days === undefined ? undefined : period.current_period_end,
    metadata: { source: "shop" }
  })
  cast.id = license.id
  cast.key = license_key
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
  cast.machines = [machine]
})

/** Renews by a period. */
export const renew = decided(Effect.fnUntraced(function*(stage, cast) {
  const { paidUntil: start, subscription } = cast
  if (subscription === undefined) return
  const period = takePeriod(cast, start)
  yield* paid(stage, cast, yield* customerOf(stage, cast), start)
  yield* shop(stage, "PATCH", `subscriptions/${subscription}`, period)
  yield* stage.ask("POST", `/api/v1/licenses/${cast.id}/renew`, {
    as: stage.vendor.tokens.shop,
    key: `shop-${cast.number}-${cast.requests++}`,
    body: { expires_at: period.current_period_end }
  })
}))

/** Leaves a period unpaid. */
export const cardFails = decided((stage, { subscription }) =>
  subscription === undefined
    ? Effect.void
    : shop(stage, "PATCH", `subscriptions/${subscription}`, { status: "past_due" })
)

/** Gives the money back. */
export const refund: Act = (stage, { order }) => shop(stage, "PATCH", `orders/${order}`, { status: "refunded" })
