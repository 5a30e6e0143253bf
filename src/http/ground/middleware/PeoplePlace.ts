import { Effect } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { failing, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { Actor } from "../../../services/log/Provenance.ts"

/** The groups of operations about people, who are those of the live environment in each environment. */
const aboutPeople: ReadonlySet<string> = new Set(["people", "roles", "sessions", "passkeys"])

const peopleOfLive = failing(
  TokenScopeDenied,
  "People, roles, sessions and passkeys are those of the live environment. Ask there: without the name of this one in the path."
)

/** Fails where a person asks an environment beside live about people: it has none of its own. */
export const checkPlace = (environment: EnvironmentName, group: HttpApiGroup.Top, { person }: Actor) =>
  environment !== "live" && person !== undefined && aboutPeople.has(group.identifier)
    ? Effect.fail(peopleOfLive)
    : Effect.void
