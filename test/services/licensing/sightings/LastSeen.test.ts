import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../../fixtures/Service.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Session } from "../../../fixtures/Session.ts"
import { eventually, session } from "../../../fixtures/Session.ts"

let service: Service
let database: Session

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
})

/** A license of a customer, with this many active devices, and their fingerprints. */
const withDevices = async (count: number, customerId?: string): Promise<Issued & { readonly devices: string[] }> => {
  const issued = await service.issue({
    policy: { max_activations: count, max_transfers: 1000 },
    license: customerId === undefined ? {} : { customer_id: customerId }
  })
  const devices = Array.from({ length: count }, (_, index) => `device-${index}`)
  for (const fingerprint of devices) {
    assert.strictEqual((await service.license("activate", issued.key, { fingerprint })).status, 200)
  }
  return { ...issued, devices }
}

const validateAll = ({ devices, key }: { readonly devices: ReadonlyArray<string>; readonly key: string }) =>
  Promise.all(devices.map((fingerprint) => service.license("validate", key, { fingerprint })))

describe("sightings", () => {
  it("wait for nobody: a device that is locked is left for later, and nobody waits for theirs in a circle", async () => {
    const issued = await withDevices(15)
    const rows = await database.query("SELECT id FROM devices WHERE license_id = $1 ORDER BY random()", [
      issued.license.id
    ])
    const [locked, ...others] = rows.map(({ id }) => id)
    const holder = await session(service.databaseUrl)
    await holder.query("BEGIN")
    await holder.query("SELECT 1 FROM devices WHERE id = $1 FOR NO KEY UPDATE", [locked])
    for (const { status } of await validateAll(issued)) assert.strictEqual(status, 200)
    const seen = async () =>
      (await database.query("SELECT id FROM devices WHERE license_id = $1 AND last_validated_at IS NOT NULL", [
        issued.license.id
      ])).map(({ id }) => id)
    const isBlocked = async () =>
      (await database.query("SELECT 1 FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))", [
        holder.processId
      ])).length > 0
    await eventually(
      "the sightings are written, or wait",
      async () => (await seen()).length === others.length || await isBlocked()
    )

    // As a reset of all devices does, in an order that is another one than that of the sightings.
    for (const id of others) await holder.query("SELECT 1 FROM devices WHERE id = $1 FOR NO KEY UPDATE", [id])
    assert.sameMembers(await seen(), others)
    await holder.query("COMMIT")
    await eventually("the sighting of the locked device is written too", async () => (await seen()).includes(locked))
    assert.notInclude(service.logs(), "Sightings of devices were not written")
  })

  it("beside transfers that reset every device, erasures and activations: no deadlock", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Erased", code: "erased" })
    const licenses = [await withDevices(10, customer.id), await withDevices(10, customer.id)]
    const ending = new AbortController()
    const work: ReadonlyArray<() => Promise<unknown>> = [
      ...licenses.map((issued) => () => validateAll(issued)),
      ...licenses.map((issued) => async () => {
        for (const fingerprint of issued.devices) {
          await service.license("activate", issued.key, { fingerprint, hostname: "h" })
        }
      }),
      ...licenses.map(({ license }) => () =>
        service.data("POST", `/api/v1/licenses/${license.id}/transfer`, { reset_devices: true }, {
          headers: { "idempotency-key": randomUUID() }
        })
      ),
      () => service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    ]
    const [{ start }] = await database.query("SELECT clock_timestamp() AS start")
    const workers = work.map(async (job) => {
      while (!ending.signal.aborted) await job()
    })
    await eventually("several flushes have come among it", async () => {
      const [{ reached }] = await database.query(
        "SELECT max(last_validated_at) > $1::timestamptz + interval '2 seconds' AS reached FROM devices",
        [start]
      )
      return reached
    })
    ending.abort()
    await Promise.all(workers)
    assert.notMatch(service.logs(), /deadlock/i)
  })
})
