import { Context } from "effect"

/**
 * The size of each pool; connections open on demand. Of the API's, two are held for as long as a node runs (LISTEN, and
 * its membership in the cluster), `transactionsAtOnce` are for requests, and the rest is for the service's own work
 * and statements outside transactions.
 */
export interface DatabasePools {
  readonly api: number
  readonly groups: number
  readonly questions: number
  readonly delivery: number
  readonly unhurried: number
  /** How many groups may wait for a lock. */
  readonly patientGroups: number
  /** The maximum of requests with an open transaction. */
  readonly transactionsAtOnce: number
  /** Settings of every session besides those of all, under PostgreSQL's names. */
  readonly session: Readonly<Record<string, string>>
  /** The question that a new session must answer true, in `admitted`, before it serves anybody; undefined where none is asked. */
  readonly question: string | undefined
}

/** The pools of this process on a database; those of an environment beside the live one are smaller. */
export const DatabasePools = Context.Reference<DatabasePools>("countersign/runtime/DatabasePools", {
  defaultValue: () => ({
    api: 10,
    groups: 4,
    questions: 3,
    delivery: 4,
    unhurried: 2,
    patientGroups: 2,
    transactionsAtOnce: 6,
    session: {},
    question: undefined
  })
})
