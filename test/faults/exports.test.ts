import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { isLong } from "../fixtures/FaultForm.ts"
import { startService } from "../fixtures/Service.ts"
import type { Service } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import type { Session } from "../fixtures/Session.ts"
import { eventually, session } from "../fixtures/Session.ts"
import { holdsTransactions } from "../fixtures/TransactionWatch.ts"

const base = "/api/v1/reports/exports"

/** An advisory lock that pieces of one part wait for, once {@link gate} is there. */
const lock = 4711
const gate = (part: string) => `
  CREATE OR REPLACE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.part = '${part}' THEN PERFORM pg_advisory_xact_lock(${lock}); END IF;
    RETURN NEW;
  END $$`

/** The pieces of an export are each there once, and add up to what was signed. */
const whole = async (database: Session, record: Body): Promise<void> => {
  for (
    const [kind, digest, size] of [
      ["artifact", record.artifact_digest, record.artifact_size],
      ["snapshot", record.digest, undefined]
    ]
  ) {
    const pieces = await database.query(
      "SELECT start_at::int, bytes FROM report_export_pieces WHERE part = $1 AND export_id = $2 ORDER BY start_at",
      [kind, record.id]
    )
    let end = 0
    const sum = createHash("sha256")
    for (const { bytes, start_at } of pieces) {
      assert.strictEqual(start_at, end, "pieces neither overlap nor leave a gap")
      end += bytes.length
      sum.update(bytes)
    }
    assert.strictEqual(`sha256:${sum.digest("hex")}`, digest)
    if (size !== undefined) assert.strictEqual(end, size)
  }
}

/** A service whose worker waits in the middle of writing one part of an export, for as long as `holder` has the lock. */
const workerAtGate = async (part: string, format: string) => {
  const first = await startService({ as: "program" })
  const database = await session(first.databaseUrl)
  const holder = await session(first.databaseUrl)
  await first.issue()
  await database.query(gate(part))
  await database.query(
    "CREATE TRIGGER gate BEFORE INSERT ON report_export_pieces FOR EACH ROW EXECUTE FUNCTION wait_at_gate()"
  )
  await holder.query(`SELECT pg_advisory_lock(${lock})`)
  const created = await first.data("POST", base, { report_kind: "usage-summary", format, filters: { bucket: "1d" } })
  await eventually(
    "the worker stands at the gate",
    async () =>
      (await database.query(
        "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database() " +
          "WHERE locktype = 'advisory' AND objid = $1 AND NOT granted",
        [lock]
      )).length > 0,
    30
  )
  return { first, database, holder, created }
}

/** Ends the claim of the worker as if its time were over, once nothing of it holds the row. */
const endClaim = (database: Session) =>
  eventually("the claim of the worker ends", async () =>
    (await database.query(
      "UPDATE report_exports SET leased_until = now() - interval '1 second' WHERE status = 'running' AND id IN (SELECT id FROM report_exports FOR UPDATE SKIP LOCKED) RETURNING id"
    )).length > 0)

/** The record of the export once this service tells that it is ready. */
const readyAt = (service: Service, id: string, seconds: number): Promise<Body> =>
  eventually("the export is ready", async () => {
    const found = await service.data("GET", `${base}/${id}`)
    return found.status === "ready" ? found : undefined
  }, seconds)

/** Asserts that the feed tells of an export that was made once. */
const expectMadeOnce = async (service: Service, id: string): Promise<void> => {
  const kinds = (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)
  assert.deepStrictEqual(kinds, ["report_export.created", "report_export.ready"])
}

/**
 * What is written when the worker is killed, and of which file. The short form leaves out the snapshot of a PDF: a
 * snapshot is the same for every format, and that another node makes the PDF of it is seen where a worker stands still.
 */
const killed: ReadonlyArray<readonly [part: string, format: string]> = [
  ["snapshot", "csv"],
  ["artifact", "csv"],
  ["artifact", "pdf"],
  ...(isLong ? [["snapshot", "pdf"] as const] : [])
]

describe("kill -9 in the middle of an export", () => {
  it.concurrent.each(killed)(
    "while the %s of a %s is written: another node makes exactly one file",
    async (part, format) => {
      const { created, database, first, holder } = await workerAtGate(part, format)
      const [before] = await database.query("SELECT digest FROM report_exports")
      assert.strictEqual(before.digest === null, part === "snapshot")

      await first.kill("SIGKILL")
      await holder.query(`SELECT pg_advisory_unlock(${lock})`)
      await endClaim(database)
      const second = await startService({ databaseUrl: first.databaseUrl })
      const record = await readyAt(second, created.id, 40)
      // A snapshot that was frozen is what the file is made of, whoever makes it.
      if (part === "artifact") assert.strictEqual(record.digest, before.digest)

      await whole(database, record)
      await expectMadeOnce(second, created.id)
    },
    120_000
  )
})

describe.runIf(process.platform !== "win32")("a worker that stands still for longer than its claim", () => {
  it.concurrent.each(["snapshot", "artifact"])("writes no more of the %s once it goes on", async (part) => {
    const { created, database, first, holder } = await workerAtGate(part, "pdf")
    await holdsTransactions(first.databaseUrl)
    first.signal("SIGSTOP")
    try {
      // Its statement ends in the database; it does not hear of it.
      await holder.query(`SELECT pg_advisory_unlock(${lock})`)
      await endClaim(database)
      const second = await startService({ databaseUrl: first.databaseUrl })
      const record = await readyAt(second, created.id, 60)
      await whole(database, record)
      first.signal("SIGCONT")
      // It is back at work, and has let go of what it was at: there is nobody left who could write.
      await eventually("the node goes on", async () => (await first.call("GET", "/readyz")).status === 200, 30)
      const next = await first.data("POST", base, { report_kind: "usage-summary", format: "csv" })
      await readyAt(first, next.id, 60)
      // It finds its claim lost, or, when it stood still for long, its transaction ended by the database.
      const givesUp = new RegExp(`Export ${created.id} (is made elsewhere|failed in try 1)`)
      await eventually("the node has given up its claim", () => givesUp.test(first.logs()), 60)

      const after = await second.data("GET", `${base}/${created.id}`)
      assert.deepStrictEqual(after, record)
      await whole(database, after)
      await expectMadeOnce(second, created.id)
    } finally {
      first.signal("SIGCONT")
    }
  }, 180_000)
})
