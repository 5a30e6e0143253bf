import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type {
  Activity,
  Device,
  FloatingLease,
  License,
  LicenseExplanation,
  LicenseFeature
} from "../../../client/api/index.ts"
import { labelOf, titleOf } from "../../../client/api/Labels.ts"
import { isMeantAsOurs, readLicenseKey, sayLicenseKeyFault } from "../../../domain/keys/security/Credential.ts"
import { Found, WrongUsage } from "../../terminal/ExitCode.ts"
import { json, printFacts, printJson, printTable, printText } from "../../terminal/Printing.ts"
import { readInput } from "../ground/Input.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"

/** A text that identifies a license. */
export const anything = Argument.String("anything").pipe(
  Argument.withDescription(
    "Email address, name or company; any ID, such as of a license, device or request; the license key or its last four " +
      "characters; - reads it from standard input, because other users can see arguments"
  )
)

/** The id of a license, as an argument. */
const licenseId = Argument.String("license-id").pipe(
  Argument.withDescription("License ID, lic_…, from `licenses find`")
)

/** The licenses that a request was about, be it granted or refused. */
const ofRequest = Effect.fnUntraced(function*(requestId: string, limit: number) {
  const { ask } = yield* ServiceApi
  const activities = yield* ask((client) => client.activities.list({ request_id: requestId, limit: 100 }))
  const ids = new Set(activities.flatMap(({ license_id }) => license_id === undefined ? [] : [license_id]))
  return yield* Effect.forEach([...ids].slice(0, limit), (id) => ask((client) => client.licenses.get(id)))
})

/**
 * The licenses that match a text, newest first, at most `limit` of them. The text is sent in a body, because it may
 * be a key.
 */
export const findLicenses = Effect.fnUntraced(function*(given: string, limit: number) {
  const { ask } = yield* ServiceApi
  const text = given === "-" ? yield* readInput("the search text") : given.trim()
  if (text === "") return yield* new WrongUsage({ message: "Specify a search text" })
  if (text.startsWith("req_")) return { licenses: yield* ofRequest(text, limit), text, hasMore: false }
  const { has_more: hasMore, licenses } = yield* ask((client) => client.licenses.search({ text, limit }))
  return { licenses, text, hasMore }
})

/** The fault of a text that looks like a license key; undefined for any other text. */
const keyFault = (text: string): string | undefined => {
  const reading = readLicenseKey(text)
  return "fault" in reading && isMeantAsOurs(text) ? sayLicenseKeyFault(reading.fault) : undefined
}

/**
 * Nothing was found, which the exit code says too. A text from standard input is not repeated, because it may be a
 * key.
 */
export const nothing = (given: string, text: string): Found =>
  new Found({
    message: given === "-"
      ? ["No license matches the text on standard input.", keyFault(text)].filter(Boolean).join(" ")
      : `No license matches "${given}". ${keyFault(text) ?? "Search matches words of a name or email."}`
  })

/** The most rows of each list. */
const shown = { devices: 20, story: 8 }

/** Everything that support needs about a license. */
const read = Effect.fnUntraced(function*(id: string) {
  const { ask } = yield* ServiceApi
  return yield* Effect.all({
    explanation: ask((client) => client.licenses.explain(id, {})),
    features: ask((client) => client.licenses.listFeatures(id, { limit: 200 })),
    devices: ask((client) => client.licenses.listDevices(id, { limit: shown.devices })),
    leases: ask((client) => client.licenses.listLeases(id, { is_live: true, limit: shown.devices })),
    story: ask((client) => client.activities.list({ license_id: id, limit: shown.story }))
  }, { concurrency: 5 })
})

export const ownerOf = ({ customer_email, customer_id, customer_name }: License): string =>
  [customer_name, customer_email && `<${customer_email}>`, customer_id].filter(Boolean).join(" ") || "no owner"

/** The shown parts of a license key. */
export const keyOf = ({ license_key_last4, license_key_prefix }: License): string =>
  `${license_key_prefix}…${license_key_last4}`

const reasons = ({ findings, is_allowed }: LicenseExplanation): ReadonlyArray<string> =>
  is_allowed
    ? ["Allowed: no rule blocks this license."]
    : [
      "Refused:",
      ...findings.map(({ code, detail, message, rule }) =>
        `  ${code}: ${message} (${[detail, `rule ${rule}`].filter(Boolean).join("; ")})`
      )
    ]

