import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  extended,
  failed,
  frozen,
  handedOver,
  progressed,
  queuedAgain,
  ready,
  thawed
} from "../../../../src/domain/evidence/exports/ExportChange.ts"
import type { ExportChange } from "../../../../src/domain/evidence/exports/ExportChange.ts"
import {
  claimExport,
  deletePieces,
  findErasedSince,
  insertNamedCustomers,
  insertPiece,
  listDiscarded,
  lockClaimed,
  lockDiscarded,
  lockErasures,
  updateClaimed,
  updateExpired
} from "../../../../src/services/evidence/exports/ExportSql.ts"
import type { Claim, ExportLane } from "../../../../src/services/evidence/exports/ExportSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { makeErasedExports } from "../../../../src/services/portal/privacy/UserErasures.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import type { Members } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const signature = { kid: "key_1", algorithm: "ed25519", value: "c2ln" } as never

const finished = {
  rows: 9,
  artifact_digest: "sha256:11",
  artifact_size: 8,
  manifest: "{}",
  manifest_signature: signature
}

/** Every change that a worker makes, and a part of what it leaves in the row. */
const changes: ReadonlyArray<readonly [string, ExportChange, Members]> = [
  ["extend", extended(), { status: "running", tries: 3 }],
  ["progress", progressed({ rows: 7, total: 9 }), { status: "running", progress_rows: 7n, progress_total: 9n }],
  [
    "freeze",
    frozen({
      as_of_sequence: 5,
      checkpoint: { tree_size: 4, root_hash: "00" },
      digest: "sha256:00",
      snapshot_size: 6,
      seal: signature,
      frozen_at: "2026-01-02T03:04:05.678Z",
      erasures: 0
    }),
    {
      status: "running",
      as_of_sequence: 5n,
      checkpoint: { tree_size: 4, root_hash: "00" },
      digest: "sha256:00",
      snapshot_size: 6n,
      frozen_at: new Date("2026-01-02T03:04:05.678Z")
    }
  ],
  ["thaw", thawed(), { status: "running", digest: null, checkpoint: null, frozen_at: null }],
  [
    "finish",
    ready(finished, 90),
    { status: "ready", progress_rows: 9n, artifact_digest: "sha256:11", artifact_size: 8n }
  ],
  ["fail", failed({ code: "INTERNAL", message: "m" }), {
    status: "failed",
    failure: { code: "INTERNAL", message: "m" },
    tries: 3
  }],
  ["queue again", queuedAgain(60, true), { status: "queued", tries: 3 }],
  ["queue again, without counting,", queuedAgain(60, false), { status: "queued", tries: 2 }],
  ["hand over", handedOver(), { status: "queued", tries: 2, is_large: true }]
]

const mine = (sql: Database, id: string) => sql`SELECT * FROM report_exports WHERE id = ${id}`

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  /** Nothing else is to be claimed. */
  const alone = workers.first`DELETE FROM report_exports`
  /** The only export, which this worker has claimed. */
  const claimed = Effect.fnUntraced(function*(members: Members = {}) {
    yield* alone
    const id = yield* rows.reportExport({
      status: "running",
      attempt: 3,
      tries: 3,
      leased_until: workers.first`now() + interval '15 seconds'`,
      progress_total: 9,
      ...members
    })
    return { id, attempt: 3 } satisfies Claim
  })
  const claim = (sql: Database, lane: ExportLane = "any") =>
    Effect.map(claimExport(sql, lane), ([row]) => (row as { readonly id: string } | undefined)?.id)
  const piece = { part: "artifact", startAt: 0, compressed: new Uint8Array([1]) } as const
  const pieces = (id: string) =>
    Effect.map(
      workers.first<{ readonly n: number }>`
        SELECT count(*)::int AS n FROM report_export_pieces WHERE export_id = ${id}`,
      ([row]) => row!.n
    )
  return { ...workers, alone, claim, claimed, piece, pieces, rows }
})

