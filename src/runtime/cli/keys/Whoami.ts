import { Effect } from "effect"
import { Command } from "effect/cli"
import { coversScope } from "../../../client/api/index.ts"
import { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import { counted, json, printFacts, printJson } from "../../terminal/Printing.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"

/** The scopes that other scopes include. */
const impliedReads = (held: ReadonlyArray<string>): ReadonlyArray<string> =>
  held.includes("admin")
    ? []
    : Scope.literals.filter((scope) => !held.includes(scope) && coversScope(held, scope))

/** `countersign whoami`: the service that commands use, and what their token may do there. */
export const whoami = Command.make("whoami", { json, url }, (input) =>
  Effect.gen(function*() {
    const { address, ask } = yield* ServiceApi
    const identity = yield* ask((client) => client.apiKeys.whoami())
    if (input.json) return yield* printJson({ service: address, ...identity })
    yield* printFacts([
      ["Service", address],
      ["Token", identity.kind === "bootstrap" ? "the admin token" : `${identity.name} (${identity.id})`],
      ["Begins with", identity.key_prefix],
      ["Scopes", identity.scopes.join(", ")],
      ["Reads too", impliedReads(identity.scopes).join(", ") || undefined],
      ["Only products", identity.product_ids?.join(", ")],
      ["Only licenses", identity.license_tag === undefined ? undefined : `with the tag ${identity.license_tag}`],
      ["At most", identity.max_licenses === undefined ? undefined : counted(identity.max_licenses, "license")],
      ["Only from", identity.allowed_cidrs.join(", ") || undefined],
      ["Expires", identity.expires_at]
    ])
  })).pipe(
    Command.withExamples([
      { command: "countersign whoami", description: "The local service, with its admin token" },
      {
        command: "COUNTERSIGN_TOKEN_FILE=~/support.key countersign whoami --url https://licenses.example.com",
        description: "Another service, with an API key in a file"
      }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )
