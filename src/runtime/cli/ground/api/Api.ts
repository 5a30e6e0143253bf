import { Command } from "effect/cli"
import type { Contract } from "./Contract.ts"
import { exampleWords, operationCommand } from "./OperationCommand.ts"

/** `countersign api ...`: every operation of the contract, by the chapters of the reference. */
export const api = (contract: Contract) =>
  Command.make("api").pipe(
    Command.withExamples([
      { command: "countersign api listLicenses --status suspended --all", description: "A list, with every page" },
      {
        command: "countersign api suspendLicense lic_06eqpx1trxz3h94vqjm3a6kz7c --reason \"chargeback of order 4711\"",
        description: "A change"
      }
    ]),
    Command.withSubcommands(
      [...Map.groupBy(contract.values(), ({ chapter }) => chapter)].map(([group, operations]) => ({
        group,
        commands: operations.map((operation) =>
          operationCommand(
            operation,
            { name: operation.id, isRaw: true, examples: [[exampleWords(operation), operation.summary]] },
            "api",
            contract
          )
        )
      }))
    )
  )