const useOf = (
  { credits, granted_remaining, max_consumptions, period, period_consumptions, pool_remaining, total_consumptions }:
    LicenseFeature
): string => {
  const used = (period === undefined ? total_consumptions : period_consumptions ?? 0).toLocaleString("en-US")
  const quota = max_consumptions === undefined ? "" : ` of ${max_consumptions.toLocaleString("en-US")}`
  const added = credits === undefined ? "" : ` (${credits.toLocaleString("en-US")} added)`
  const granted = granted_remaining === undefined
    ? ""
    : ` (${granted_remaining.toLocaleString("en-US")} left of grants)`
  const pooled = pool_remaining === undefined ? "" : ` (${pool_remaining.toLocaleString("en-US")} left of pools)`
  return `${used}${quota}${added}${granted}${pooled}${period === undefined ? "" : ` a ${period}`}`
}

/** A heading and a table; nothing where there are no rows. */
const part = (heading: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.length === 0
    ? Effect.void
    : Effect.andThen(printText(["", heading]), printTable([columns, ...rows]))

const printFeatures = (features: ReadonlyArray<LicenseFeature>) =>
  part(
    "Features",
    ["FEATURE", "ON", "USED", "LEFT", "UNTIL"],
    features.map((feature) => [
      feature.feature_code,
      feature.enabled ? "yes" : "no",
      useOf(feature),
      feature.remaining === undefined ? "" : feature.remaining.toLocaleString("en-US"),
      feature.period_ends_at ?? feature.expires_at ?? ""
    ])
  )

const printDevices = (devices: ReadonlyArray<Device>) =>
  part(
    "Devices",
    ["ID", "STATUS", "NAME", "SYSTEM", "VERSION", "LAST SEEN"],
    devices.map(({ app_version, binding_key, fingerprint, hostname, id, last_seen_at, name, os, status }) => [
      id,
      labelOf("state", status),
      name ?? hostname ?? fingerprint ?? binding_key,
      os ?? "",
      app_version ?? "",
      last_seen_at
    ])
  )

const printLeases = (leases: ReadonlyArray<FloatingLease>) =>
  part(
    "Floating seats in use",
    ["ID", "DEVICE", "SINCE", "UNTIL"],
    leases.map(({ checked_out_at, device_id, expires_at, id }) => [id, device_id, checked_out_at, expires_at])
  )

const printStory = (story: ReadonlyArray<Activity>) =>
  part(
    "Activity, newest first",
    ["WHEN", "WHAT", "OUTCOME", "WHO", "REQUEST", "WHY"],
    story.map(({ action, actor_id, code, occurred_at, reason, request_id, result_class }) => [
      occurred_at,
      titleOf("action", action),
      code ?? labelOf("result", result_class),
      actor_id,
      request_id ?? "",
      reason ?? ""
    ])
  )

/** The state of a license, and whether and why it may run, for a person. */
const print = Effect.fnUntraced(function*(
  { devices, explanation, features, leases, story }: Effect.Success<ReturnType<typeof read>>
) {
  const { license, policy, terms } = explanation
  yield* printText(`${license.id}: ${labelOf("state", explanation.status)}`)
  for (const reason of reasons(explanation)) yield* printText(reason)
  yield* printText("")
  yield* printFacts([
    ["Key", keyOf(license)],
    ["Owner", ownerOf(license)],
    ["Product", license.product_id],
    ["Policy", `${policy.name} (${policy.code}, ${policy.license_type})`],
    ["Order", license.order_id],
    ["Subscription", license.subscription_id],
    ["Starts", license.starts_at],
    ["Expires", license.expires_at ?? (license.awaits_activation === true ? "starts at first use" : "never")],
    ["Maintenance until", license.maintenance_expires_at],
    ["Devices", `${license.active_device_count} of ${terms.max_activations?.value ?? policy.max_activations}`],
    ["Floating seats", terms.max_floating_users && `${leases.length} of ${terms.max_floating_users.value}`],
    ["Transfers", `${license.times_transferred} of ${terms.max_transfers?.value ?? policy.max_transfers}`]
  ])
  yield* printFeatures(features)
  yield* printDevices(devices)
  yield* printLeases(leases)
  yield* printStory(story)
})

/** `countersign licenses show`: the state of a license, and why. */
export const show = Command.make("show", { id: licenseId, json, url }, (input) =>
  Effect.gen(function*() {
    const all = yield* read(input.id)
    yield* input.json ? printJson(all) : print(all)
  })).pipe(
    Command.withDescription("Show a license: status, features, devices, usage and activity"),
    Command.withExamples([
      { command: "countersign licenses show lic_06eqpx1trxz3h94vqjm3a6kz7c", description: "Everything" },
      {
        command: "countersign licenses show lic_06eqpx1trxz3h94vqjm3a6kz7c --json | jq .explanation.findings",
        description: "The reasons for a refusal, for a program"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )
