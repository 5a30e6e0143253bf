// Writes the parts of docs/reference that follow from the code: what each field of a policy changes, every kind of event,
// the states of a license in an app, and the settings (npm run docs:reference). test/references.test.ts fails when they are not current.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { kindTexts } from "../src/api/composition/docs/KindTexts.ts"
import { openApiDocument } from "../src/api/composition/docs/OpenApi.ts"
import { exampleOf } from "../src/api/composition/docs/Responses.ts"
import type { Node } from "../src/api/composition/docs/Schemas.ts"
import { referred, resolved } from "../src/api/composition/docs/Schemas.ts"
import { deliveries } from "../src/api/delivery/Webhooks.ts"
import { familyOf } from "../src/domain/log/EventKind.ts"
import type { EventKind } from "../src/domain/log/EventKind.ts"
import { table } from "../src/runtime/config/ConfigTable.ts"
import { doorTable, mailTable } from "../src/runtime/config/MailTable.ts"
import { openIdTable } from "../src/runtime/config/OpenIdTable.ts"
import type { SettingTable } from "../src/runtime/config/Setting.ts"
import { traceTable } from "../src/runtime/config/TraceTable.ts"
import { witnessTable } from "../src/runtime/config/WitnessTable.ts"
import { appStatesTable } from "../test/fixtures/AppStates.ts"
import { decisionTable } from "../test/fixtures/decisionTable.ts"
import type { DecisionRow } from "../test/fixtures/decisionTable.ts"
import { withGenerated } from "./generated.ts"

/** Which situations of the decision table show what a field changes; none where no call of an app depends on it. */
const shownBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  license_type: ["perpetual", "perpetual, expired", "trial, expired", "consumption", "consumption, not assigned"],
  max_activations: [
    "never seen, a seat",
    "never seen, full",
    "has its seat, full",
    "above a lowered cap",
    "no seats at all"
  ],
  max_floating_users: [
    "no lease",
    "floating seats full",
    "holds one, full",
    "above a lowered float cap",
    "policy without floating",
    "no floating users"
  ],
  floating_timeout_minutes: ["lease ran out", "ran out, taken by another"],
  max_container_instances: ["container by its cap", "container, own seats", "container, no cap, full"],
  grace_period_days: ["active", "grace_period", "expired"],
  require_heartbeat: ["require_heartbeat"],
  allow_offline_activation: ["offline not allowed", "offline, but suspended", "bound by a lease alone"],
  offline_grace_days: ["no offline days"],
  allow_vm: ["vm allowed", "vm not allowed", "no vm, not allowed"],
  allow_container: ["container allowed", "container not allowed", "hardware, no containers"],
  validation_interval_minutes: [],
  max_transfers: [],
  duration: [],
  expiry_basis: [],
  maintenance_duration: [],
  activation_overage: [],
  floating_overage: [],
  lease_unit: [],
  follows_subscription: [],
  component_match: [],
  self_service: [],
  max_self_service_resets: [],
  self_service_period: [],
  self_service_transfer: [],
  offline_file_days: [],
  hold_offline_seats: [],
  refund_window_minutes: [],
  max_users: [],
  max_devices_per_user: [],
  mails: [],
  expiring_days: []
}

/** What no row of the decision table shows, because its calls name no process and refund nothing. */
const told: Readonly<Record<string, string>> = {
  lease_unit:
    "With `device`, a checkout of a device that holds a seat is granted, whichever of its processes asks. With " +
    "`process`, one of a process that holds none takes another seat, or is refused with `FLOATING_LIMIT_EXCEEDED`.",
  refund_window_minutes:
    "Without it, a refund by an app is refused with `REFUND_NOT_ALLOWED`. With it, so is one of a usage event that is older.",
  self_service_transfer:
    "Without it the portal offers no transfer. With it the transfer counts towards `max_transfers`.",
  max_users:
    "With it, a call of an app without a `user_token` is refused with `USER_SIGN_IN_REQUIRED`, and a first sign-in when all seats " +
    "are taken with `USER_LIMIT_EXCEEDED`.",
  max_devices_per_user: "An activation or checkout on one device more is refused with `USER_DEVICE_LIMIT_EXCEEDED`."
}

