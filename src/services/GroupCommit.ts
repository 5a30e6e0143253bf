import { Deferred, Effect, Exit, Scope } from "effect"

interface Waiting<Item, Answer, E> {
  readonly item: Item
  readonly answer: Deferred.Deferred<Answer, E>
}

/**
 * Group commit: what arrives together is committed together. A request that finds its key idle starts a commit at
 * once; those that arrive while one is running wait and share the next. No two commits of this process work on one key
 * at a time, so that they do not wait for each other's locks. `commit` answers one exit for each item, in order; if it
 * fails as a whole, every item of the group fails with it.
 *
 * Answers a function that submits an item. An item that was submitted is carried out, also if nobody waits any more.
 */
export const makeGroupCommit = Effect.fnUntraced(function*<Item, Answer, E>(options: {
  readonly keyOf: (item: Item) => string
  /** The largest group. */
  readonly maximum: number
  /** How many commits may run at once. */
  readonly concurrency: number
  readonly commit: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>
}) {
  const scope = yield* Scope.Scope
  const { commit, concurrency, keyOf, maximum } = options
  const busy = new Set<string>()
  let waiting: Array<Waiting<Item, Answer, E>> = []
  let running = 0

  /** Takes a group of those whose key nobody works on, the oldest first. */
  const take = (): ReadonlyArray<Waiting<Item, Answer, E>> => {
    const taken: Array<Waiting<Item, Answer, E>> = []
    const left: Array<Waiting<Item, Answer, E>> = []
    for (const entry of waiting) {
      ;(taken.length < maximum && !busy.has(keyOf(entry.item)) ? taken : left).push(entry)
    }
    waiting = left
    return taken
  }

  const carryOut = (group: ReadonlyArray<Waiting<Item, Answer, E>>) => {
    const keys = new Set(group.map(({ item }) => keyOf(item)))
    for (const key of keys) busy.add(key)
    return commit(group.map(({ item }) => item)).pipe(
      Effect.exit,
      Effect.flatMap((exit) => {
        for (const key of keys) busy.delete(key)
        return Effect.forEach(
          group,
          ({ answer }, index) =>
            Deferred.done(answer, Exit.isSuccess(exit) ? exit.value[index]! : Exit.failCause(exit.cause)),
          { discard: true }
        )
      })
    )
  }

  const work: Effect.Effect<void> = Effect.gen(function*() {
    while (true) {
      // Whatever is ready to run now may have something for this group.
      yield* Effect.yieldNow
      const group = take()
      if (group.length === 0) {
        // In the same breath as the look at what waits, so that nothing can arrive in between and find no worker.
        running--
        return
      }
      yield* carryOut(group)
    }
  })

  return (item: Item): Effect.Effect<Answer, E> =>
    Effect.gen(function*() {
      const answer = yield* Deferred.make<Answer, E>()
      waiting.push({ item, answer })
      if (running < concurrency && !busy.has(keyOf(item))) {
        running++
        yield* Effect.forkIn(work, scope)
      }
      return yield* Deferred.await(answer)
    })
})
