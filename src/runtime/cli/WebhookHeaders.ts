import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { WebhookEndpoint } from "../../client/api/index.ts"
import { readSecretFile } from "../config/SecretFile.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"
import { printText } from "../terminal/Printing.ts"
import { change, changing } from "./api/Change.ts"
import type { Contract } from "./api/Contract.ts"
import { ServiceApi } from "./ServiceApi.ts"

const exampleId = "whk_06eqpx1trxz3h94vqjm3a6kz7c"

const inputs = {
  id: Argument.String("webhook-id").pipe(Argument.withDescription("Endpoint ID, whk_…")),
  headerName: Argument.String("name").pipe(Argument.withDescription("Header name, such as X-Api-Key")),
  ...changing
}

const valueFile = Flag.String("value-file").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("File with the value, to keep it out of the shell history")
)

const valueOf = (path: string) =>
  Effect.try({
    try: () => readSecretFile(path),
    catch: (cause) => new WrongUsage({ message: `--value-file ${path} cannot be read: ${(cause as Error).message}` })
  })

const say = ({ header_names = [], id }: WebhookEndpoint) =>
  printText(`Headers of ${id}: ${header_names.length === 0 ? "none" : header_names.join(", ")}`)

/** `countersign webhooks set-header` and `remove-header`: a header of the receiver's own, whose value no argument has. */
export const headerCommands = (contract: Contract) => {
  const operation = contract.get("updateWebhookEndpoint")!
  const requestOf = (id: string, name: string, value: string | null) => ({
    operation,
    ids: [id],
    body: { headers: { [name]: value } }
  })
  return [
    Command.make("set-header", { ...inputs, valueFile }, (input) =>
      Effect.gen(function*() {
        yield* change(input, {
          foreseen: `Deliveries to ${input.id} have the header ${input.headerName} from now on, including the backlog.`,
          request: requestOf(input.id, input.headerName, yield* valueOf(input.valueFile)),
          say
        })
      })).pipe(
        Command.withDescription("Set a custom header on deliveries, such as the key of an API gateway"),
        Command.withExamples([{
          command: `countersign webhooks set-header ${exampleId} X-Api-Key --value-file gateway.key`,
          description: "The value is stored encrypted and never shown"
        }]),
        Command.provide((input) => ServiceApi.layer(input))
      ),
    Command.make("remove-header", inputs, (input) =>
      change(input, {
        foreseen: `Deliveries to ${input.id} no longer have the header ${input.headerName}.`,
        request: requestOf(input.id, input.headerName, null),
        say
      })).pipe(
        Command.withDescription("Remove a custom header from deliveries"),
        Command.withExamples([{
          command: `countersign webhooks remove-header ${exampleId} X-Api-Key`,
          description: "Header names are case-insensitive"
        }]),
        Command.provide((input) => ServiceApi.layer(input))
      )
  ]
}
