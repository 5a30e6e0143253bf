import { consequenceOf } from "../../client/api/Consequence.ts"
import type { License } from "../../client/api/index.ts"
import { Action } from "../ground/session/Action.tsx"
import type { Inverse } from "./Undoing.ts"

const words = {
  suspend: { says: "Suspends the license again.", done: "License suspended." },
  reinstate: { says: "Reinstates the license.", done: "License reinstated." }
} as const

const operations = { suspend: "suspendLicense", reinstate: "reinstateLicense" } as const

/** Takes back a change: it is a change of its own, with a reason of its own, and the log keeps both. */
export const Undo = (
  { by, license, onChange }: { readonly by: Inverse; readonly license: License; readonly onChange: () => void }
) => (
  <Action
    label="Undo"
    small
    weight="bare"
    scope="license:write"
    asksWhy={by === "suspend" ? "license.suspended" : "license.reinstated"}
    says={`${words[by].says} ${consequenceOf(operations[by])}`}
    perform={(client, options) => client.licenses[by](license.id, options)}
    done={() => words[by].done}
    onDone={onChange}
  />
)
