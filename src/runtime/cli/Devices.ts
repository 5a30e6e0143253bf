import { Argument, Command } from "effect/cli"
import { printText } from "../terminal/Printing.ts"
import { change, changing } from "./Change.ts"
import { licenseId } from "./LicenseSearch.ts"
import { ServiceApi } from "./ServiceApi.ts"

const exampleLicense = "lic_06eqpx1trxz3h94vqjm3a6kz7c"

const inputs = {
  license: licenseId,
  device: Argument.String("device-id").pipe(
    Argument.withDescription("The device's id, dev_…, as `licenses show` prints it")
  ),
  ...changing
}

const examplesOf = (name: string, id: string) => [
  { command: `countersign devices ${name} ${exampleLicense} ${id}`, description: "Says what will happen, and asks" },
  { command: `countersign devices ${name} ${exampleLicense} ${id} --yes --json`, description: "In a script" }
]

const exampleDevice = "dev_06eqpx1trxz3h94vqjm3a6kz7c"

const reset = Command.make("reset", inputs, (input) =>
  change(input, {
    consequence:
      `${input.device} loses its seat, which another device may take, and may activate again, also where it was blocked.`,
    question: `Reset ${input.device}?`,
    call: (client, options) => client.licenses.resetDevice(input.license, input.device, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Take the seat of a device, as of a laptop that was lost; lifts a block"),
    Command.withExamples(examplesOf("reset", exampleDevice)),
    Command.provide((input) => ServiceApi.layer(input))
  )

const block = Command.make("block", inputs, (input) =>
  change(input, {
    consequence: `${input.device} loses its seat and may never activate this license again. \`devices reset\` lets it.`,
    question: `Block ${input.device}?`,
    call: (client, options) => client.licenses.blacklistDevice(input.license, input.device, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Keep a device from the license"),
    Command.withExamples(examplesOf("block", exampleDevice)),
    Command.provide((input) => ServiceApi.layer(input))
  )

const release = Command.make("release", {
  license: licenseId,
  lease: Argument.String("lease-id").pipe(Argument.withDescription("The floating seat, as `licenses show` prints it")),
  ...changing
}, (input) =>
  change(input, {
    consequence:
      `The floating seat ${input.lease} is free at once; the app that holds it is told at its next heartbeat.`,
    question: `Release ${input.lease}?`,
    call: (client, options) => client.licenses.releaseLease(input.license, input.lease, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Free a floating seat that an app holds"),
    Command.withExamples(examplesOf("release", "lease_06eqpx1trxz3h94vqjm3a6kz7c")),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign devices ...`: the seats of a license. */
export const devices = Command.make("devices").pipe(
  Command.withDescription("Free or block the seats of a license"),
  Command.withExamples(examplesOf("reset", exampleDevice).slice(0, 1)),
  Command.withSubcommands([reset, block, release])
)
