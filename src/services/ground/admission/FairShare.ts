import { Context, Effect, Metric } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { fromStart, fromStartBy } from "../platform/SeriesFromStart.ts"

/** The caller that a piece of work is charged to when a scarce resource is shared out. */
export interface Share {
  /** The caller's address: an IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string
  /** The credential, once it is known to be valid; until then one value for every caller at the address. */
  readonly principal: string
  /** The license whose row the work may lock. */
  readonly license: string | undefined
}

/** The share of the current request. The service's own work has none and never waits. */
export const CurrentShare = Context.Reference<Share | undefined>("countersign/services/ground/admission/CurrentShare", {
  defaultValue: () => undefined
})

/** The cause inside the SqlError of work that was shed: the queue was full, or the wait too long. */
export class Crowded extends Error {}

/** The shared resource: the names in metrics. */
export const resources = ["transactions", "questions", "reads"] as const

/** How much of a resource there is, and how much of it one caller may hold. */
export interface FairShareOptions {
  /** The name in metrics. */
  readonly name: (typeof resources)[number]
  /** How many pieces of work run at once. */
  readonly capacity: number
  /** How many of them one address may hold, so that some are always left for others. */
  readonly perAddress: number
  /** How many of them may be for one license. */
  readonly perLicense: number
  /** How many pieces of work may wait: in total, and for each pair of principal and license. */
  readonly waiting: { readonly all: number; readonly each: number }
  /** How long a piece of work may wait, in milliseconds. */
  readonly patience: number
}

/** Shares out a scarce resource in turns. */
export interface FairShare {
  /**
   * Runs work on behalf of {@link CurrentShare} when its turn comes; at once while the resource is not scarce. Fails
   * with a SqlError caused by {@link Crowded} when the work is shed.
   */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** Sheds all work that waits for a license, because the transaction that holds it does not finish. */
  readonly shed: (license: string) => Effect.Effect<void>
}

interface Waiter {
  readonly share: Share
  readonly lane: string
  state: "waiting" | "admitted" | "gone"
  outcome: Effect.Effect<void, SqlError> | undefined
  resume: (outcome: Effect.Effect<void, SqlError>) => void
}

/** Makes an effect interruptible again. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const settle = (waiter: Waiter, outcome: Effect.Effect<void, SqlError>) => {
  waiter.outcome = outcome
  waiter.resume(outcome)
}

const waitingGauges = fromStartBy(resources, (resource) =>
  Metric.gauge("countersign_fair_share_waiting", {
    description: "Work that waits for its turn at the database, by what it waits for.",
    attributes: { resource }
  }))
const shedCounter = (resource: string, reason: "full" | "late") =>
  fromStart(Metric.counter("countersign_fair_share_shed", {
    description: "Work that was refused with 503: full means that too many waited, late that it waited too long.",
    incremental: true,
    attributes: { resource, reason }
  }))
const shed = (resource: string) => ({ full: shedCounter(resource, "full"), late: shedCounter(resource, "late") })
const shedCounters = { transactions: shed("transactions"), questions: shed("questions"), reads: shed("reads") }

/** A SqlError, answered with 503, because it stands for a connection that could not be acquired. */
export const crowded = (message: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: new Crowded(message), message, operation: "acquire" }) })

/**
 * A semaphore that is fair among callers. While capacity is left nothing waits, and one caller may hold nearly all of
 * it. When it is scarce, addresses take turns, and credentials take turns within an address; a caller that asks more
 * often only lengthens its own queue. Work that would wait for the lock of a license waits here, in memory, instead of
 * holding a connection.
 */
