import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { brotliDecompressSync } from "node:zlib"
import { isLong } from "../../fixtures/FaultForm.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import type { Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

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
    for (const { bytes: compressed, start_at } of pieces) {
      const bytes = brotliDecompressSync(compressed)
      assert.strictEqual(start_at, end, "pieces neither overlap nor leave a gap")
      end += bytes.length
      sum.update(bytes)
    }
    assert.strictEqual(`sha256:${sum.digest("hex")}`, digest)
    if (size !== undefined) assert.strictEqual(end, size)
  }
}

/** What is written when a worker is caught in the middle of it. */
const parts = ["snapshot", "artifact"] as const

/** Catches workers in the middle of writing. */
interface Gate {
  readonly database: Session
  /**
   * Has one of the nodes make an export, and waits until its worker stands in the middle of writing the part. Answers the
   * export and the node.
   */
  readonly catches: (
    nodes: ReadonlyArray<Service>,
    part: typeof parts[number],
    format: string
  ) => Promise<{ readonly id: string; readonly node: Service }>
  /** Lets the statement of the worker end, and ends its claim as if the time of it were over. */
  readonly opens: () => Promise<void>
}

const gateOf = async (service: Service): Promise<Gate> => {
  const database = await session(service.databaseUrl)
  const holder = await session(service.databaseUrl)
  await service.issue()
  await database.query(gate(parts[0]))
  await database.query(
    "CREATE TRIGGER gate BEFORE INSERT ON report_export_pieces FOR EACH ROW EXECUTE FUNCTION wait_at_gate()"
  )
  return {
    database,
    catches: async (nodes, part, format) => {
      await holder.query(`SELECT pg_advisory_lock(${lock})`)
      await database.query(gate(part))
      const { id } = await nodes[0]!.data("POST", base, {
        report_kind: "usage-summary",
        format,
        filters: { bucket: "1d" }
      })
      const name = await eventually(`a worker stands at the gate of the ${part}`, async () => {
        const [row] = await database.query(
          "SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid) " +
            "WHERE l.locktype = 'advisory' AND l.objid = $1 AND NOT l.granted AND a.datname = current_database()",
          [lock]
        )
        return row?.name as string | undefined
      })
      // A connection is called after the process that has it.
      const node = nodes.find(({ pid }) => name.startsWith(`countersign ${pid.toString(36)}-`))
      return { id, node: node ?? assert.fail(`none of the nodes has the connection ${name}`) }
    },
    opens: async () => {
      await holder.query(`SELECT pg_advisory_unlock(${lock})`)
      await eventually(
        "the claim of the worker ends, once nothing of it holds the row",
        async () =>
          (await database.query(
            "UPDATE report_exports SET leased_until = now() - interval '1 second' WHERE id IN (SELECT id FROM report_exports WHERE status = 'running' FOR UPDATE SKIP LOCKED) RETURNING id"
          )).length > 0
      )
    }
  }
}

/** The record of the export once this service tells that it is ready. */
const readyAt = (service: Service, id: string, seconds?: number): Promise<Body> =>
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
 * Of which files a part is written when the worker is killed. The short form leaves out PDF: that another node makes one
 * of what was written is seen where a worker stands still.
 */
const killed = isLong ? ["csv", "pdf"] : ["csv"]

describe("kill -9 in the middle of an export", () => {
  it.concurrent.each(killed)(
    "while the snapshot of a %s is written, or the file: another node makes exactly one file",
    async (format) => {
      let node = await startService({ as: "program" })
      const { catches, database, opens } = await gateOf(node)
      for (const part of parts) {
        const { id } = await catches([node], part, format)
        const [before] = await database.query("SELECT digest FROM report_exports WHERE id = $1", [id])
        // The lines of a CSV are written beside the rows of the snapshot.
        const isFrozen = part === "artifact" && format !== "csv"
        assert.strictEqual(before.digest !== null, isFrozen)

        await node.kill("SIGKILL")
        await opens()
        node = await startService({ databaseUrl: node.databaseUrl, as: "program" })
        const record = await readyAt(node, id, 40)
        // A snapshot that was frozen is what the file is made of, whoever makes it.
        if (isFrozen) assert.strictEqual(record.digest, before.digest)

        await whole(database, record)
        await expectMadeOnce(node, id)
      }
    },
    120_000
  )
})

describe.runIf(process.platform !== "win32")("a worker that stands still for longer than its claim", () => {
  it.concurrent("writes no more of the snapshot, or of the file, once it goes on", async () => {
    const one = await startService({ as: "host" })
    const nodes = [one, await startService({ databaseUrl: one.databaseUrl, as: "host" })]
    const { catches, database, opens } = await gateOf(one)
    await holdsTransactions(one.databaseUrl)
    for (const part of parts) {
      const { id, node } = await catches(nodes, part, "pdf")
      const other = nodes.find((other) => other !== node)!
      node.signal("SIGSTOP")
      try {
        // Its statement ends in the database; it does not hear of it.
        await opens()
        const record = await readyAt(other, id)
        await whole(database, record)
        node.signal("SIGCONT")
        // It finds its claim lost, or, when it stood still for long, its transaction ended by the database.
        const givesUp = new RegExp(`Export ${id} (is made elsewhere|failed in try 1)`)
        await eventually("the node has given up its claim", () => givesUp.test(node.logs()))
        // It is back at work, and has let go of what it was at: there is nobody left who could write.
        await eventually("the node goes on", async () => (await node.call("GET", "/readyz")).status === 200)
        const next = await node.data("POST", base, { report_kind: "usage-summary", format: "csv" })
        await readyAt(node, next.id)

        const after = await other.data("GET", `${base}/${id}`)
        assert.deepStrictEqual(after, record)
        await whole(database, after)
        await expectMadeOnce(other, id)
      } finally {
        node.signal("SIGCONT")
      }
    }
  })
})
