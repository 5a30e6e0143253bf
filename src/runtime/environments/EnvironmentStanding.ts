import { Effect, Schema } from "effect"
import { sqlStateOf } from "../../services/ground/platform/SqlState.ts"
import { connectOnce } from "../postgres/DatabaseServer.ts"
import type { EnvironmentAway, EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { away, session } from "./EnvironmentDatabase.ts"

const readBegun = Schema.decodeUnknownSync(Schema.Struct({ begun: Schema.Boolean, turned: Schema.Boolean }))
const readTurn = Schema.decodeUnknownSync(Schema.Struct({ turn: Schema.Int }))

const missingDatabase = "3D000"

/** The standing of the database of an environment, which may be missing. */
interface Standing {
  /** Whether it is there and has been used. */
  readonly begun: boolean
  /** How often its admin token was rotated. */
  readonly turn: number
}

/** How the database of an environment stands. Changes nothing. */
export const standingOf = (target: EnvironmentTarget): Effect.Effect<Standing, EnvironmentAway> =>
  away(
    target,
    Effect.scoped(Effect.gen(function*() {
      const connection = yield* connectOnce(target.url, session)
      const { rows: [found] } = yield* connection.query(
        "SELECT to_regclass('public.environment_clock') IS NOT NULL AND to_regclass('public.data_keys') IS NOT NULL AS begun, " +
          "to_regclass('public.environment_token') IS NOT NULL AS turned"
      )
      const { begun, turned } = readBegun(found)
      if (!turned) return { begun, turn: 0 }
      const { rows: [row] } = yield* connection.query("SELECT turn FROM public.environment_token")
      return { begun, turn: readTurn(row).turn }
    })).pipe(
      Effect.catchIf((error) => sqlStateOf(error) === missingDatabase, () => Effect.succeed({ begun: false, turn: 0 }))
    )
  )
