import { Schema } from "effect"
import { PurchaseState as ShownState } from "../sales/billing/Purchase.ts"
import type { PurchaseName } from "../sales/providers/Fact.ts"
import { Provider } from "../sales/providers/Provider.ts"
import { wireTime } from "../sales/providers/SourceTime.ts"
import type { SourceTime } from "../sales/providers/SourceTime.ts"
import type { PurchaseState } from "../sales/purchases/PurchaseState.ts"

/** A purchase as the customer sees it who made it. Instants are those of the provider, in ISO 8601. */
export const PortalPurchase = Schema.Struct({
  provider: Provider,
  /** The ID of the subscription or order at the provider. */
  externalId: Schema.String,
  items: Schema.Array(Schema.Struct({ name: Schema.optional(Schema.String), quantity: Schema.Number })),
  state: ShownState,
  beganAt: Schema.optional(Schema.String),
  paidThrough: Schema.optional(Schema.String),
  cancelAt: Schema.optional(Schema.String),
  endedAt: Schema.optional(Schema.String),
  refund: Schema.Literals(["none", "partial", "full"]),
  dispute: Schema.Literals(["none", "open", "lost"]),
  /** The units that it gave and that can be used still, by feature and end. */
  units: Schema.Array(Schema.Struct({
    feature: Schema.String,
    amount: Schema.Number,
    decimals: Schema.optional(Schema.Number),
    endsAt: Schema.optional(Schema.String)
  })),
  /** The login page of the provider's own portal, as the vendor gave it. */
  portalUrl: Schema.optional(Schema.String)
})
export type PortalPurchase = typeof PortalPurchase.Type

/** The parts of a purchase that is known well enough to be shown. */
export interface KnownPurchase {
  readonly provider: Provider
  readonly name: PurchaseName
  readonly state: PurchaseState & { readonly state: PortalPurchase["state"] }
  readonly customer_portal_url: string | null
  readonly units: ReadonlyArray<{
    readonly feature: string
    readonly amount: number
    readonly decimals: number | null
    readonly ends_at: string | null
  }>
}

const timeOf = (time: SourceTime | undefined) => time === undefined ? undefined : wireTime(time)

/** A purchase as its customer sees it: what was dropped from it is not shown. */
export const portalPurchaseOf = (
  { customer_portal_url, name, provider, state, units }: KnownPurchase
): PortalPurchase => ({
  provider,
  externalId: name.slice(name.indexOf("/") + 1),
  items: state.slots.filter(({ dropped_at }) => dropped_at === undefined)
    .map(({ name: item, quantity }) => ({ name: item, quantity })),
  state: state.state,
  beganAt: timeOf(state.began_at),
  paidThrough: timeOf(state.paid_through),
  cancelAt: timeOf(state.cancel_at),
  endedAt: timeOf(state.ended_at),
  refund: state.refund,
  dispute: state.dispute,
  units: units.map(({ amount, decimals, ends_at, feature }) => ({
    feature,
    amount,
    decimals: decimals ?? undefined,
    endsAt: ends_at ?? undefined
  })),
  portalUrl: customer_portal_url ?? undefined
})
