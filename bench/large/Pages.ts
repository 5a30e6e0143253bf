import { Effect } from "effect"
import { runSql } from "../harness/Database.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import { adminToken, BenchError } from "../harness/ServiceProcess.ts"
import type { Worker } from "../harness/Worker.ts"
import type { LastPage, PageQuestion, Subjects } from "./PageQuestions.ts"
import { limit, subjectsOf } from "./PageQuestions.ts"
import type { Both, Side } from "./Sides.ts"
import { onBoth } from "./Sides.ts"

/**
 * The fastest answers in milliseconds, which other programs on the machine disturb least; the last page's is NaN where
 * there is none.
 */
interface PageTimes {
  readonly first: number
  readonly last: number
}

/** What was measured of a question. */
export interface PageRow {
  readonly name: string
  readonly times: Both<PageTimes>
}

/** Each page is asked for this often, in turns, for so many seconds each time. */
const rounds = 3
const seconds = 0.15

/** What takes longer, in milliseconds, or fails, is asked for once. */
const slow = 2000
const isSlow = ({ failed, latencies }: LoadAnswer): boolean => failed > 0 || latencies[0]! > slow

const fastestOf = (answers: ReadonlyArray<LoadAnswer>): number => {
  if (answers.some(({ failed }) => failed > 0)) return Number.POSITIVE_INFINITY
  return answers.reduce((least, { latencies }) => latencies.reduce((a, b) => Math.min(a, b), least), Infinity)
}

const separator = ":"

/** The cursor of the last page: that of the first one with another position in it. */
const lastCursor = (side: Side, path: string, { cursor, positions }: LastPage) =>
  Effect.gen(function*() {
    const rows = yield* runSql(side.population.databaseUrl, [[`${positions} OFFSET ${limit} LIMIT 1`, []]])
    const position = Object.values(rows[0] ?? {})[0]
    if (position === undefined) return undefined
    if (cursor === "plain") return String(position)
    const first = yield* Effect.tryPromise({
      try: async () => {
        const response = await fetch(`http://127.0.0.1:${side.service.port}${path}&limit=1`, {
          headers: { authorization: `Bearer ${adminToken}` }
        })
        return await response.json() as { readonly page_info?: { readonly next_cursor: string | null } }
      },
      catch: (cause) => new BenchError({ message: String(cause) })
    })
    const given = first.page_info?.next_cursor ?? undefined
    if (given === undefined) return undefined
    const mark = Buffer.from(given, "base64url").toString().split(separator)[0]!
    return Buffer.from(`${mark}${separator}${String(position)}`).toString("base64url")
  })

/** Asks both sides each question in turns, one caller at a time. */
export const measurePages = (
  load: Worker<LoadQuestion, LoadAnswer>,
  sides: Both<Side>,
  questions: ReadonlyArray<PageQuestion>
): Effect.Effect<ReadonlyArray<PageRow>, BenchError> =>
  Effect.gen(function*() {
    const subjects = yield* onBoth(sides, ({ population: { databaseUrl, known } }) =>
      subjectsOf(databaseUrl, known[Math.floor(known.length / 2)]!.id))
    const runs = (side: Side, about: Subjects, { last, path }: PageQuestion) =>
      Effect.gen(function*() {
        const base = path(about)
        const cursor = last === undefined ? undefined : yield* lastCursor(side, base, last(about))
        const target = (query: string) => ({
          side,
          query: `${base}&limit=${limit}${query}`.replace("?&", "?"),
          answers: new Array<LoadAnswer>()
        })
        // What is no page takes no limit.
        const paged = last !== undefined || /\/(licenses|activities|events|usage-ledger|devices|leases)\?/.test(base)
        return paged
          ? [target(""), ...(cursor === undefined ? [] : [target(`&cursor=${cursor}`)])]
          : [{ side, query: base.replace(/\?$/, ""), answers: new Array<LoadAnswer>() }]
      })
    return yield* Effect.forEach(questions, (question) =>
      Effect.gen(function*() {
        const [small, large] = [
          yield* runs(sides[0], subjects[0], question),
          yield* runs(sides[1], subjects[1], question)
        ]
        for (let round = 0; round <= rounds; round++) {
          for (const { answers, query, side } of [...small, ...large]) {
            if (answers.some(isSlow)) {
              continue
            }
            const { port } = side.service
            const answer = yield* load.ask({
              port,
              requests: [requestBytes(port, "GET", query, { Authorization: `Bearer ${adminToken}` })],
              callers: 1,
              seconds: round === 0 ? 0.02 : seconds
            })
            // The first one fills caches and plans, and is all there is of what takes long.
            if (round > 0 || isSlow(answer)) {
              answers.push(answer)
            }
          }
        }
        const timesOf = (of: typeof small): PageTimes => ({
          first: fastestOf(of[0]!.answers),
          last: of[1] === undefined ? Number.NaN : fastestOf(of[1].answers)
        })
        return { name: question.name, times: [timesOf(small), timesOf(large)] } satisfies PageRow
      }))
  })
