import { Effect } from "effect"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { keptAdminToken, surroundings } from "../../config/Config.ts"

/** The source of a token that is in no file. */
interface Otherwise {
  /** The reason why it is in no file. */
  readonly reason: string
  /** Its name in an error message. */
  readonly token: string
  /** The line that says where it was read. */
  readonly origin: string
}

const given: Otherwise = {
  reason: "COUNTERSIGN_ADMIN_TOKEN is set",
  token: "COUNTERSIGN_ADMIN_TOKEN",
  origin: "Read from COUNTERSIGN_ADMIN_TOKEN"
}

const derived: Otherwise = {
  reason: "it follows from the master key",
  token: "the master key",
  origin: "Derived from the master key"
}

/** The admin token of the current environment on this machine, and the file that keeps it, if any. */
export const keptToken = Effect.gen(function*() {
  const name = yield* CurrentEnvironment
  if (name === "live") return { ...(yield* keptAdminToken(surroundings())), otherwise: given }
  // Loaded here only: it asks the database, which the token of the live environment needs not.
  const { derivedToken } = yield* Effect.promise(() => import("./DerivedAdminToken.ts"))
  return { token: yield* derivedToken(name), file: "", isKept: false, otherwise: derived }
})