export const makeFairShare = ({
  capacity,
  name,
  patience,
  perAddress,
  perLicense,
  waiting: most
}: FairShareOptions): FairShare => {
  const addresses = new Map<string, number>()
  const licenses = new Map<string, number>()
  /** Queues by address, then by principal and license; both maps are in the order of turns. */
  const lanes = new Map<string, Map<string, Array<Waiter>>>()
  let free = capacity
  let waiting = 0

  const gauge = waitingGauges[name]
  const { full, late } = shedCounters[name]
  const measure = Effect.suspend(() => Metric.update(gauge, waiting))

  const isOpen = ({ address, license }: Share): boolean =>
    free > 0 && (addresses.get(address) ?? 0) < perAddress &&
    (license === undefined || (licenses.get(license) ?? 0) < perLicense)

  const count = (counts: Map<string, number>, key: string, by: 1 | -1) => {
    const next = (counts.get(key) ?? 0) + by
    if (next === 0) counts.delete(key)
    else counts.set(key, next)
  }

  const take = (share: Share) => {
    free--
    count(addresses, share.address, 1)
    if (share.license !== undefined) count(licenses, share.license, 1)
  }

  /** The next waiter that may run. Its address and its queue move to the end of their turn. */
  const next = (): Waiter | undefined => {
    if (free === 0) return undefined
    for (const [address, ofAddress] of lanes) {
      if ((addresses.get(address) ?? 0) >= perAddress) continue
      for (const [lane, queue] of ofAddress) {
        if (!isOpen(queue[0]!.share)) continue
        const waiter = queue.shift()!
        ofAddress.delete(lane)
        if (queue.length > 0) ofAddress.set(lane, queue)
        lanes.delete(address)
        if (ofAddress.size > 0) lanes.set(address, ofAddress)
        return waiter
      }
    }
    return undefined
  }

  const admit = () => {
    for (let waiter = next(); waiter !== undefined; waiter = next()) {
      waiting--
      waiter.state = "admitted"
      take(waiter.share)
      settle(waiter, Effect.void)
    }
  }

  const release = (share: Share) => {
    free++
    count(addresses, share.address, -1)
    if (share.license !== undefined) count(licenses, share.license, -1)
    if (waiting > 0) admit()
  }

  /** Removes a waiter from its queue. */
  const leave = (waiter: Waiter) => {
    const ofAddress = lanes.get(waiter.share.address)
    const queue = ofAddress?.get(waiter.lane)
    const index = queue?.indexOf(waiter) ?? -1
    if (ofAddress === undefined || queue === undefined || index === -1) return
    queue.splice(index, 1)
    waiting--
    if (queue.length === 0) ofAddress.delete(waiter.lane)
    if (ofAddress.size === 0) lanes.delete(waiter.share.address)
  }

  /** Handles a waiter that gave up: it leaves the queue, or gives back the capacity that it was admitted to. */
  const abandon = (waiter: Waiter) =>
    Effect.suspend(() => {
      const { state } = waiter
      waiter.state = "gone"
      if (state === "waiting") leave(waiter)
      if (state === "admitted") release(waiter.share)
      return measure
    })

  const wait = (share: Share, restore: Restore): Effect.Effect<void, SqlError> =>
    Effect.suspend(() => {
      const lane = `${share.principal}\n${share.license ?? ""}`
      const ofAddress = lanes.get(share.address) ?? new Map<string, Array<Waiter>>()
      const queue = ofAddress.get(lane) ?? []
      if (waiting >= most.all || queue.length >= most.each) {
        return Effect.andThen(Metric.update(full, 1), Effect.fail(crowded("Too many wait for their turn.")))
      }
      const waiter: Waiter = { share, lane, state: "waiting", outcome: undefined, resume: () => {} }
      queue.push(waiter)
      ofAddress.set(lane, queue)
      lanes.set(share.address, ofAddress)
      waiting++
      const turn = Effect.callback<void, SqlError>((resume) => {
        if (waiter.outcome === undefined) waiter.resume = resume
        else resume(waiter.outcome)
      })
      const patient = Effect.timeoutOrElse(turn, {
        duration: patience,
        orElse: () => Effect.andThen(Metric.update(late, 1), Effect.fail(crowded("Waited too long for a turn.")))
      })
      return Effect.andThen(measure, restore(patient)).pipe(
        Effect.andThen(measure),
        Effect.onError(() => abandon(waiter))
      )
    })

  const run = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.withFiber<A, E | SqlError, R>((fiber) => {
      const share = fiber.getRef(CurrentShare)
      if (share === undefined) return work
      return Effect.uninterruptibleMask((restore) => {
        const mine = Effect.suspend(() => Effect.ensuring(restore(work), Effect.sync(() => release(share))))
        if (isOpen(share)) {
          take(share)
          return mine
        }
        return Effect.andThen(wait(share, restore), mine)
      })
    })

  const shed = (license: string) =>
    Effect.suspend(() => {
      const stuck: Array<Waiter> = []
      for (const ofAddress of lanes.values()) {
        for (const queue of ofAddress.values()) {
          if (queue[0]!.share.license === license) { for (const waiter of queue) stuck.push(waiter) }
        }
      }
      for (const waiter of stuck) {
        leave(waiter)
        waiter.state = "gone"
        settle(waiter, Effect.fail(crowded("The license is locked by another operation. Try again.")))
      }
      return stuck.length === 0 ? Effect.void : Effect.andThen(Metric.update(late, stuck.length), measure)
    })

  return { run, shed }
}

/** The database resources that callers share. */
export class FairShares extends Context.Service<FairShares, {
  /** Connections for transactions. A license holds at most two at a time; the rest of its callers wait in memory. */
  readonly transactions: FairShare
  /** Connections for validate, check and credential look-ups. */
  readonly questions: FairShare
  /** Connections for reads by management. */
  readonly reads: FairShare
}>()("countersign/services/ground/admission/FairShares") {}
