import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import { eventually, session } from "../fixtures/Session.ts"

const base = "/api/v1/reports/exports"

/** An advisory lock that pieces of one part wait for, once {@link gate} is there. */
const lock = 4711
const gate = (part: string) => `
  CREATE OR REPLACE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.part = '${part}' THEN PERFORM pg_advisory_xact_lock(${lock}); END IF;
    RETURN NEW;
  END $$`

describe.each(["csv", "pdf"])("kill -9 in the middle of an export as %s", (format) => {
  it.each(["snapshot", "artifact"])("while the %s is written: another node makes exactly one file", async (part) => {
    const first = await startService()
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
        (await database.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted", [
          lock
        ]))
          .length > 0,
      30
    )
    const [before] = await database.query("SELECT digest FROM report_exports")
    assert.strictEqual(before.digest === null, part === "snapshot")

    await first.kill("SIGKILL")
    await holder.query(`SELECT pg_advisory_unlock(${lock})`)
    // As if the time of the claim were over.
    await eventually("the claim of the dead node ends", async () =>
      (await database.query(
        "UPDATE report_exports SET leased_until = now() - interval '1 second' WHERE id IN (SELECT id FROM report_exports FOR UPDATE SKIP LOCKED) RETURNING id"
      )).length > 0)
    const second = await startService({ databaseUrl: first.databaseUrl })
    const record: Body = await eventually("the export is ready", async () => {
      const found = await second.data("GET", `${base}/${created.id}`)
      return found.status === "ready" ? found : undefined
    }, 40)
    // A snapshot that was frozen is what the file is made of, whoever makes it.
    if (part === "artifact") assert.strictEqual(record.digest, before.digest)

    for (
      const [kind, digest, size] of [
        ["artifact", record.artifact_digest, record.artifact_size],
        ["snapshot", record.digest, undefined]
      ]
    ) {
      const pieces = await database.query(
        "SELECT start_at::int, bytes FROM report_export_pieces WHERE part = $1 ORDER BY start_at",
        [kind]
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
    const kinds = (await second.feed(`&resource_id=${created.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["report_export.created", "report_export.ready"])
  }, 120_000)
})
