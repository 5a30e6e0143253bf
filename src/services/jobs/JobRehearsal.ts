import { Effect } from "effect"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import type { JobPreview } from "../../domain/jobs/JobPreview.ts"
import { isDomainError } from "../../domain/ground/wire/Errors.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { rehearsed } from "../ground/persistence/Transaction.ts"

/** How many licenses are tried at once. */
const atOnce = 2

type Foreseen = JobPreview["reasons"][number]

/** The reasons of some outcomes, each once, the most frequent first. */
const reasonsOf = (outcomes: ReadonlyArray<Omit<Foreseen, "licenses">>): ReadonlyArray<Foreseen> =>
  [...Map.groupBy(outcomes, ({ code, message, outcome }) => `${outcome} ${code} ${message}`).values()]
    .map((group): Foreseen => {
      const { code, message, outcome } = group[0]!
      return { outcome, code, message, licenses: group.length }
    })
    .toSorted((a, b) => b.licenses - a.licenses)

/**
 * Tells what an action would do to some licenses: each is carried out by itself and rolled back, so that a dry run and the job decide
 * alike.
 */
export const rehearsal = <E extends object>(
  sql: Database,
  ids: ReadonlyArray<string>,
  act: (id: string) => Effect.Effect<JobFailure | undefined, E>
): Effect.Effect<Omit<JobPreview, "of_purchases">> =>
  Effect.map(
    Effect.forEach(
      ids,
      (id) =>
        rehearsed(sql, act(id)).pipe(
          // Once more, as the job does it: a conflict of locks says nothing of the license.
          Effect.catchDefect(() => rehearsed(sql, act(id))),
          Effect.map((nothing) => nothing === undefined ? undefined : { outcome: "skipped" as const, ...nothing }),
          Effect.catch((error) =>
            isDomainError(error)
              ? Effect.succeed({ outcome: "failed" as const, code: error.error.code, message: error.error.message })
              : Effect.die(error)
          )
        ),
      { concurrency: atOnce }
    ),
    (outcomes) => {
      const others = outcomes.filter((outcome) => outcome !== undefined)
      const skipped = others.filter(({ outcome }) => outcome === "skipped").length
      return {
        matched: ids.length,
        judged: ids.length,
        done: ids.length - others.length,
        skipped,
        failed: others.length - skipped,
        reasons: reasonsOf(others)
      }
    }
  )
