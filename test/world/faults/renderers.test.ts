import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { beforeAll } from "vitest"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { atEnd, eventually, migrated, session } from "../../fixtures/Session.ts"

const base = "/api/v1/reports/exports"

/** What proc(5) says, with spaces between arguments; undefined where there is none, or of a process that has ended. */
const proc = (path: string): string | undefined => {
  try {
    return readFileSync(`/proc/${path}`, "latin1").replaceAll("\0", " ")
  } catch {
    return undefined
  }
}

/** The processes that render for a service. They are looked for all the time, and ps(1) is a process itself. */
const renderers = async ({ pid }: Service): Promise<ReadonlyArray<number>> => {
  const children = proc(`${pid}/task/${pid}/children`)
  if (children !== undefined) {
    return (children.match(/\d+/g) ?? []).filter((child) => proc(`${child}/cmdline`)?.includes("renderProcess"))
      .map(Number)
  }
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="])
  return stdout.split("\n").flatMap((line) => {
    const [, child, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return Number(parent) === pid && args.includes("renderProcess") ? [Number(child)] : []
  })
}

/** Stops every renderer of a service as soon as it is there, until told to end; answers how many were stopped. */
const stopRenderers = (service: Service) => {
  const stopped = new Set<number>()
  const ending = new AbortController()
  const work = (async () => {
    while (!ending.signal.aborted) {
      for (const pid of await renderers(service)) {
        if (stopped.has(pid)) continue
        process.kill(pid, "SIGSTOP")
        stopped.add(pid)
      }
      await delay(20)
    }
  })()
  const end = async () => {
    ending.abort()
    await work
  }
  atEnd(end)
  return { stopped, end }
}

const create = (service: Service, format: string): Promise<Body> =>
  service.data("POST", base, { report_kind: "usage-summary", format, filters: { bucket: "1d" } })

const ended = (service: Service, id: string): Promise<Body> =>
  eventually(`export ${id} ends`, async () => {
    const record = await service.data("GET", `${base}/${id}`)
    return record.status === "ready" || record.status === "failed" ? record : undefined
  })

let databaseUrl: string
let database: Session
let patient: Service | undefined

beforeAll(async () => {
  databaseUrl = await migrated()
  database = await session(databaseUrl)
})

/** The service with a limit that no test waits for, which is the only one on the database from its start on. */
const patientService = async (): Promise<Service> =>
  patient ??= await startService({ databaseUrl, as: "host", environment: { COUNTERSIGN_LIMIT_RENDER_SECONDS: "3600" } })

describe("a process that renders and hangs", () => {
  it("is ended, and the export tried again; in the end it fails with the reason", async () => {
    const service = await startService({
      databaseUrl,
      as: "host",
      environment: { COUNTERSIGN_LIMIT_RENDER_SECONDS: "1" }
    })
    await service.issue()

    const always = stopRenderers(service)
    const failed = await ended(service, (await create(service, "pdf")).id)
    await always.end()
    assert.strictEqual(failed.status, "failed")
    assert.strictEqual(failed.failure.code, "INTERNAL")
    assert.include(failed.failure.message, "silent for 1 s")
    const [{ tries }] = await database.query("SELECT tries FROM report_exports WHERE id = $1", [failed.id])
    assert.strictEqual(tries, 5)
    await eventually("none of them is left", async () => (await renderers(service)).length === 0)

    await service.kill("SIGTERM")
    const patient = await patientService()
    await patient.data("POST", `${base}/${failed.id}/retry`)
    assert.strictEqual((await ended(patient, failed.id)).status, "ready")
  })

  it("delays no other export: those that take long are made beside the small ones", async () => {
    const service = await patientService()
    await service.issue()
    const stopping = stopRenderers(service)
    const long = [await create(service, "pdf"), await create(service, "pdf")]
    await eventually("both are being made", () => stopping.stopped.size >= 2)
    const small = await ended(service, (await create(service, "json")).id)
    assert.strictEqual(small.status, "ready", JSON.stringify(small))
    for (const { id } of long) {
      assert.include(["queued", "running"], (await service.data("GET", `${base}/${id}`)).status)
    }
    await stopping.end()
    for (const pid of await renderers(service)) process.kill(pid, "SIGCONT")
    for (const { id } of long) assert.strictEqual((await ended(service, id)).status, "ready")
  })
})

describe("files whose time is over", () => {
  it("go a few pieces at a time, so that no transaction holds the feed up", async () => {
    const service = await patientService()
    await service.issue()
    const { id } = await ended(service, (await create(service, "json")).id)
    const pieces = 300
    await database.query(
      `
      INSERT INTO report_export_pieces (export_id, part, start_at, bytes)
      SELECT $1, 'snapshot', 1000000 + n * 1000, convert_to(repeat('x', 1000), 'UTF8')
      FROM generate_series(1, ${pieces}) AS n`,
      [id]
    )
    await database.query("CREATE TABLE removals (xid xid8 DEFAULT pg_current_xact_id(), status text)")
    await database.query(`
      CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO removals (status) SELECT status FROM report_exports WHERE id = OLD.export_id;
        RETURN OLD;
      END $$`)
    await database.query(
      "CREATE TRIGGER note BEFORE DELETE ON report_export_pieces FOR EACH ROW EXECUTE FUNCTION note_removal()"
    )
    await database.query("UPDATE report_exports SET expires_at = now() - interval '1 second' WHERE id = $1", [id])
    // Files are looked for once a minute, and at each start.
    await startService({ databaseUrl, as: "host" })
    await eventually(
      "the file is gone",
      async () =>
        (await database.query("SELECT 1 FROM report_export_pieces WHERE export_id = $1 LIMIT 1", [id])).length === 0
    )
    assert.strictEqual((await service.data("GET", `${base}/${id}`)).status, "expired")
    const steps = await database.query("SELECT count(*)::int AS n FROM removals GROUP BY xid")
    assert.strictEqual(steps.reduce((sum, { n }) => sum + n, 0), pieces + 1)
    assert.isAtMost(Math.max(...steps.map(({ n }) => n)), 32)
    assert.deepStrictEqual(await database.query("SELECT DISTINCT status FROM removals"), [{ status: "expired" }])
  })
})
