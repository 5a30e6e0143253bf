import type {
  FeatureDifference,
  License,
  LicensePolicyChangeResponse,
  SeatDifference,
  ValueDifference
} from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { count } from "../../ground/design/Numbers.ts"
import { dateOf } from "../../ground/design/Time.tsx"
import { termText } from "./TermWords.ts"
import type { TermValue } from "./TermWords.ts"

type Difference = LicensePolicyChangeResponse["changes"][number]

/** The context of a change of policy: the seats in use, and the names of devices by their IDs. */
export interface ChangeContext {
  readonly license: Pick<License, "active_device_count">
  readonly names: ReadonlyMap<string, string>
}

/** A row of the table of before and after. */
export interface ChangeRow {
  readonly key: string
  readonly label: string
  readonly before: string
  readonly after: string
  /** The meaning for the owner; empty where the values say it. */
  readonly means: string
}

const members: Readonly<Record<string, string>> = {
  status: "Status",
  expires_at: "Expires",
  maintenance_expires_at: "Maintenance until",
  awaits_activation: "Starts at first use",
  follows_subscription: "Follows the subscription",
  ends_without_grace: "Ends without grace"
}

const isTerm = (name: string): name is keyof typeof labels.term => Object.hasOwn(labels.term, name)

const memberText = (name: string, value: TermValue | undefined): string =>
  value === undefined
    ? name.endsWith("expires_at") ? "never" : "–"
    : typeof value === "boolean"
    ? value ? "yes" : "no"
    : name.endsWith("expires_at")
    ? dateOf(String(value))
    : String(value)

/** The meaning of another end. */
const endMeans = (before: TermValue | undefined, after: TermValue | undefined): string =>
  after === undefined
    ? "Does not end"
    : before === undefined || Date.parse(String(after)) < Date.parse(String(before))
    ? "Ends earlier"
    : "Ends later"

const termMeans = ({ after, before, name }: ValueDifference, { license }: ChangeContext): string => {
  if (name === "max_activations") {
    const used = license.active_device_count
    const inUse = `${count(used)} in use`
    return typeof after === "number" && used > after ? `${inUse}: choose which stay` : inUse
  }
  if (typeof after === "boolean" && name.startsWith("allow_")) {
    return after ? "Possible from the next check" : "Refused from the next check"
  }
  if (typeof before === "number" && typeof after === "number") return after > before ? "More than now" : "Less than now"
  return ""
}

const valueRow = (of: ValueDifference, context: ChangeContext): ChangeRow => {
  const { after, before, kind, name } = of
  if (kind === "counter") {
    return {
      key: `counter ${name}`,
      label: `Usage of ${name}`,
      before: typeof before === "number" ? count(before) : "–",
      after: typeof after === "number" ? count(after) : "–",
      means: "Starts again at zero"
    }
  }
  const text = kind === "term" ? termText : memberText
  return {
    key: `${kind} ${name}`,
    label: kind === "term" && isTerm(name) ? labels.term[name] : members[name] ?? name,
    before: text(name, before),
    after: text(name, after),
    means: kind === "term" ? termMeans(of, context) : name.endsWith("expires_at") ? endMeans(before, after) : ""
  }
}

const featureText = (of: FeatureDifference["before"]): string =>
  of === undefined || !of.enabled
    ? "–"
    : of.max_consumptions === undefined
    ? "yes"
    : `${count(of.max_consumptions)}${of.period === undefined ? "" : ` a ${labels.period[of.period]}`}`

const featureMeans = { gained: "Gets the feature", lost: "Loses the feature", changed: "Has another quota" } as const

const featureRow = ({ after, before, change, feature_code, feature_id }: FeatureDifference): ChangeRow => ({
  key: `feature ${feature_id}`,
  label: feature_code,
  before: featureText(before),
  after: featureText(after),
  means: featureMeans[change]
})

const seatKinds = { device: "Device", lease: "Floating seat", user: "User" } as const

const seatRow = ({ id, kind }: SeatDifference, { names }: ChangeContext): ChangeRow => ({
  key: `${kind} ${id}`,
  label: seatKinds[kind],
  before: names.get(id) ?? id,
  after: "–",
  means: "Gives its seat back"
})

const rowOf = (of: Difference, context: ChangeContext): ChangeRow => {
  switch (of.kind) {
    case "term":
    case "license":
    case "counter":
      return valueRow(of, context)
    case "feature":
      return featureRow(of)
    case "device":
    case "lease":
    case "user":
      return seatRow(of, context)
  }
}

/** The differences of a change of policy as rows, in the order of the service. */
export const changeRows = (
  changes: LicensePolicyChangeResponse["changes"],
  context: ChangeContext
): ReadonlyArray<ChangeRow> => changes.map((of) => rowOf(of, context))
