import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { License } from "../../client/api/index.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"
import { change, changing } from "./Change.ts"
import { licenseId } from "./LicenseSearch.ts"
import { ownerOf } from "./LicenseShow.ts"
import { ServiceApi } from "./ServiceApi.ts"

const exampleId = "lic_06eqpx1trxz3h94vqjm3a6kz7c"
const inputs = { id: licenseId, ...changing }

const stateOf = ({ expires_at, id, status }: License): Effect.Effect<void> =>
  Console.log(`${id} is ${status}${expires_at === undefined ? "" : `, until ${expires_at}`}.`)

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
        { command: `countersign licenses ${name} ${exampleId} --yes --json`, description: "In a script" },
        { command: `countersign licenses ${name} ${exampleId} --curl`, description: "Only shows the request" }
      ]),
      Command.provide((input) => ServiceApi.layer(input))
    )

export const suspend = simple("suspend", {
  description: "Suspend a license, which can be taken back",
  consequence: (id) =>
    `${id} will not run from its next check on, on all its devices. It keeps its seats; \`licenses reinstate\` takes ` +
    "it back."
})

export const reinstate = simple("reinstate", {
  description: "Take back a suspension",
  consequence: (id) => `${id} will run again, unless it has expired.`
})

export const revoke = simple("revoke", {
  description: "Withdraw a license for ever",
  consequence: (id) => `${id} will never run again: its devices lose their seats. Nothing takes a revocation back.`
})

/** A flag that may be left out, as text; empty where it is. */
const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(""))

const filled = (members: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""))

export const renew = Command.make("renew", {
  ...inputs,
  until: text("until", "time", "When it ends, 2027-12-31T23:59:59Z; otherwise a further term of its policy"),
  order: text("order", "order-id", "The order that pays for it"),
  subscription: text("subscription", "subscription-id", "The subscription that pays for it")
}, (input) =>
  change(input, {
    consequence: `${input.id} will end ${
      input.until === "" ? "a term of its policy later than it would" : `at ${input.until}`
    }.`,
    question: `Renew ${input.id}?`,
    call: (client, options) =>
      client.licenses.renew(
        input.id,
        filled({ expires_at: input.until, order_id: input.order, subscription_id: input.subscription }),
        options
      ),
    say: stateOf
  })).pipe(
    Command.withDescription("Renew a license by a term of its policy, or until a time"),
    Command.withExamples([
      { command: `countersign licenses renew ${exampleId}`, description: "By a term of its policy" },
      {
        command: `countersign licenses renew ${exampleId} --until 2027-12-31T23:59:59Z --yes`,
        description: "Until a time, in a script"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

export const extend = Command.make("extend", {
  ...inputs,
  days: Flag.Int("days").pipe(Flag.withDescription("By how many days"))
}, (input) =>
  Effect.gen(function*() {
    if (input.days < 1) return yield* new WrongUsage({ message: `--days must be 1 or more, not ${input.days}` })
    yield* change(input, {
      consequence: `${input.id} will end ${input.days} day${input.days === 1 ? "" : "s"} later than it would.`,
      question: `Extend ${input.id}?`,
      call: (client, options) => client.licenses.renew(input.id, { extend_by_days: input.days }, options),
      say: stateOf
    })
  })).pipe(
    Command.withDescription("Let a license end some days later, as a courtesy"),
    Command.withExamples([
      {
        command: `countersign licenses extend ${exampleId} --days 14`,
        description: "Two weeks while the invoice is paid"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

export const rotateKey = Command.make("rotate-key", {
  ...inputs,
  overlap: Flag.Int("overlap").pipe(
    Flag.withMetavar("minutes"),
    Flag.withDescription("For how many minutes the key before goes on; 0 when it has leaked"),
    Flag.withDefault(1440)
  )
}, (input) =>
  change(input, {
    consequence: `${input.id} gets a new key, which is printed once. The key before ends ` +
      (input.overlap === 0 ? "at once, also in apps that run." : `in ${input.overlap} minutes.`),
    question: `Give ${input.id} a new key?`,
    call: (client, options) => client.licenses.rotateKey(input.id, { overlap_minutes: input.overlap }, options),
    say: ({ license_key, previous_key_expires_at }) =>
      Effect.andThen(
        Console.log(license_key),
        Console.error(`Send it to the owner; it is not shown again. The key before ends at ${previous_key_expires_at}.`)
      )
  })).pipe(
    Command.withDescription("Give a license a new key and end the one before"),
    Command.withExamples([
      { command: `countersign licenses rotate-key ${exampleId} --overlap 0`, description: "After the key has leaked" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

export const transfer = Command.make("transfer", {
  ...inputs,
  customer: text("customer", "customer-id", "The customer who gets it"),
  email: text("email", "address", "The owner's e-mail address"),
  name: text("name", "name", "The owner's name"),
  resetDevices: Flag.Boolean("reset-devices").pipe(
    Flag.withDescription("Take the seats of the owner's devices before"),
    Flag.withDefault(false)
  )
}, (input) =>
  Effect.gen(function*() {
    const owner = filled({ customer_id: input.customer, customer_email: input.email, customer_name: input.name })
    if (Object.keys(owner).length === 0) {
      return yield* new WrongUsage({ message: "Say who gets it: --customer, --email or --name" })
    }
    yield* change(input, {
      consequence: `${input.id} will belong to ${Object.values(owner).join(" ")}. ` +
        (input.resetDevices ? "Its devices lose their seats." : "Its devices keep their seats.") +
        " It counts as a transfer, of which the policy allows so many.",
      question: `Transfer ${input.id}?`,
      call: (client, options) =>
        client.licenses.transfer(input.id, { ...owner, reset_devices: input.resetDevices }, options),
      say: (license) => Console.log(`${license.id} belongs to ${ownerOf(license)}.`)
    })
  })).pipe(
    Command.withDescription("Give a license to another owner"),
    Command.withExamples([
      {
        command: `countersign licenses transfer ${exampleId} --email grace@example.com --reset-devices`,
        description: "To another person, who has other devices"
      },
      {
        command: `countersign licenses transfer ${exampleId} --customer cus_06eqpx1trxz3h94vqjm3a6kz7c`,
        description: "To another customer; the devices go on"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )
