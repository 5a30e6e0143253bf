import { Argument, Command } from "effect/cli"
import { printText } from "../terminal/Printing.ts"
import { change, changing } from "./Change.ts"
import { licenseId } from "./LicenseSearch.ts"
import { ServiceApi } from "./ServiceApi.ts"

const exampleLicense = "lic_06eqpx1trxz3h94vqjm3a6kz7c"

const inputs = {
  license: licenseId,
  device: Argument.String("device-id").pipe(
    Argument.withDescription("Device ID, dev_…, from `licenses show`")
  ),
  ...changing
}

const examplesOf = (name: string, id: string) => [
  {
    command: `countersign devices ${name} ${exampleLicense} ${id}`,
    description: "Explains the effect and asks for confirmation"
  },
  { command: `countersign devices ${name} ${exampleLicense} ${id} --yes --json`, description: "In a script" }
]

const exampleDevice = "dev_06eqpx1trxz3h94vqjm3a6kz7c"

const reset = Command.make("reset", inputs, (input) =>
  change(input, {
    consequence: `${input.device} loses its seat and can activate again. A blocked device is unblocked.`,
    question: `Reset ${input.device}?`,
    call: (client, options) => client.licenses.resetDevice(input.license, input.device, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Free the seat of a device, for example of a lost laptop; also unblocks it"),
    Command.withExamples(examplesOf("reset", exampleDevice)),
    Command.provide((input) => ServiceApi.layer(input))
  )

const block = Command.make("block", inputs, (input) =>
  change(input, {
    consequence: `${input.device} loses its seat and cannot activate this license. \`devices reset\` unblocks it.`,
    question: `Block ${input.device}?`,
    call: (client, options) => client.licenses.blacklistDevice(input.license, input.device, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Block a device"),
    Command.withExamples(examplesOf("block", exampleDevice)),
    Command.provide((input) => ServiceApi.layer(input))
  )

const release = Command.make("release", {
  license: licenseId,
  lease: Argument.String("lease-id").pipe(Argument.withDescription("Floating seat, from `licenses show`")),
  ...changing
}, (input) =>
  change(input, {
    consequence: `The floating seat ${input.lease} is freed immediately. The app is notified at its next heartbeat.`,
    question: `Release ${input.lease}?`,
    call: (client, options) => client.licenses.releaseLease(input.license, input.lease, options),
    say: ({ id, status }) => printText(`${id} is ${status}.`)
  })).pipe(
    Command.withDescription("Free a floating seat"),
    Command.withExamples(examplesOf("release", "lease_06eqpx1trxz3h94vqjm3a6kz7c")),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign devices ...`: the seats of a license. */
export const devices = Command.make("devices").pipe(
  Command.withDescription("Reset and block devices, and free floating seats"),
  Command.withExamples(examplesOf("reset", exampleDevice).slice(0, 1)),
  Command.withSubcommands([reset, block, release])
)
