import type { PurchaseName } from "../providers/Fact.ts"
import type { Provider } from "../providers/Provider.ts"
import { wireTime } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { StopReason } from "../purchases/Command.ts"
import type { PurchaseState } from "../purchases/PurchaseState.ts"
import type { Purchase, PurchaseHold, PurchaseStatus } from "./Purchase.ts"

/** A purchase as its row has it. */
export interface PurchaseRow {
  readonly id: string
  readonly connection_id: string
  readonly provider: Provider
  readonly name: PurchaseName
  readonly status: PurchaseStatus
  readonly state: PurchaseState | null
  readonly holds: ReadonlyArray<PurchaseHold>
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly customer_id: string | null
  readonly attempts: number
  readonly next_attempt_at: Date | null
  readonly read_at: Date | null
  readonly read_failure: { readonly code: string; readonly message: string } | null
  readonly licenses: ReadonlyArray<{
    readonly license_id: string
    readonly item: string
    readonly index: number
    readonly stopped: StopReason | null
    readonly is_adopted: boolean
  }>
  /** NULL where none were given for it. */
  readonly units:
    | ReadonlyArray<{
      readonly grant_id: string
      readonly feature_id: string
      readonly feature_code: string
      readonly amount: number
      readonly license_id: string | null
      readonly customer_id: string | null
      readonly bill: string
      readonly is_taken: boolean
    }>
    | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** The kind of a purchase, and its id at its provider. */
export const partsOf = (name: PurchaseName) => {
  const at = name.indexOf("/")
  return { kind: name.slice(0, at) as "subscription" | "order", external_id: name.slice(at + 1) }
}

/** A member that is left out where there is nothing to say. */
const said = <Name extends string, Value>(name: Name, value: Value | undefined | null) =>
  (value === undefined || value === null ? {} : { [name]: value }) as { readonly [Member in Name]?: Value }

const timed = <Name extends string>(name: Name, time: SourceTime | undefined) =>
  said(name, time === undefined ? undefined : wireTime(time))

const itemsOf = ({ slots }: PurchaseState): Purchase["items"] =>
  slots.map(({ dropped_at, name, price, product, quantity, slot, variant }) => ({
    slot,
    ...said("price", price),
    ...said("variant", variant),
    ...said("product", product),
    ...said("name", name),
    quantity,
    ...timed("dropped_at", dropped_at)
  }))

/** The end of the current period: of the items that are there, the first. */
const periodEnd = ({ slots }: PurchaseState): SourceTime | undefined =>
  slots.filter(({ dropped_at }) => dropped_at === undefined).flatMap(({ period_end }) => period_end ?? []).toSorted()[0]

/** What is known of a purchase from its events. */
const known = (state: PurchaseState | null) =>
  state === null
    ? { items: [], payer: {}, refund: "none", dispute: "none", is_ambiguous: false } as const
    : {
      ...said("state", state.state),
      ...said("said", state.said),
      items: itemsOf(state),
      payer: {
        ...said("id", state.payer.id),
        ...said("email", state.payer.email),
        ...said("name", state.payer.name)
      },
      ...timed("period_end", periodEnd(state)),
      ...timed("paid_through", state.paid_through),
      ...timed("cancel_at", state.cancel_at),
      ...timed("ended_at", state.ended_at),
      refund: state.refund,
      dispute: state.dispute,
      is_ambiguous: state.ambiguous,
      ...timed("last_event_at", state.source_updated_at)
    }

/** A purchase as it is shown. */
export const purchaseOf = (row: PurchaseRow): Purchase => ({
  id: row.id,
  connection_id: row.connection_id,
  provider: row.provider,
  ...partsOf(row.name),
  status: row.status,
  ...known(row.state),
  ...said("customer_id", row.customer_id),
  holds: row.holds,
  ...said("failure", row.failure),
  attempts: row.attempts,
  ...said("next_attempt_at", row.next_attempt_at?.toISOString()),
  ...said("read_at", row.read_at?.toISOString()),
  ...said("read_failure", row.read_failure),
  licenses: row.licenses.map(({ index, is_adopted, item, license_id, stopped }) => ({
    license_id,
    item,
    index,
    ...said("stopped", stopped),
    ...(is_adopted ? { adopted: true } : {})
  })),
  ...said(
    "units",
    row.units?.map(({ bill, customer_id, is_taken, license_id, ...units }) => ({
      ...units,
      ...said("license_id", license_id),
      ...said("customer_id", customer_id),
      paid_by: bill.slice(bill.indexOf("/") + 1),
      ...(is_taken ? { revoked: true } : {})
    }))
  ),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
