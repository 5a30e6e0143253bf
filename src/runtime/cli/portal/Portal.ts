import { Effect } from "effect"
import { Command } from "effect/cli"
import type { PortalLink } from "../../../client/api/index.ts"
import { printNotice, printText } from "../../terminal/Printing.ts"
import type { Contract } from "../ground/api/Contract.ts"
import { aliasCommands } from "../ground/api/OperationCommand.ts"
import type { Alias } from "../ground/api/OperationCommand.ts"

const customer = "cus_06eqpx1trxz3h94vqjm3a6kz7c"

const aliases: ReadonlyArray<Alias> = [{
  name: "link",
  operation: "createPortalLink",
  description: "Mail a customer a link into the portal",
  members: [],
  switches: {
    print: {
      description: "Print the link, for you to hand over, and mail nothing; needs the scope license:write, too",
      body: { delivery: "response" }
    }
  },
  examples: [
    [customer, "Mail the link to the address of the customer"],
    [`${customer} --print`, "Hand the link over yourself, such as in a chat"]
  ],
  say: ({ expires_at, recipient, url }: PortalLink) =>
    url === undefined
      ? printText(`A link is on its way to ${recipient}; it works once, until ${expires_at}.`)
      : Effect.andThen(printText(url), printNotice(`The link works once, until ${expires_at}, and is not shown again.`))
}]

/** `countersign portal ...`: the portal of customers. */
export const portal = (contract: Contract) =>
  Command.make("portal").pipe(
    Command.withExamples([{ command: `countersign portal link ${customer}`, description: "Mail the customer a link" }]),
    Command.withSubcommands(aliasCommands(contract, "portal", aliases))
  )
