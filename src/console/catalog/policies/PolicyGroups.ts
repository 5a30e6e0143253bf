import type { Policy, PolicyMailKind } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { entriesOf, fieldOf, none } from "./PolicyDraft.ts"
import type { FieldName, PolicyDraft } from "./PolicyDraft.ts"
import { devicesText, durationText, licenseTypes, numberText, overageText, timeText } from "./PolicyWords.ts"

const helps: Readonly<Record<PolicyMailKind, string>> = {
  license_issued: "When a license is issued: its key, the product and the expiry.",
  key_changed: "When the key is rotated: the new key.",
  license_expiring:
    "30, 7 and 1 days before the expiry, or on the days below; not while its subscription renews by itself.",
  license_expired: "At the expiry, with the end of the grace period, and again once that is over.",
  quota_threshold: "When usage reaches a threshold of a quota: what is used and what is left.",
  device_added: "When a device takes a seat for the first time.",
  payment_failed: "When the subscription becomes past due.",
  user_invited: "When a person is invited by an email address: to this address, not to the owner."
}

/** When a mail is sent, and what it says: a line beside its choice. */
export const mailHelp = (kind: string): string => Object.entries(helps).find(([name]) => name === kind)?.[1] ?? ""

/** Members of a policy that belong together. */
export interface PolicyGroup {
  readonly title: string
  readonly members: ReadonlyArray<FieldName>
  /** Whether it is open at first. */
  readonly isOpen?: boolean
  /** A sentence of what is entered, so that it need not be opened. */
  readonly says: (draft: PolicyDraft) => string
}

/** The members of a draft that sentences are made of, as a policy has them. */
const asPolicy = (draft: PolicyDraft) => {
  const value = (name: FieldName) => draft[name] === none ? {} : { [name]: draft[name] }
  return {
    ...value("activation_overage"),
    ...value("duration"),
    ...value("maintenance_duration"),
    follows_subscription: draft.follows_subscription === "true",
    grace_period_days: Number(draft.grace_period_days),
    max_activations: Number(draft.max_activations)
  } as Policy
}

/** All members of a policy, in groups. A test holds that none is left out. */
export const policyGroups: ReadonlyArray<PolicyGroup> = [
  { title: "Basics", isOpen: true, members: ["name", "code", "license_type"], says: ({ name }) => name },
  {
    title: "Devices",
    isOpen: true,
    members: [
      "max_activations",
      "activation_overage",
      "max_container_instances",
      "allow_vm",
      "allow_container",
      "component_match",
      "max_transfers"
    ],
    says: (draft) => devicesText(asPolicy(draft))
  },
  {
    title: "Time",
    isOpen: true,
    members: [
      "duration",
      "grace_period_days",
      "maintenance_duration",
      "expiry_basis",
      "follows_subscription",
      "validation_interval_minutes",
      "require_heartbeat"
    ],
    says: (draft) => timeText(asPolicy(draft))
  },
  {
    title: "Floating seats",
    members: ["max_floating_users", "floating_overage", "floating_timeout_minutes", "lease_unit"],
    says: ({ max_floating_users }) => max_floating_users === none ? "off" : `${max_floating_users} seats`
  },
  {
    title: "Users",
    members: ["max_users", "max_devices_per_user"],
    says: ({ max_users }) => max_users === none ? "off" : `${max_users} people`
  },
  {
    title: "Offline use",
    members: ["allow_offline_activation", "offline_grace_days", "offline_file_days", "hold_offline_seats"],
    says: ({ allow_offline_activation, offline_grace_days }) =>
      allow_offline_activation === "true" ? `${offline_grace_days} days` : "off"
  },
  {
    title: "Self-service",
    members: ["self_service", "max_self_service_resets", "self_service_period", "self_service_transfer"],
    says: ({ self_service }) => self_service === "true" ? "on" : "off"
  },
  {
    title: "Refunds",
    members: ["refund_window_minutes"],
    says: ({ refund_window_minutes }) => refund_window_minutes === none ? "off" : `${refund_window_minutes} minutes`
  },
  {
    title: "Mails",
    members: ["mails", "expiring_days"],
    says: ({ mails }) => mails === none ? "off" : shownIn("mails", mails)
  },
  { title: "Metadata", members: ["metadata"], says: ({ metadata }) => metadata === "{}" ? "empty" : "set" }
]

const others = {
  name: "Name",
  code: "Code",
  license_type: "License type",
  mails: "Mails to owners",
  expiring_days: "Days before the expiry",
  metadata: "Metadata (JSON)"
} as const

/** The label of a member. */
export const labelOf = (name: FieldName): string =>
  name in others
    ? others[name as keyof typeof others]
    : titleOf("term", name as Exclude<FieldName, keyof typeof others>)

/** A value of a draft in words. */
export const shownIn = (name: FieldName, text: string): string => {
  if (text === none) return "–"
  const { kind } = fieldOf(name)
  if (kind === "boolean") return text === "true" ? "yes" : "no"
  if (kind === "duration") return durationText(text)
  if (kind === "overage") return overageText(text)
  if (kind === "number") return numberText(name, Number(text))
  if (kind === "numbers") return text.split(",").map((entry) => entry.trim()).join(", ")
  if (kind === "list") return entriesOf(text).map((entry) => titleOf("mailKind", entry)).join(", ")
  if (name === "expiry_basis") return titleOf("expiryBasis", text)
  return name === "license_type" ? licenseTypes.find(([value]) => value === text)?.[1] ?? text : text
}

/** Ways to sell, as what they set. */
export const presets: ReadonlyArray<readonly [name: string, sets: Partial<Record<FieldName, string>>]> = [
  ["Subscription", { license_type: "subscription", follows_subscription: "true", grace_period_days: "7" }],
  ["One-time, updates for a year", { license_type: "perpetual", maintenance_duration: "P1Y" }],
  ["One year", { license_type: "time_limited", duration: "P1Y" }],
  ["Floating seats", { license_type: "time_limited", duration: "P1Y", max_activations: "0", max_floating_users: "5" }],
  ["Trial", { license_type: "trial", duration: "P14D" }]
]