const document = openApiDocument("https://licenses.example.com", "1")

/** What the situations are, where their names are too short for somebody who reads them here. */
const situations: Readonly<Record<string, string>> = {
  "active": "before the end",
  "grace_period": "after the end, within the days of grace",
  "expired": "after the days of grace",
  "consumption, not assigned": "consumption, the feature is not assigned",
  "never seen, a seat": "a new device, and a seat is free",
  "never seen, full": "a new device, and no seat is free",
  "has its seat, full": "a device with a seat, and no other is free",
  "above a lowered cap": "a device with a seat, and the cap was lowered below the seats taken",
  "no seats at all": "0: a new device",
  "no lease": "a device without a lease, and a seat is free",
  "floating seats full": "a device without a lease, and no seat is free",
  "holds one, full": "a device with a lease, and no other seat is free",
  "above a lowered float cap": "a device with a lease, and the cap was lowered below the seats taken",
  "policy without floating": "without it: a device without a lease",
  "no floating users": "0: a device without a lease",
  "lease ran out": "no heartbeat came in time, and the seat is still free",
  "ran out, taken by another": "no heartbeat came in time, and another device took the seat",
  "container by its cap": "2, and two containers hold a seat: a third",
  "container, own seats": "3, and two containers hold a seat: a third",
  "container, no cap, full": "without it, and `max_activations` are taken: a new container",
  "offline not allowed": "false",
  "offline, but suspended": "false, and the license is suspended",
  "bound by a lease alone": "true: a device that only holds a floating seat",
  "no offline days": "0",
  "require_heartbeat": "true",
  "vm allowed": "true: a virtual machine",
  "vm not allowed": "false: a virtual machine",
  "no vm, not allowed": "false: another machine",
  "container allowed": "true: a container",
  "container not allowed": "false: a container",
  "hardware, no containers": "false: a machine"
}

const rowOf = (situation: string): DecisionRow => {
  const found = decisionTable.find((row) => row.situation === situation)
  if (found === undefined) throw new Error(`test/fixtures/decisionTable.ts has no row "${situation}"`)
  return found
}

/** A row of the table: the situation, what is granted, and what is refused with which code. */
const decided = (situation: string): string => {
  const answers = Object.entries(rowOf(situation).expected)
  const granted = answers.filter(([, code]) => code === "").map(([operation]) => operation)
  const codes = [...new Set(answers.map(([, code]) => code).filter((code) => code !== undefined && code !== ""))]
  const refused = codes.map((code) =>
    `\`${code}\`: ${answers.filter(([, other]) => other === code).map(([operation]) => operation).join(", ")}`
  )
  const few = granted.length < 4 ? granted.join(", ") : `every${codes.length === 0 ? "" : " other"} call`
  return `| ${situations[situation] ?? situation} | ${few} | ${refused.join("; ")} |`
}

/** Every field of a policy that is a rule: its description, and the decisions that depend on it. */
const policyFields = (): ReadonlyArray<string> => {
  const members: Node = document["components"].schemas.PolicyCreateRequest.properties
  const rules = Object.keys(members).filter((name) => !["name", "code", "metadata", "dry_run"].includes(name))
  const unknown = rules.filter((name) => shownBy[name] === undefined)
  if (unknown.length > 0) throw new Error(`build/references.ts does not say what shows ${unknown.join(", ")}`)
  return Object.keys(shownBy).filter((name) => rules.includes(name)).flatMap((name) => {
    const rows = shownBy[name]!
    const { enum: values } = resolved(document, members[name])
    const oneOf = values === undefined ? "" : ` One of ${values.map((value: string) => `\`${value}\``).join(", ")}.`
    const decisions = rows.length === 0
      ? [told[name] ?? "No call of an app is refused for it."]
      : ["| situation | granted | refused |", "| --- | --- | --- |"].concat(rows.map(decided))
    return [`## ${name}`, "", `${members[name].description}${oneOf}`, ""].concat(decisions, "")
  }).slice(0, -1)
}

