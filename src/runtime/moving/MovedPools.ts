import type { Entry } from "./ExportDirectory.ts"
import { all, limit } from "./Move.ts"
import type { CustomerPart, Move } from "./Move.ts"
import type { Ids } from "./MovedGrants.ts"
import { hasEnded } from "./MovedGrants.ts"

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

/** A pool that is given here, and whether it is revoked at once. */
interface MovedPool {
  readonly body: Body
  readonly isRevoked: boolean
}

/** The members in which pools must be alike: what is used of them since, or revoked, is the new service's. */
const comparedPool = ({ amount, feature_id, max_per_license, priority, reference }: Entry): Entry => ({
  amount,
  feature_id,
  priority,
  reference,
  ...(max_per_license === undefined ? {} : { max_per_license })
})

/**
 * The pools that are given for one of an export: what is left of it, which each license may take of up to the limit anew. A
 * reference gives once, as that of a grant does: where less is left, one of the whole amount is given with it and revoked.
 */
const poolsFor = (pool: Entry, ids: Ids, now: number): ReadonlyArray<MovedPool> => {
  const left = hasEnded(pool, now) ? 0 : Number(pool["remaining"] ?? 0)
  const isHeld = pool["reference"] !== undefined && left !== pool["amount"]
  const { amount, expires_at, feature_id, max_per_license, priority, reference, starts_at } = pool
  const given = {
    feature_id: ids.get(String(feature_id)) ?? feature_id,
    starts_at,
    priority,
    ...(max_per_license === undefined ? {} : { max_per_license }),
    // Nothing is given that has ended already.
    ...(expires_at === undefined || hasEnded(pool, now) ? {} : { expires_at })
  }
  return [
    ...(isHeld ? [{ body: { ...given, amount, reference }, isRevoked: true }] : []),
    ...(left === 0
      ? []
      : [{
        body: { ...given, amount: left, reference: isHeld ? pool["id"] : reference ?? pool["id"] },
        isRevoked: false
      }])
  ]
}

/** Gives a customer the pools of an export; a repeated import gives each once, by its reference. */
const bring = async (move: Move, old: string, id: string, pools: ReadonlyArray<Entry>): Promise<void> => {
  const { client } = move
  const about = <A>(request: () => PromiseLike<A>) => move.attempt("customer_pools", old, request)
  for (const pool of pools) {
    for (const { body, isRevoked } of poolsFor(pool, move.ids, Date.now())) {
      const given = await about(() => client.customers.createPool(id, body))
      if (isRevoked && given !== undefined) await about(() => client.customers.revokePool(id, given.id))
    }
  }
}

/** Compares the pools of a customer with those of an export. */
const compare = async (move: Move, old: string, id: string, pools: ReadonlyArray<Entry>): Promise<void> => {
  const wanted = pools.flatMap((pool) => poolsFor(pool, move.ids, Date.now()))
  if (wanted.length === 0) return
  const there = await all(move.client.customers.listPools(id, limit))
  const bodies = wanted.map(({ body }) => comparedPool(body))
  move.compare("customer_pools", old, bodies, there.map(comparedPool), ({ reference }) => reference)
}

/** The pools of customers. */
export const movedPools: CustomerPart = { file: "customer_pools", owner: "customer_id", bring, compare }
