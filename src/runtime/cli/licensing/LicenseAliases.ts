import { Effect } from "effect"
import type { License, LicenseKeyRotateResponse } from "../../../client/api/index.ts"
import { extendedExpiry, extensionStart } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import type { LicenseRenew } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import { printNotice, printText } from "../../terminal/Printing.ts"
import type { Request } from "../ground/api/Change.ts"
import type { Alias } from "../ground/api/OperationCommand.ts"
import { printState } from "../ground/api/OperationCommand.ts"
import { ServiceApi } from "../ground/ServiceApi.ts"
import { ownerOf } from "./LicenseShow.ts"

const id = "lic_06eqpx1trxz3h94vqjm3a6kz7c"
const device = "dev_06eqpx1trxz3h94vqjm3a6kz7c"

const asks = "Explains the effect and asks for confirmation"

/** The expiration after an extension, by what it is counted from: the requested start first, then the other one. */
const endsOf = ({ expires_at }: License, days: number, from: LicenseRenew["renew_from"]): string => {
  const expiresAt = expires_at === undefined ? undefined : Date.parse(expires_at)
  const now = Date.now()
  const startFrom = (renewFrom: LicenseRenew["renew_from"]) => extensionStart({ expiresAt, now, renewFrom })
  const end = (renewFrom: LicenseRenew["renew_from"]): string => {
    const start = startFrom(renewFrom)
    const at = extendedExpiry({ days, expiresAt: start, now: start })
    if (at === undefined) return "after the year 9999 (not allowed)"
    return `${new Date(at).toISOString()}${at <= now ? ", in the past (not allowed)" : ""}`
  }
  const summary = `Current expiration: ${expires_at ?? "not set"}; new expiration: ${end(from)}`
  if (expiresAt === undefined) return `${summary}.`
  const other = startFrom(from) === expiresAt ? "now" : "expiry"
  return `${summary}. With --from ${other} it would be ${end(other)}.`
}

/** The ends of an extension, if the token may read the license: it may change licenses that it may not read. */
const foreseenEnds = Effect.fnUntraced(function*({ body, ids }: Request) {
  const { ask } = yield* ServiceApi
  const { extend_by_days: days = 0, renew_from: from }: LicenseRenew = body
  return yield* Effect.match(ask((client) => client.licenses.get(ids[0]!)), {
    onSuccess: (license) => endsOf(license, days, from),
    onFailure: () => ""
  })
})

/** Support's commands for a license. */
export const licenseAliases: ReadonlyArray<Alias> = [
  {
    name: "renew",
    operation: "renewLicense",
    description: "Renew a license by one term of its policy, or until a given time",
    members: ["expires_at", "renew_from", "order_id", "subscription_id", "reason"],
    flags: { expires_at: "until", renew_from: "from", order_id: "order", subscription_id: "subscription" },
    foresee: ({ body: { expires_at, renew_from } }) =>
      Effect.succeed(
        expires_at !== undefined
          ? ""
          : `The license gets one more term of its policy${
            renew_from === undefined ? ", counted from the expiration, or from now if it has expired" : ""
          }.`
      ),
    examples: [
      [id, "By one term of its policy"],
      [`${id} --from expiry`, "Paid late: the new term starts where the previous one ended"],
      [`${id} --until 2027-12-31T23:59:59Z --yes`, "Until a time, in a script"]
    ],
    say: printState
  },
  {
    name: "extend",
    operation: "renewLicense",
    description: "Extend a license by some days, as a courtesy",
    members: ["extend_by_days", "renew_from", "reason"],
    flags: { extend_by_days: "days", renew_from: "from" },
    required: ["extend_by_days"],
    examples: [
      [`${id} --days 14`, "Two weeks until the invoice is paid"],
      [`${id} --days 30 --from expiry`, "Paid late: thirty days from the expiration"]
    ],
    foresee: foreseenEnds,
    say: printState
  },
  {
    name: "suspend",
    operation: "suspendLicense",
    description: "Suspend a license temporarily",
    examples: [
      [id, asks],
      [`${id} --yes --reason "chargeback of order 4711"`, "In a script, with a reason"],
      [`${id} --curl`, "Print the request only"]
    ],
    say: printState
  },
  {
    name: "reinstate",
    operation: "reinstateLicense",
    description: "Reinstate a suspended license",
    examples: [[id, asks]],
    say: printState
  },
  {
    name: "revoke",
    operation: "revokeLicense",
    description: "Revoke a license permanently",
    examples: [[id, asks], [`${id} --yes --reason "chargeback of order 4711"`, "In a script, with a reason"]],
    say: printState
  },
  {
    name: "rotate-key",
    operation: "rotateLicenseKey",
    description: "Rotate the key of a license",
    members: ["overlap_minutes", "reason"],
    flags: { overlap_minutes: "overlap" },
    examples: [[`${id} --overlap 0`, "After the key has leaked"]],
    say: ({ license_key, previous_key_expires_at }: LicenseKeyRotateResponse) =>
      Effect.andThen(
        printText(license_key),
        printNotice(
          `Send it to the owner; it is not shown again. The previous key expires at ${previous_key_expires_at}.`
        )
      )
  },
  {
    name: "transfer",
    operation: "transferLicense",
    description: "Transfer a license to another owner",
    flags: { customer_id: "customer", customer_email: "email", customer_name: "name" },
    either: {
      members: ["customer_id", "customer_email", "customer_name"],
      otherwise: "Specify the new owner: --customer, --email or --name"
    },
    defaults: { reset_devices: false },
    foresee: ({ body: { customer_email, customer_id, customer_name }, ids }) =>
      Effect.succeed(
        `${ids[0]} will belong to ${[customer_id, customer_email, customer_name].filter(Boolean).join(" ")}.`
      ),
    examples: [
      [`${id} --email grace@example.com --reset-devices`, "To another person with other devices"],
      [`${id} --customer cus_06eqpx1trxz3h94vqjm3a6kz7c`, "To another customer; devices keep working"]
    ],
    say: (license: License) => printText(`${license.id} belongs to ${ownerOf(license)}.`)
  }
]

/** Support's commands for the seats of a license. */
export const deviceAliases: ReadonlyArray<Alias> = [
  {
    name: "reset",
    operation: "resetLicenseDevice",
    description: "Free the seat of a device, for example of a lost laptop; also unblocks it",
    examples: [[`${id} ${device}`, asks], [`${id} ${device} --yes --json`, "In a script"]],
    say: printState
  },
  {
    name: "block",
    operation: "blacklistLicenseDevice",
    description: "Block a device",
    examples: [[`${id} ${device}`, asks], [`${id} ${device} --yes --json`, "In a script"]],
    say: printState
  },
  {
    name: "release",
    operation: "releaseLicenseLease",
    description: "Free a floating seat",
    examples: [[`${id} lease_06eqpx1trxz3h94vqjm3a6kz7c`, asks]],
    say: printState
  }
]
