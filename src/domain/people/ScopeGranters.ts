import { Schema } from "effect"
import { field, ShownName } from "../ground/wire/Fields.ts"
import { Scope } from "../keys/security/ManagementKey.ts"

/** The scope that is asked about, as a parameter: one of its own, because a shared schema keeps no example of a parameter. */
export const AskedScope = Schema.Literals(Scope.literals).annotate({
  description: "The missing scope.",
  examples: ["license:write"]
})

/** How many people are named at most. */
export const maximumGranters = 10

/** People who can give somebody a scope. */
export const ScopeGranters = Schema.Struct({
  scope: field(Scope, "The scope that was asked about."),
  names: field(
    Schema.Array(ShownName),
    `The people by name, at most ${maximumGranters}. Empty: only an API key can give it.`
  ),
  has_more: field(Schema.Boolean, "Whether more people can give it than are named.")
}).annotate({
  identifier: "ScopeGranters",
  description: "The people who can give a scope.",
  examples: [{ scope: "license:write", names: ["Ada Lovelace", "Jun Sato"], has_more: false }]
})
export type ScopeGranters = typeof ScopeGranters.Type
