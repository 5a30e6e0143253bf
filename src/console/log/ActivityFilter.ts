import type { ActivityAction, ActivityResult, AuditActorType } from "../../client/api/index.ts"
import { labels, titleOf } from "../../client/api/Labels.ts"
import { startOfDay } from "../ground/design/Time.tsx"
import { oneOf } from "../ground/lists/Filters.ts"
import { dayAfter, zoneOf } from "../ground/period/Period.ts"

type Query = Readonly<Record<string, string | undefined>>

/** The kinds of actors. */
export const whos: ReadonlyArray<readonly [AuditActorType | "", string]> = [
  ["", "Anyone"],
  ["person", "People"],
  ["api_key", "API keys"],
  ["license", "Apps"],
  ["customer", "Customers"],
  ["license_holder", "Holders of a license key"],
  ["system", "The service"]
]

/** How it ended. */
export const outcomes: ReadonlyArray<readonly [ActivityResult | "", string]> = [
  ["", "All"],
  ...(["success", "refused", "failed"] as const).map((result) => [result, titleOf("result", result)] as const)
]

const isAction = (text: string): text is ActivityAction => Object.hasOwn(labels.action, text)

/** The actions, in the order of their words. */
export const actions: ReadonlyArray<readonly [ActivityAction | "", string]> = [
  ["", "Anything"],
  ...Object.keys(labels.action).filter(isAction)
    .map((action): readonly [ActivityAction, string] => [action, titleOf("action", action)])
    .toSorted(([, one], [, other]) => one.localeCompare(other, "en"))
]

/** The filters of the API that find what belongs to an ID, by its prefix; of any other it is the resource itself. */
const belongsTo = {
  lic: "license_id",
  cus: "customer_id",
  prod: "product_id",
  ord: "order_id",
  sub: "subscription_id"
} as const

const isOwner = (prefix: string): prefix is keyof typeof belongsTo => Object.hasOwn(belongsTo, prefix)

const dayPattern = /^\d{4}-\d\d-\d\d$/

/** The filter of an ID: all that belongs to it. */
const onOf = (
  id: string
): Readonly<Partial<Record<typeof belongsTo[keyof typeof belongsTo] | "resource_id", string>>> => {
  const prefix = id.split("_", 1)[0] ?? ""
  return id === "" ? {} : { [isOwner(prefix) ? belongsTo[prefix] : "resource_id"]: id }
}

/** The filters of the address as the API takes them. */
export const filtersOf = (query: Query) => {
  const { by = "", first = "", last = "", on = "", request = "" } = query
  const zone = zoneOf(query["zone"])
  const who = oneOf(query["who"], whos)
  const action = oneOf(query["action"], actions)
  const outcome = oneOf(query["outcome"], outcomes)
  return {
    ...(who === undefined ? {} : { actor_type: who }),
    ...(by === "" ? {} : { actor_id: by }),
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { result_class: outcome }),
    ...(request === "" ? {} : { request_id: request }),
    ...onOf(on.trim()),
    ...(dayPattern.test(first) ? { from: startOfDay(first, zone) } : {}),
    ...(dayPattern.test(last) ? { to: startOfDay(dayAfter(last), zone) } : {})
  }
}

export type ActivityFilter = ReturnType<typeof filtersOf>
