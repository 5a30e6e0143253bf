import { Command } from "effect/cli"
import type { Contract } from "../ground/api/Contract.ts"
import { aliasCommands } from "../ground/api/OperationCommand.ts"
import { deviceAliases } from "./LicenseAliases.ts"

/** `countersign devices ...`: the seats of a license. */
export const devices = (contract: Contract) =>
  Command.make("devices").pipe(
    Command.withExamples([{
      command: "countersign devices reset lic_06eqpx1trxz3h94vqjm3a6kz7c dev_06eqpx1trxz3h94vqjm3a6kz7c",
      description: "Free the seat of a lost laptop"
    }]),
    Command.withSubcommands(aliasCommands(contract, "devices", deviceAliases))
  )
