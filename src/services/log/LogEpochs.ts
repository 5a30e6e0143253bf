import { Effect, Exit } from "effect"
import { Hex } from "effect/encoding"
import { environments } from "../../domain/ground/environments/Environment.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import type { LogEpoch } from "../../domain/log/LogEpoch.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { insertLogName, listEpochs, listEpochStarts } from "./LogEpochSql.ts"

/** The starts of the epochs after the first, in order. */
export const readEpochStarts = (sql: Database): Effect.Effect<ReadonlyArray<EpochStart>> =>
  listEpochStarts(sql).pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        epoch: row.epoch,
        first_sequence: Number(row.first_sequence),
        restored_sequence: Number(row.restored_sequence)
      }))
    ),
    Effect.withTracerEnabled(false)
  )

/**
 * {@link readEpochStarts}, cached for a second. An epoch begins while no node runs, so the cache is stale only on a
 * node whose database was exchanged while it ran.
 */
export const knownEpochStarts = (sql: Database): Effect.Effect<Effect.Effect<ReadonlyArray<EpochStart>>> =>
  Effect.cachedWithTTL(readEpochStarts(sql), (exit) => Exit.isSuccess(exit) ? "1 second" : 0)

/** The epochs of the log, starting with the first, with what is recorded about each. */
export const readEpochs = (sql: Database, log: string): Effect.Effect<ReadonlyArray<LogEpoch>> =>
  listEpochs(sql).pipe(
    Effect.map((rows) => [
      { epoch: 1, origin: log, first_sequence: 1 },
      ...rows.map(({ first_sequence, restored_sequence, started_at, witness, ...row }) => ({
        ...row,
        first_sequence: Number(first_sequence),
        restored_sequence: Number(restored_sequence),
        ...(witness === null ? {} : { witness }),
        started_at: started_at.toISOString()
      }))
    ])
  )

/**
 * The name of the log, which is its origin in epoch 1. It is made at the first start and never changes, even when the
 * log is moved; its random part makes it unique. One of another environment than live has its name in it.
 */
export const logName = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const { publicUrl } = yield* Settings
  const { pathPrefix } = environments[yield* CurrentEnvironment]
  // With its port: a statement prints the address at which it is checked by the name of its log.
  const { host } = new URL(publicUrl)
  const named = new TextEncoder().encode(
    `${host.replace(/[^A-Za-z0-9.:[\]-]/g, "")}${pathPrefix}/events/${Hex.encode(crypto.randomBytes(8))}`
  )
  const [kept] = yield* insertLogName(sql, named)
  return new TextDecoder().decode(kept!.value)
})
