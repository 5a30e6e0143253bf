import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { License } from "../../client/api/index.ts"
import { extendedExpiry, extensionStart } from "../../domain/lifecycle/LicenseRenewal.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"
import { printNotice, printText } from "../terminal/Printing.ts"
import { change, changing, reasonIn } from "./Change.ts"
import { licenseId } from "./LicenseSearch.ts"
import { ownerOf } from "./LicenseShow.ts"
import { ServiceApi } from "./ServiceApi.ts"

const exampleId = "lic_06eqpx1trxz3h94vqjm3a6kz7c"
const inputs = { id: licenseId, ...changing }

const stateOf = ({ expires_at, id, status }: License): Effect.Effect<void> =>
  printText(`${id} is ${status}${expires_at === undefined ? "" : `, until ${expires_at}`}.`)

/** What a change does to a license and takes nothing but its id. */
const simple = (
  name: "suspend" | "reinstate" | "revoke",
  { consequence, description }: { readonly description: string; readonly consequence: (id: string) => string }
) =>
  Command.make(name, inputs, (input) =>
    change(input, {
      consequence: consequence(input.id),
      question: `${name[0]!.toUpperCase()}${name.slice(1)} ${input.id}?`,
      call: (client, options) => client.licenses[name](input.id, options),
      say: stateOf
    })).pipe(
      Command.withDescription(description),
      Command.withExamples([
        { command: `countersign licenses ${name} ${exampleId}`, description: "Says what will happen, and asks" },
        {
          command: `countersign licenses ${name} ${exampleId} --yes --reason "chargeback of order 4711"`,
          description: "In a script, with a reason"
        },
        { command: `countersign licenses ${name} ${exampleId} --curl`, description: "Print the request only" }
      ]),
      Command.provide((input) => ServiceApi.layer(input))
    )

export const suspend = simple("suspend", {
  description: "Suspend a license temporarily",
  consequence: (id) =>
    `${id} stops working at the next check on every device. Devices keep their seats; \`licenses reinstate\` ` +
    "enables it again."
})

export const reinstate = simple("reinstate", {
  description: "Reinstate a suspended license",
  consequence: (id) => `${id} works again, unless it has expired.`
})

export const revoke = simple("revoke", {
  description: "Revoke a license permanently",
  consequence: (id) => `Revokes ${id} permanently and frees its seats. This cannot be undone.`
})

/** A flag that may be left out, as text; empty where it is. */
const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(""))

const filled = (members: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""))

/** What an extension is counted from; the service decides where it is left out. */
const from = Flag.Literals("from", ["expiry", "now"]).pipe(
  Flag.optional,
  Flag.withDescription(
    "Count from the expiration, even in the past, or from now, which discards the remaining time. " +
      "Default: from the expiration if it is in the future, otherwise from now"
  )
)

type From = Option.Option<"expiry" | "now">

/** What is counted from, in words. */
const countedFrom = (from: From): string =>
  Option.match(from, {
    onNone: () => "counted from the expiration, or from now if it has expired",
    onSome: (start) => start === "now" ? "counted from now; the remaining time is lost" : "counted from the expiration"
  })

const renewFrom = (from: From) => Option.match(from, { onNone: () => ({}), onSome: (renew_from) => ({ renew_from }) })

