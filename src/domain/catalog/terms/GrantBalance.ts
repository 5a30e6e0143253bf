import { Schema } from "effect"

/** The priority of a grant that names none, and of the quota itself: of two that end together, the lower is taken first. */
export const defaultPriority = 100

/** A grant that a use may take units from, as it is stored. */
export interface OpenGrant {
  readonly id: string
  /** Unix milliseconds. */
  readonly starts_at: number
  /** Unix milliseconds; null where it does not end. */
  readonly expires_at: number | null
  /** When it was revoked, of one that is read for a time before; Unix milliseconds. */
  readonly revoked_at?: number
  readonly priority: number
  /** What is left of it; negative for a correction that takes units away. */
  readonly left: number
}

/** A grant as statements show it. */
export interface OpenGrantRow extends Omit<OpenGrant, "expires_at" | "revoked_at" | "starts_at"> {
  readonly starts_at: string
  readonly expires_at?: string | null
  readonly revoked_at?: string | null
}

/** An open grant of its row. */
export const openGrantOf = (
  { expires_at, id, left, priority, revoked_at, starts_at }: OpenGrantRow
): OpenGrant => ({
  id,
  priority,
  left,
  starts_at: Date.parse(starts_at),
  expires_at: expires_at == null ? null : Date.parse(expires_at),
  ...(revoked_at == null ? {} : { revoked_at: Date.parse(revoked_at) })
})

/** A pool of the customer of a license, which its licenses share; what is left is left for all of them. */
export interface SharedPool extends OpenGrant {
  readonly feature: string
  /** The most that one license takes of it; null without such a limit. */
  readonly cap: number | null
  /** What this license has taken of it. */
  readonly mine: number
}

/** A pool as statements show it. */
export interface SharedPoolRow extends OpenGrantRow, Pick<SharedPool, "feature" | "cap" | "mine"> {}

/** A pool of its row. */
export const sharedPoolOf = ({ cap, feature, mine, ...row }: SharedPoolRow): SharedPool => ({
  ...openGrantOf(row),
  feature,
  cap,
  mine
})

/** What a license has of the grants of a feature, and what they served, as it is stored. */
export interface StoredGrants {
  /** Units that grants served since the license has the feature. */
  readonly drawn: number
  /** The same of the period that is counted. */
  readonly period_drawn: number | null
  readonly grants: ReadonlyArray<OpenGrant>
}

/** The grants of a feature at an instant, beside the quota. */
export interface GrantBalance {
  /** The quota without grants, less what corrections take away; null without a quota. */
  readonly own: number | null
  /** Those that have begun and not ended, in the order in which uses take them. */
  readonly grants: ReadonlyArray<OpenGrant>
  /** The pools of the customer, likewise: uses take them last. */
  readonly pools: ReadonlyArray<SharedPool>
  /** What may be taken of grants and pools together. */
  readonly left: number
  /** What they served in the period of the quota, or, if it has none, since the license has the feature. */
  readonly drawn: number
  /** What they served since the license has the feature. */
  readonly totalDrawn: number
}

/** Units that a use took from a grant or a pool. */
export const TakenUnits = Schema.Struct({ grant_id: Schema.String, amount: Schema.Int })
export type TakenUnits = typeof TakenUnits.Type

const compareNumbers = (a: number, b: number): number => a < b ? -1 : a > b ? 1 : 0

/** The end of what never ends lies behind all others. */
const endOf = ({ expires_at }: Pick<OpenGrant, "expires_at">): number => expires_at ?? Infinity

/** The soonest to end comes first, then the lower priority, then the oldest. */
const byTurn = (a: OpenGrant, b: OpenGrant): number =>
  compareNumbers(endOf(a), endOf(b)) || compareNumbers(a.priority, b.priority) ||
  compareNumbers(a.starts_at, b.starts_at) || (a.id < b.id ? -1 : 1)

/** How much of a pool this license may still take. */
const leftInPool = ({ cap, left, mine }: SharedPool): number =>
  Math.max(0, Math.min(left, cap === null ? Infinity : cap - mine))

const leftOfPools = (pools: ReadonlyArray<SharedPool>): number => pools.reduce((sum, pool) => sum + leftInPool(pool), 0)

/** How much of its customer's pools a license may still take. */
export const pooledLeft = ({ left, pools }: GrantBalance): number => Math.min(left, leftOfPools(pools))

const prefix = "pool_"

/** Whether units were taken from a pool, and not from a grant of the license. */
export const isOfPool = ({ grant_id }: TakenUnits): boolean => grant_id.startsWith(prefix)

/** A pool after a license has taken units of it: this one, or another one of the customer. */
export const drawnFrom = <Pool extends Pick<SharedPool, "left" | "mine">>(
  pool: Pool,
  units: number,
  isMine: boolean
): Pool => units === 0 ? pool : { ...pool, left: pool.left - units, mine: isMine ? pool.mine + units : pool.mine }

