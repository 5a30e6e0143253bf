import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { labelOf } from "../../../client/api/Labels.ts"
import { json, printJson, printNotice, printTable } from "../../terminal/Printing.ts"
import type { Contract } from "../ground/api/Contract.ts"
import { aliasCommands } from "../ground/api/OperationCommand.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"
import { licenseAliases } from "./LicenseAliases.ts"
import { anything, findLicenses, keyOf, nothing, ownerOf, show } from "./LicenseShow.ts"

const limit = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of results, up to 50"),
  Flag.withDefault(20)
)

const find = Command.make("find", { anything, json, limit, url }, (input) =>
  Effect.gen(function*() {
    const { hasMore, licenses: found, text } = yield* findLicenses(input.anything, input.limit)
    if (input.json) yield* printJson(found)
    else if (found.length > 0) {
      yield* printTable([
        ["ID", "STATUS", "KEY", "DEVICES", "EXPIRES", "OWNER"],
        ...found.map((license) => [
          license.id,
          labelOf("state", license.status),
          keyOf(license),
          String(license.active_device_count),
          license.expires_at ?? "never",
          ownerOf(license)
        ])
      ])
    }
    if (found.length === 0) return yield* nothing(input.anything, text)
    if (hasMore) {
      yield* printNotice(`Showing the first ${input.limit}. Narrow the search or raise --limit.`)
    }
  })).pipe(
    Command.withDescription("Find licenses by owner, key, ID, order or device; exits 1 if none match"),
    Command.withExamples([
      { command: "countersign licenses find ada@example.com", description: "By email address or its start" },
      { command: "countersign licenses find 7Q2K", description: "By the last four characters of the key" },
      { command: "countersign licenses find -", description: "By the key, typed or piped in" },
      {
        command: "countersign licenses find req_06eqpx1trxz3h94vqjm3a6kz7c",
        description: "By the request id that an error message shows"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )

/** `countersign licenses ...`: support's commands, through the API of a running service. */
export const licenses = (contract: Contract) =>
  Command.make("licenses").pipe(
    Command.withExamples([{
      command: "countersign licenses find ada@example.com",
      description: "Start with a search"
    }]),
    Command.withSubcommands([find, show, ...aliasCommands(contract, "licenses", licenseAliases)])
  )