export const renew = Command.make("renew", {
  ...inputs,
  until: text("until", "time", "New expiration, 2027-12-31T23:59:59Z; default: one more term of the policy"),
  from,
  order: text("order", "order-id", "The order that pays for it"),
  subscription: text("subscription", "subscription-id", "The subscription that pays for it")
}, (input) =>
  Effect.gen(function*() {
    if (input.until !== "" && Option.isSome(input.from)) {
      return yield* new WrongUsage({ message: "--from cannot be combined with --until" })
    }
    yield* change(input, {
      consequence: `${input.id} expires ${
        input.until === "" ? `after one more term of its policy, ${countedFrom(input.from)}` : `at ${input.until}`
      }.`,
      question: `Renew ${input.id}?`,
      call: (client, options) =>
        client.licenses.renew(
          input.id,
          {
            ...filled({ expires_at: input.until, order_id: input.order, subscription_id: input.subscription }),
            ...renewFrom(input.from),
            ...reasonIn(input)
          },
          options
        ),
      say: stateOf
    })
  })).pipe(
    Command.withDescription("Renew a license by one term of its policy, or until a given time"),
    Command.withExamples([
      { command: `countersign licenses renew ${exampleId}`, description: "By one term of its policy" },
      {
        command: `countersign licenses renew ${exampleId} --from expiry`,
        description: "Paid late: the new term starts where the previous one ended"
      },
      {
        command: `countersign licenses renew ${exampleId} --until 2027-12-31T23:59:59Z --yes`,
        description: "Until a time, in a script"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** The ends that an extension leads to, by what it is counted from: what was asked for first, then the other one. */
const endsOf = ({ expires_at }: License, days: number, from: From): string => {
  const expiresAt = expires_at === undefined ? undefined : Date.parse(expires_at)
  const now = Date.now()
  const end = (renewFrom: "expiry" | "now" | undefined): string => {
    const start = extensionStart({ expiresAt, now, renewFrom })
    const at = extendedExpiry({ days, expiresAt: start, now: start })
    if (at === undefined) return "after the year 9999 (not allowed)"
    return `${new Date(at).toISOString()}${at <= now ? ", in the past (not allowed)" : ""}`
  }
  const asked = `Current expiration: ${expires_at ?? "not set"}; new expiration: ${end(Option.getOrUndefined(from))}`
  if (expiresAt === undefined) return `${asked}.`
  const isFromExpiry = extensionStart({ expiresAt, now, renewFrom: Option.getOrUndefined(from) }) === expiresAt
  const other = isFromExpiry ? "now" : "expiry"
  return `${asked}. With --from ${other} it would be ${end(other)}.`
}

export const extend = Command.make("extend", {
  ...inputs,
  days: Flag.Int("days").pipe(Flag.withDescription("Number of days")),
  from
}, (input) =>
  Effect.gen(function*() {
    const { days, id } = input
    if (days < 1) return yield* new WrongUsage({ message: `--days must be 1 or more, not ${days}` })
    const { ask } = yield* ServiceApi
    // A key may change licenses that it may not read: then the words have to do.
    const license = input.curl ? Option.none() : yield* Effect.option(ask((client) => client.licenses.get(id)))
    yield* change(input, {
      consequence: `${id} will be extended by ${days} day${days === 1 ? "" : "s"}, ${countedFrom(input.from)}.${
        Option.match(license, { onNone: () => "", onSome: (found) => ` ${endsOf(found, days, input.from)}` })
      }`,
      question: `Extend ${id}?`,
      call: (client, options) =>
        client.licenses.renew(id, { extend_by_days: days, ...renewFrom(input.from), ...reasonIn(input) }, options),
      say: stateOf
    })
  })).pipe(
    Command.withDescription("Extend a license by some days, as a courtesy"),
    Command.withExamples([
      {
        command: `countersign licenses extend ${exampleId} --days 14`,
        description: "Two weeks until the invoice is paid"
      },
      {
        command: `countersign licenses extend ${exampleId} --days 30 --from expiry`,
        description: "Paid late: thirty days from the expiration"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

export const rotateKey = Command.make("rotate-key", {
  ...inputs,
  overlap: Flag.Int("overlap").pipe(
    Flag.withMetavar("minutes"),
    Flag.withDescription("Minutes that the previous key still works; 0 if it has leaked"),
    Flag.withDefault(1440)
  )
}, (input) =>
  change(input, {
    consequence: `${input.id} gets a new key, which is printed only once. The previous key expires ` +
      (input.overlap === 0 ? "immediately, also in running apps." : `in ${input.overlap} minutes.`),
    question: `Rotate the key of ${input.id}?`,
    call: (client, options) =>
      client.licenses.rotateKey(input.id, { overlap_minutes: input.overlap, ...reasonIn(input) }, options),
    say: ({ license_key, previous_key_expires_at }) =>
      Effect.andThen(
        printText(license_key),
        printNotice(
          `Send it to the owner; it is not shown again. The previous key expires at ${previous_key_expires_at}.`
        )
      )
  })).pipe(
    Command.withDescription("Rotate the key of a license"),
    Command.withExamples([
      { command: `countersign licenses rotate-key ${exampleId} --overlap 0`, description: "After the key has leaked" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

export const transfer = Command.make("transfer", {
  ...inputs,
  customer: text("customer", "customer-id", "New customer"),
  email: text("email", "address", "New owner's email address"),
  name: text("name", "name", "The owner's name"),
  resetDevices: Flag.Boolean("reset-devices").pipe(
    Flag.withDescription("Free the seats of all devices"),
    Flag.withDefault(false)
  )
}, (input) =>
  Effect.gen(function*() {
    const owner = filled({ customer_id: input.customer, customer_email: input.email, customer_name: input.name })
    if (Object.keys(owner).length === 0) {
      return yield* new WrongUsage({ message: "Specify the new owner: --customer, --email or --name" })
    }
    yield* change(input, {
      consequence: `${input.id} will belong to ${Object.values(owner).join(" ")}. ` +
        (input.resetDevices ? "All device seats are freed." : "Devices keep their seats.") +
        " A new owner counts toward the policy's transfer limit.",
      question: `Transfer ${input.id}?`,
      call: (client, options) =>
        client.licenses.transfer(
          input.id,
          { ...owner, reset_devices: input.resetDevices, ...reasonIn(input) },
          options
        ),
      say: (license) => printText(`${license.id} belongs to ${ownerOf(license)}.`)
    })
  })).pipe(
    Command.withDescription("Transfer a license to another owner"),
    Command.withExamples([
      {
        command: `countersign licenses transfer ${exampleId} --email grace@example.com --reset-devices`,
        description: "To another person with other devices"
      },
      {
        command: `countersign licenses transfer ${exampleId} --customer cus_06eqpx1trxz3h94vqjm3a6kz7c`,
        description: "To another customer; devices keep working"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )
