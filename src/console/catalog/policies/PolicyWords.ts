import type { LicenseType, Policy } from "../../../client/api/index.ts"
import { count, some } from "../../ground/design/Numbers.ts"

/** The types of licenses as people call them. */
export const licenseTypes: ReadonlyArray<readonly [LicenseType, string]> = [
  ["subscription", "Subscription"],
  ["perpetual", "Perpetual"],
  ["time_limited", "Time-limited"],
  ["trial", "Trial"],
  ["consumption", "Usage-based"]
]

/** The name of a type of licenses. */
export const typeName = (type: LicenseType): string => licenseTypes.find(([value]) => value === type)?.[1] ?? type

const overages: Readonly<Record<string, string>> = { deny: "Refuse", allow: "Allow and count" }

/** Use beyond a limit in words. */
export const overageText = (overage: string): string => overages[overage] ?? `${overage} more`

/** The units of the terms that are numbers, by how their names end. */
const numberUnits: ReadonlyArray<readonly [ending: string, one: string, many?: string]> = [
  ["_minutes", "min", "min"],
  ["_days", "day"]
]

/** A term that is a number, with its unit: "7 days", "1,440 min". */
export const numberText = (name: string, value: number): string => {
  const unit = numberUnits.find(([ending]) => name.endsWith(ending))
  return unit === undefined ? count(value) : some(value, unit[1], unit[2])
}

const units = { D: "day", W: "week", M: "month", Y: "year" } as const

/** A duration of one unit in words, "1 year" for P1Y; any other as it is written. */
export const durationText = (duration: string): string => {
  const [, many, unit] = /^P(\d{1,6})([DWMY])$/.exec(duration) ?? []
  return many === undefined ? duration : some(Number(many), units[unit as keyof typeof units])
}

type Devices = Pick<Policy, "activation_overage" | "max_activations">

/** How many devices a policy allows, in words. */
export const devicesText = ({ activation_overage, max_activations }: Devices): string => {
  if (activation_overage === "allow") return `${some(max_activations, "device")}, more are counted`
  if (max_activations === 0) return "no devices"
  return `${some(max_activations, "device")}${
    activation_overage === undefined || activation_overage === "deny" ? "" : ` and ${activation_overage} more`
  }`
}

type Times = Pick<Policy, "duration" | "follows_subscription" | "grace_period_days" | "maintenance_duration">

/** How long licenses of a policy work, in words. */
export const timeText = (
  { duration, follows_subscription, grace_period_days, maintenance_duration }: Times
): string => {
  const base = follows_subscription === true
    ? "as long as the subscription"
    : duration !== undefined
    ? durationText(duration)
    : maintenance_duration !== undefined
    ? `no end, updates for ${durationText(maintenance_duration)}`
    : "no end"
  return grace_period_days === 0 ? base : `${base}, ${count(grace_period_days)} days of grace`
}
