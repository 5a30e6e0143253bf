import { Context, Deferred, Effect, Exit, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

interface Waiting<Item, Answer, E> {
  readonly item: Item
  readonly answer: Deferred.Deferred<Answer, E>
  readonly settled: () => void
}

/** The work to be committed: it waits for a worker, or for a lock that is held outside this process. */
const makeQueue = <Item, Answer, E>(keyOf: (item: Item) => string, maximum: number) => {
  type Entry = Waiting<Item, Answer, E>
  let waiting: Array<Entry> = []
  /** Items that wait for a lock held outside, by key; a key stays here until none waits for it. */
  const held = new Map<string, Array<Entry>>()

  return {
    /** The work that waits for a lock held outside, by key. */
    held,
    /** How many wait for a worker. */
    size: () => waiting.length,
    add: (entry: Entry) => waiting.push(entry),
    /** Moves an item, and all waiting items of its key, to those that wait for a lock held outside. */
    holdBack: (entry: Entry) => {
      const key = keyOf(entry.item)
      const others = held.get(key)
      if (others === undefined) {
        held.set(key, [entry, ...waiting.filter(({ item }) => keyOf(item) === key)])
        waiting = waiting.filter(({ item }) => keyOf(item) !== key)
      } else others.push(entry)
    },
    /** Takes a group of items whose key is idle, oldest first. */
    take: (busy: ReadonlySet<string>): ReadonlyArray<Entry> => {
      const taken: Array<Entry> = []
      const left: Array<Entry> = []
      for (const entry of waiting) {
        ;(taken.length < maximum && !busy.has(keyOf(entry.item)) ? taken : left).push(entry)
      }
      waiting = left
      return taken
    },
    /** Takes a group of the first idle key that waits for a lock held outside. */
    takeHeld: (busy: ReadonlySet<string>): ReadonlyArray<Entry> => {
      for (const [key, entries] of held) {
        if (busy.has(key)) continue
        if (entries.length > 0) return entries.splice(0, maximum)
        held.delete(key)
      }
      return []
    },
    takeAll: (): ReadonlyArray<Entry> => [
      ...waiting.splice(0),
      ...[...held.values()].flatMap((entries) => entries.splice(0))
    ]
  }
}

/** How a group locks its keys: `false` skips keys that another transaction has locked, `true` waits for them. */
interface Patience {
  readonly wait: boolean
}

/**
 * Group commit: items that arrive together are committed together. An item whose key is idle starts a commit at once;
 * items that arrive during a commit wait and share the next one. This process never runs two commits on one key at a
 * time, so they do not wait for each other's locks. `commit` returns one exit for each item, in order; if it fails as a
 * whole, every item of the group fails with it.
 *
 * An item whose key is held outside this process is returned as `undefined`. It is committed again in a group that
 * waits for the lock, made of its key alone, so that other keys do not wait. If that group fails, every item waiting
 * for the key fails.
 *
 * Returns a function that submits an item. A submitted item is carried out even if its caller is interrupted; `settled`
 * is called when the outcome is known. When the scope closes, items without an outcome fail with `stopped`, and so does
 * every later one.
 */
export const makeGroupCommit = Effect.fnUntraced(function*<Item, Answer, E>(options: {
  /** Items with the same key are never in two commits at once. */
  readonly keyOf: (item: Item) => string
  /** The maximum size of a group. */
  readonly maximum: number
  /**
   * The maximum of concurrent commits; `patientConcurrency` is that of the commits that wait for locks, counted
   * separately.
   */
  readonly concurrency: number
  readonly patientConcurrency?: number
  readonly commit: (
    items: ReadonlyArray<Item>,
    patience: Patience
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E> | undefined>>
  readonly stopped: Exit.Exit<never, E>
}) {
  type Entry = Waiting<Item, Answer, E>
  const scope = yield* Scope.Scope
  const { commit, concurrency, keyOf, maximum, patientConcurrency = 1, stopped } = options
  const queue = makeQueue<Item, Answer, E>(keyOf, maximum)
  const { held } = queue
  const busy = new Set<string>()
  /** Workers that have not taken their group yet: what arrives now is for them. */
  let gathering = 0
  let running = 0
  let patient = 0
  let isStopped = false

  const settle = (entry: Entry, exit: Exit.Exit<Answer, E>) => {
    entry.settled()
    return Deferred.done(entry.answer, exit)
  }

  const carryOut = (group: ReadonlyArray<Entry>, patience: Patience) => {
    const keys = new Set(group.map(({ item }) => keyOf(item)))
    for (const key of keys) busy.add(key)
    return Effect.onExit(commit(group.map(({ item }) => item), patience), (exit) => {
      for (const key of keys) busy.delete(key)
      const failed = Exit.isSuccess(exit) ? undefined : Exit.hasInterrupts(exit) ? stopped : Exit.failCause(exit.cause)
      const decided: Array<readonly [Entry, Exit.Exit<Answer, E>]> = []
      for (const [index, entry] of group.entries()) {
        const outcome = failed ?? (Exit.isSuccess(exit) ? exit.value[index] : undefined)
        if (outcome === undefined) queue.holdBack(entry)
        else decided.push([entry, outcome])
      }
      if (failed !== undefined && patience.wait) {
        for (const key of keys) for (const entry of held.get(key)?.splice(0) ?? []) decided.push([entry, failed])
      }
      return Effect.forEach(decided, ([entry, outcome]) => settle(entry, outcome), { discard: true })
    }).pipe(Effect.exit)
  }

  const work: Effect.Effect<void> = Effect.gen(function*() {
    while (true) {
      // Fibers that are ready now may submit items for this group.
      yield* Effect.yieldNow
      gathering--
      const group = queue.take(busy)
      if (group.length === 0) {
        // In the same tick as the check for waiting items, so that no item can arrive in between and find no worker.
        running--
        return
      }
      yield* carryOut(group, { wait: false })
      for (let started = patient; started < Math.min(held.size, patientConcurrency); started++) yield* startPatient
      gathering++
    }
  })

  const workPatiently: Effect.Effect<void> = Effect.gen(function*() {
    while (true) {
      const group = queue.takeHeld(busy)
      if (group.length === 0) {
        patient--
        return
      }
      yield* carryOut(group, { wait: true })
    }
  })

  const startPatient: Effect.Effect<void> = Effect.suspend(() => {
    if (patient >= patientConcurrency) return Effect.void
    patient++
    return Effect.asVoid(Effect.forkIn(workPatiently, scope))
  })

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isStopped = true
      return Effect.forEach(queue.takeAll(), (entry) => settle(entry, stopped), { discard: true })
    })
  )

  return (item: Item, settled: () => void = () => {}): Effect.Effect<Answer, E> =>
    Effect.uninterruptible(Effect.gen(function*() {
      const answer = yield* Deferred.make<Answer, E>()
      const entry = { item, answer, settled }
      if (isStopped) {
        // No worker is left that would take it.
        yield* settle(entry, stopped)
        return yield* Deferred.await(answer)
      }
      const key = keyOf(item)
      const others = held.get(key)
      if (others !== undefined) {
        others.push(entry)
        yield* startPatient
      } else {
        queue.add(entry)
        // A group that is gathering takes it along, unless it is full.
        const isTaken = gathering > 0 && queue.size() <= gathering * maximum
        if (running < concurrency && !isTaken && !busy.has(key)) {
          running++
          gathering++
          yield* Effect.forkIn(work, scope)
        }
      }
      return yield* Effect.interruptible(Deferred.await(answer))
    }))
})

/**
 * Transactions of groups. Each has a connection to itself, to which it gives statements that need not wait for each
 * other in one flight: those that are run concurrently reach the server in the order in which they were started, without
 * an answer in between. Inside of it the database is used as in any other transaction.
 */
export class GroupTransactions extends Context.Service<GroupTransactions, {
  /** Runs work in a transaction. Of those that wait for locks only some are let in, so that others find a connection. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>, patience: Patience) => Effect.Effect<A, E | SqlError, R>
}>()("countersign/services/ground/persistence/GroupTransactions") {}
