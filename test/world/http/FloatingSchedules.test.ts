import { assert, beforeAll, describe, it } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let nodes: ReadonlyArray<Service>
let database: Session

beforeAll(async () => {
  const service = await startService()
  nodes = [service, await startService({ databaseUrl: service.databaseUrl })]
  database = await session(service.databaseUrl)
})

/** Numbers below `limit` that are the same for a seed (mulberry32). */
const random = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const outcome = ({ body, status }: Answer): string => status === 200 ? "200" : `${status} ${body.error.code}`

const actions = ["checkout", "heartbeat", "checkin", "expire", "release"] as const

const liveLeases = async ({ license }: Issued): Promise<number> =>
  Number(
    (await database.query(
      "SELECT count(*)::int AS n FROM leases WHERE license_id = $1 AND ended_at IS NULL AND expires_at > clock_timestamp()",
      [license.id]
    ))[0].n
  )

/** The time of a device's open lease runs out. */
const expire = ({ license }: Issued, fingerprint: string) =>
  database.query(
    `UPDATE leases SET expires_at = now() - interval '1 second'
     WHERE ended_at IS NULL AND device_id = (SELECT id FROM devices WHERE license_id = $1 AND binding_key = $2)`,
    [license.id, fingerprint]
  )

const leaseOf = async ({ license }: Issued, fingerprint: string): Promise<string | undefined> =>
  (await database.query(
    `SELECT l.id FROM leases l JOIN devices d ON d.id = l.device_id
     WHERE l.license_id = $1 AND d.binding_key = $2 ORDER BY l.id DESC LIMIT 1`,
    [license.id, fingerprint]
  ))[0]?.id

/** What a device of the model holds: nothing yet, a seat, a lease that ran out, or one that was ended. */
interface Holder {
  standing: "none" | "live" | "expired" | "ended"
  token: string
}

describe("floating seats under random schedules", () => {
  // Together they reach every action on a device of every standing, and seats that are taken and that are free.
  it.each([1, 3])("answer as a model of them does, one call after the other (seed %i)", async (seed) => {
    const next = random(seed)
    const seats = 1 + next(3)
    const issued = await nodes[0]!.issue({ policy: { max_floating_users: seats } })
    const holders = new Map<string, Holder>()
    const held = () => [...holders.values()].filter(({ standing }) => standing === "live").length

    for (let step = 0; step < 70; step++) {
      const node = nodes[next(nodes.length)]!
      const fingerprint = `device-${next(5)}`
      const action = actions[next(actions.length)]!
      const holder = holders.get(fingerprint) ?? { standing: "none", token: "" }
      holders.set(fingerprint, holder)
      const what = `seed ${seed}, step ${step}: ${action} of ${fingerprint}, which is ${holder.standing}`
      if (action === "checkout") {
        const expected = holder.standing === "live" || held() < seats ? "200" : "403 FLOATING_LIMIT_EXCEEDED"
        const answer = await node.license("floating/checkout", issued.key, { fingerprint })
        assert.strictEqual(outcome(answer), expected, what)
        if (expected === "200") {
          holder.standing = "live"
          holder.token = answer.body.data.lease_token
        }
      } else if (action === "expire") {
        await expire(issued, fingerprint)
        if (holder.standing === "live") holder.standing = "expired"
      } else if (holder.standing !== "none") {
        if (action === "release") {
          const id = await leaseOf(issued, fingerprint)
          const path = `/api/v1/licenses/${issued.license.id}/leases/${id}/release`
          assert.strictEqual((await node.call("POST", path)).status, 200, what)
          if (holder.standing === "live") holder.standing = "ended"
        } else {
          const answer = await node.license(`floating/${action}`, issued.key, { lease_token: holder.token })
          const expected = { live: "200", expired: "409 LEASE_EXPIRED", ended: "404 LEASE_NOT_FOUND" }[holder.standing]
          assert.strictEqual(outcome(answer), expected, what)
          if (answer.status === 200 && action === "checkin") holder.standing = "ended"
          if (answer.status === 200 && action === "heartbeat") holder.token = answer.body.data.lease_token
        }
      }
      assert.strictEqual(await liveLeases(issued), held(), what)
    }
  })

  it("never exceed the limit when everything happens at once", async () => {
    const next = random(5)
    const seats = 3
    const issued = await nodes[0]!.issue({ policy: { max_floating_users: seats } })
    const tokens = new Map<string, string>()
    const allowed: Record<typeof actions[number], ReadonlyArray<string>> = {
      checkout: ["200", "403 FLOATING_LIMIT_EXCEEDED"],
      heartbeat: ["200", "409 LEASE_EXPIRED", "404 LEASE_NOT_FOUND"],
      checkin: ["200", "409 LEASE_EXPIRED", "404 LEASE_NOT_FOUND"],
      expire: [],
      release: ["200"]
    }
    let most = 0
    const running = new AbortController()
    const watching = (async () => {
      while (!running.signal.aborted) {
        most = Math.max(most, await liveLeases(issued))
        await setTimeout(5)
      }
    })()
    const act = async (): Promise<void> => {
      const node = nodes[next(nodes.length)]!
      const fingerprint = `device-${next(10)}`
      const action = actions[next(actions.length)]!
      if (action === "expire") return void (await expire(issued, fingerprint))
      if (action === "release") {
        const id = await leaseOf(issued, fingerprint)
        if (id === undefined) return
        const answer = await node.call("POST", `/api/v1/licenses/${issued.license.id}/leases/${id}/release`)
        return assert.include(allowed.release, outcome(answer))
      }
      const body = action === "checkout" ? { fingerprint } : { lease_token: tokens.get(fingerprint) ?? "none" }
      const answer = await node.license(`floating/${action}`, issued.key, body)
      assert.include(allowed[action], outcome(answer), answer.text)
      if (answer.status === 200 && action !== "checkin") tokens.set(fingerprint, answer.body.data.lease_token)
    }
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 30 }, act))
    running.abort()
    await watching
    assert.isAtMost(most, seats)
    assert.isAtLeast(most, 1)
  })
})