/** What every delivery has beside its kind and its data. */
const envelope = { id: "evt_06eqpx1trxz3h94vqjm3a6kz7d", sequence: 42, created_at: "2026-11-21T10:30:00.000Z" }

/** Every kind of event by family: when it happens, what `data` holds, and an example of a whole delivery. */
const eventKinds = (): ReadonlyArray<string> => {
  const schemas: Node = document["components"].schemas
  const dataOf = (name: string): string => referred(schemas[name].properties.data)!
  const families = [...new Set(deliveries.map(({ kind }) => familyOf(kind)))]
  const example = (shape: string, { kind }: { readonly kind: EventKind }): ReadonlyArray<string> => {
    const delivery = { ...envelope, event_type: kind, type: kind, data: exampleOf(schemas[shape], schemas) }
    return [`A delivery of \`${kind}\`:`, "", "```json", JSON.stringify(delivery, null, 2), "```", ""]
  }
  return families.flatMap((family) => {
    const members = deliveries.filter(({ kind }) => familyOf(kind) === family)
    const shapes = [...new Set(members.map(({ name }) => dataOf(name)))]
    const rows = members.map(({ kind, name }) => `| \`${kind}\` | ${kindTexts[kind]} | \`${dataOf(name)}\` |`)
    return [`## ${family}`, "", "| kind | when | `data` |", "| --- | --- | --- |"].concat(
      rows,
      "",
      shapes.flatMap((shape) => example(shape, members.find(({ name }) => dataOf(name) === shape)!))
    )
  }).slice(0, -1)
}

const stateNames = (states: ReadonlyArray<string>): string =>
  states.map((state) => state === "any" ? state : `\`${state}\``).join(", ")

/** Each state of an app's license, with its reasons and what to show. */
const appReasons = (): ReadonlyArray<string> => [
  "| state | the app | reason | to show |",
  "| --- | --- | --- | --- |",
  ...appStatesTable.states.flatMap((state) =>
    Object.entries(appStatesTable.reasons).filter(([, reason]) => reason.state === state).map(([name, { show }]) =>
      `| \`${state}\` | ${appStatesTable.running.includes(state) ? "runs" : "stops"} | \`${name}\` | ${show} |`
    )
  )
]

/** The machine of an app's license, row by row. */
const appTransitions = (): ReadonlyArray<string> => [
  "| event | from | when | then |",
  "| --- | --- | --- | --- |",
  ...appStatesTable.transitions.map(({ event, from, to, when }) =>
    `| \`${event}\` | ${stateNames(from)} | ${when} | ${
      to === "same" ? "as before" : `\`${appStatesTable.reasons[to].state}\`, \`${to}\``
    } |`
  )
]

const settings = (rows: SettingTable) => (): ReadonlyArray<string> => [
  "| variable | default | meaning |",
  "| --- | --- | --- |",
  ...Object.values(rows).map(({ meaning, name, shown }) => `| \`${name}\` | ${shown} | ${meaning} |`)
]

/** The generated parts of documents: file, marker and lines. */
export const references = [
  { file: "docs/reference/app-states.md", part: "app-reasons", lines: appReasons },
  { file: "docs/reference/app-states.md", part: "app-transitions", lines: appTransitions },
  { file: "docs/reference/policy-fields.md", part: "policy-fields", lines: policyFields },
  { file: "docs/reference/event-kinds.md", part: "event-kinds", lines: eventKinds },
  { file: "docs/reference/configuration.md", part: "settings", lines: settings(table) },
  { file: "docs/reference/configuration.md", part: "sign-in-settings", lines: settings(openIdTable) },
  { file: "docs/reference/configuration.md", part: "mail-settings", lines: settings(mailTable) },
  { file: "docs/reference/configuration.md", part: "witness-settings", lines: settings(witnessTable) },
  { file: "docs/reference/configuration.md", part: "trace-settings", lines: settings(traceTable) },
  { file: "docs/reference/configuration.md", part: "connection-limits", lines: settings(doorTable) }
] as const

if (import.meta.main) {
  for (const { file, lines, part } of references) {
    const path = join(import.meta.dirname, "..", file)
    writeFileSync(path, withGenerated(readFileSync(path, "utf8"), part, lines()))
  }
}