describe("the statements of exports", () => {
  layer(Workers.layer)((it) => {
    it.effect.each(changes)("the worker that holds the claim can %s", ([, change, expected]) =>
      Effect.gen(function*() {
        const { claimed, first } = yield* world
        const claim = yield* claimed()
        const [row] = yield* updateClaimed(first, claim, change)
        assert.isDefined(row)
        const [stored] = yield* mine(first, claim.id)
        for (const [column, value] of Object.entries(expected)) {
          assert.deepStrictEqual(stored![column], value, column)
        }
      }))

    it.effect.each(changes)(
      "a stale claim cannot %s an export that another worker has claimed",
      ([, change]) =>
        Effect.gen(function*() {
          const { claimed, first, second, waiting } = yield* world
          const claim = yield* claimed({ leased_until: first`now() - interval '1 second'` })
          // The other worker's claim is on its way to be committed while the stale one writes.
          const [, written] = yield* waiting(claimExport(first, "any"), updateClaimed(second, claim, change))
          assert.deepStrictEqual(written, [])
          const before = yield* mine(first, claim.id)
          assert.strictEqual(before[0]!["attempt"], 4)
          assert.deepStrictEqual(yield* updateClaimed(second, claim, change), [])
          assert.deepStrictEqual(yield* mine(first, claim.id), before)
        })
    )

    it.effect.each(changes)("nobody can %s an export whose work has ended", ([, change]) =>
      Effect.gen(function*() {
        const { claimed, first } = yield* world
        const claim = yield* claimed()
        yield* updateClaimed(first, claim, failed({ code: "TOO_MANY_ROWS", message: "m" }))
        const before = yield* mine(first, claim.id)
        assert.deepStrictEqual(yield* updateClaimed(first, claim, change), [])
        assert.deepStrictEqual(yield* mine(first, claim.id), before)
      }))

    it.effect("a stale claim cannot finish an export, write a piece of it, name anybody in it, or clear it", () =>
      Effect.gen(function*() {
        const { claimed, first, piece, pieces, second } = yield* world
        const claim = yield* claimed({ leased_until: first`now() - interval '1 second'` })
        const now = { ...claim, attempt: 4 }
        yield* claimExport(first, "any")
        yield* insertPiece(first, piece, lockClaimed(first, now))
        assert.deepStrictEqual(yield* updateClaimed(second, claim, ready(finished, 90)), [])
        assert.deepStrictEqual(yield* insertPiece(second, { ...piece, startAt: 9 }, lockClaimed(second, claim)), [])
        const going = updateClaimed(second, claim, progressed({ rows: 1, total: 9 }))
        assert.deepStrictEqual(yield* insertPiece(second, { ...piece, startAt: 9 }, going), [])
        assert.deepStrictEqual(yield* insertNamedCustomers(second, ["cus_1"], lockClaimed(second, claim)), [])
        const clearing = updateClaimed(second, claim, extended())
        assert.deepStrictEqual(yield* deletePieces(second, ["artifact"], clearing), [{ held: 0, gone: 0 }])
        assert.strictEqual(yield* pieces(claim.id), 1)
        assert.lengthOf(yield* insertNamedCustomers(first, ["cus_1"], lockClaimed(first, now)), 1)
        assert.deepStrictEqual(
          yield* deletePieces(first, ["artifact"], updateClaimed(first, now, extended())),
          [{ held: 1, gone: 1 }]
        )
      }))

    it.effect("a piece is not written while the export is being claimed by another worker", () =>
      Effect.gen(function*() {
        const { claimed, first, piece, pieces, second, waiting } = yield* world
        const claim = yield* claimed({ leased_until: first`now() - interval '1 second'` })
        const [, written] = yield* waiting(
          claimExport(first, "any"),
          insertPiece(second, piece, lockClaimed(second, claim))
        )
        assert.deepStrictEqual(written, [])
        assert.strictEqual(yield* pieces(claim.id), 0)
      }))

    it.effect("an export is claimed by one worker, and the other one takes the next", () =>
      Effect.gen(function*() {
        const { alone, claim, first, passing, rows, second } = yield* world
        yield* alone
        const older = yield* rows.reportExport({ due_at: first`now() - interval '2 seconds'` })
        const newer = yield* rows.reportExport({ due_at: first`now() - interval '1 second'` })
        assert.deepStrictEqual(yield* passing(claim(first), claim(second)), [older, newer])
        assert.isUndefined(yield* claim(first))
      }))

    it.effect("an export waits until it is due", () =>
      Effect.gen(function*() {
        const { alone, claim, first, rows } = yield* world
        yield* alone
        const id = yield* rows.reportExport({ due_at: first`now() + interval '1 minute'` })
        assert.isUndefined(yield* claim(first))
        yield* first`UPDATE report_exports SET due_at = now() WHERE id = ${id}`
        assert.strictEqual(yield* claim(first), id)
      }))

    it.effect("a claim that lasts is taken from nobody, and one that has lapsed by the next worker", () =>
      Effect.gen(function*() {
        const { claim, claimed, first, second } = yield* world
        const { id } = yield* claimed()
        assert.isUndefined(yield* claim(second))
        yield* first`UPDATE report_exports SET leased_until = now() - interval '1 millisecond' WHERE id = ${id}`
        assert.strictEqual(yield* claim(second), id)
      }))

    it.effect("the worker for small exports leaves those to others that take long", () =>
      Effect.gen(function*() {
        const { alone, claim, first, rows } = yield* world
        yield* alone
        const large = yield* rows.reportExport({ is_large: true, due_at: first`now() - interval '9 seconds'` })
        const small = yield* rows.reportExport()
        assert.strictEqual(yield* claim(first, "small"), small)
        assert.isUndefined(yield* claim(first, "small"))
        assert.strictEqual(yield* claim(first), large)
      }))

    it.effect("a snapshot that names somebody erased since is not frozen, though both happen at once", () =>
      Effect.gen(function*() {
        const { claimed, first, second, waiting } = yield* world
        const claim = yield* claimed()
        yield* insertNamedCustomers(first, ["cus_erased", "cus_other"], lockClaimed(first, claim))
        const freezing = (erasures: number) =>
          second.withTransaction(Effect.andThen(
            lockErasures(second).unprepared,
            findErasedSince(second, claim.id, erasures)
          ))
        assert.deepStrictEqual(yield* freezing(0), [])
        const [, found] = yield* waiting(makeErasedExports(first).expire("cus_erased", []), freezing(0))
        assert.deepStrictEqual(found, [{ id: "cus_erased" }])
        // The snapshot that is read after it does not name her any more.
        assert.deepStrictEqual(yield* freezing(1), [])
      }))

    it.effect("an erasure takes the claim of whoever makes an export that names the customer", () =>
      Effect.gen(function*() {
        const { claimed, first, second, waiting } = yield* world
        const claim = yield* claimed()
        yield* insertNamedCustomers(first, ["cus_2"], lockClaimed(first, claim))
        const [, written] = yield* waiting(
          makeErasedExports(first).expire("cus_2", []),
          updateClaimed(second, claim, ready(finished, 90))
        )
        assert.deepStrictEqual(written, [])
        assert.strictEqual((yield* mine(first, claim.id))[0]!["status"], "queued")
      }))

    it.effect("a file that can be downloaded is not removed", () =>
      Effect.gen(function*() {
        const { claimed, first, piece, pieces } = yield* world
        const claim = yield* claimed()
        yield* insertPiece(first, piece, lockClaimed(first, claim))
        const discard = deletePieces(first, ["snapshot", "artifact"], lockDiscarded(first, claim.id))
        assert.deepStrictEqual(yield* discard, [{ held: 0, gone: 0 }])
        yield* updateClaimed(first, claim, ready(finished, 90))
        assert.deepStrictEqual(yield* discard, [{ held: 0, gone: 0 }])
        assert.notInclude((yield* listDiscarded(first)).map(({ id }) => id), claim.id)
        assert.deepStrictEqual((yield* updateExpired(first)).filter(({ id }) => id === claim.id), [])
        yield* first`UPDATE report_exports SET expires_at = now() WHERE id = ${claim.id}`
        assert.deepStrictEqual((yield* updateExpired(first)).filter(({ id }) => id === claim.id), [{ id: claim.id }])
        assert.include((yield* listDiscarded(first)).map(({ id }) => id), claim.id)
        assert.deepStrictEqual(yield* discard, [{ held: 1, gone: 1 }])
        assert.strictEqual(yield* pieces(claim.id), 0)
      }))
  })
})