/** The balance after other licenses have taken units of pools. */
export const afterOthers = (balance: GrantBalance, taken: ReadonlyArray<TakenUnits>): GrantBalance => {
  if (balance.pools.length === 0) return balance
  const pools = balance.pools.map((pool) =>
    drawnFrom(pool, taken.reduce((sum, { amount, grant_id }) => grant_id === pool.id ? sum + amount : sum, 0), false)
  )
  const gone = leftOfPools(balance.pools) - leftOfPools(pools)
  return { ...balance, pools, left: Math.max(0, balance.left - gone) }
}

const isLive = ({ expires_at, revoked_at = Infinity, starts_at }: OpenGrant, now: number): boolean =>
  starts_at <= now && (expires_at === null || now < expires_at) && now < revoked_at

/**
 * The balance of the grants of a feature beside a quota. A correction that takes units away lessens the quota, and, where
 * that is not enough, what may be taken of the other grants. Pools are the customer's, and no correction of a license
 * lessens them.
 */
export const balanceOf = (
  { drawn, grants, period_drawn }: StoredGrants,
  { inPeriod, now, pools, quota }: {
    /** The quota without grants. */
    readonly quota: number | null
    readonly pools: ReadonlyArray<SharedPool>
    readonly now: number
    /** Whether the quota has periods, and the counters are of the running one; undefined where it has none. */
    readonly inPeriod: boolean | undefined
  }
): GrantBalance => {
  const live = grants.filter((grant) => isLive(grant, now))
  const given = live.filter(({ left }) => left > 0).toSorted(byTurn)
  const taken = live.reduce((sum, { left }) => sum + Math.min(0, left), 0)
  const own = quota === null ? null : quota + taken
  const shared = pools.filter((pool) => isLive(pool, now)).toSorted(byTurn)
  const granted = given.reduce((sum, { left }) => sum + left, 0)
  const usable = own === null ? granted : Math.max(0, granted + Math.min(0, own))
  return {
    own: own === null ? null : Math.max(0, own),
    grants: given,
    pools: shared,
    // Several grants that began later may be more together than a number that JSON carries exactly.
    left: Math.min(usable + leftOfPools(shared), Number.MAX_SAFE_INTEGER),
    drawn: inPeriod === undefined ? drawn : inPeriod ? period_drawn ?? 0 : 0,
    totalDrawn: drawn
  }
}

/** The grant that ends next, of those that end. */
export const nextToEnd = ({ grants }: GrantBalance): number | undefined => grants[0]?.expires_at ?? undefined

/** What a use takes of the quota and of each grant; the rest lies over both. */
export interface Draw {
  readonly ofQuota: number
  readonly taken: ReadonlyArray<TakenUnits>
  readonly over: number
}

/**
 * Divides a use among the quota and the grants, each in its turn. The quota ends with its period, and is older than any grant.
 */
export const drawn = (
  balance: GrantBalance,
  { amount, left, periodEnd }: {
    readonly amount: number
    /** What is left of the quota itself. */
    readonly left: number
    /** Unix milliseconds. */
    readonly periodEnd: number | undefined
  }
): Draw => {
  const end = periodEnd ?? Infinity
  const isBefore = (grant: OpenGrant) =>
    endOf(grant) < end || (endOf(grant) === end && grant.priority < defaultPriority)
  const taken: Array<TakenUnits> = []
  let rest = amount
  const take = (id: string, open: number) => {
    const units = Math.min(rest, open)
    if (units > 0) taken.push({ grant_id: id, amount: units })
    rest -= units
    return units
  }
  // What corrections leave of the grants.
  let usable = balance.left - pooledLeft(balance)
  const takeOf = (grants: ReadonlyArray<OpenGrant>) => {
    for (const grant of grants) usable -= take(grant.id, Math.min(usable, grant.left))
  }
  takeOf(balance.grants.filter(isBefore))
  const ofQuota = Math.min(rest, left)
  rest -= ofQuota
  takeOf(balance.grants.filter((grant) => !isBefore(grant)))
  for (const pool of balance.pools) take(pool.id, leftInPool(pool))
  return { ofQuota, taken, over: rest }
}

/** The balance after a use has taken units. */
export const afterDraw = (balance: GrantBalance, taken: ReadonlyArray<TakenUnits>): GrantBalance => {
  const units = new Map(taken.map(({ amount, grant_id }) => [grant_id, amount]))
  const sum = taken.reduce((all, { amount }) => all + amount, 0)
  return {
    ...balance,
    grants: balance.grants
      .map((grant) => ({ ...grant, left: grant.left - (units.get(grant.id) ?? 0) }))
      .filter(({ left }) => left > 0),
    pools: balance.pools.map((pool) => drawnFrom(pool, units.get(pool.id) ?? 0, true)),
    left: balance.left - sum,
    drawn: balance.drawn + sum,
    totalDrawn: balance.totalDrawn + sum
  }
}
