import { Context } from "effect"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Patience } from "./GroupCommit.ts"

/**
 * Transactions of groups. Each has a connection to itself, to which it gives statements that need not wait for each
 * other in one flight: those that are run concurrently reach the server in the order in which they were started, without
 * an answer in between. Inside of it the database is used as in any other transaction.
 */
export class GroupTransactions extends Context.Service<GroupTransactions, {
  /** Runs work in a transaction. Of those that wait for locks only some are let in, so that others find a connection. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>, patience: Patience) => Effect.Effect<A, E | SqlError, R>
}>()("countersign/services/ground/persistence/GroupTransactions") {}
