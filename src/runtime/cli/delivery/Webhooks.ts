import { Command } from "effect/cli"
import { aliasCommands } from "../ground/api/Alias.ts"
import type { Contract } from "../ground/api/Contract.ts"
import { webhookAliases } from "./WebhookAliases.ts"
import { listen } from "./WebhooksListen.ts"

/** `countersign webhooks ...`: endpoints, and deliveries to a receiver under development. */
export const webhooks = (contract: Contract) =>
  Command.make("webhooks").pipe(
    Command.withExamples([
      {
        command: "countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks",
        description: "Test a receiver during development"
      }
    ]),
    Command.withSubcommands([...aliasCommands(contract, "webhooks", webhookAliases), listen])
  )
