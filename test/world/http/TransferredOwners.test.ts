import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { endOf, judged, keptChain } from "../../fixtures/LicenseChain.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session, tablesWith } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const database = await session(service.databaseUrl)

const customer = (name: string): Promise<Body> =>
  service.data("POST", "/api/v1/customers", { name, code: randomUUID() })
const headers = () => ({ "idempotency-key": randomUUID() })
const transfer = (id: string, body: object): Promise<Body> =>
  service.data("POST", `/api/v1/licenses/${id}/transfer`, body, { headers: headers() })
const update = (id: string, body: object): Promise<Body> =>
  service.data("PATCH", `/api/v1/licenses/${id}`, body, { headers: headers() })
const erase = ({ id }: Body): Promise<Body> => service.data("POST", `/api/v1/customers/${id}/erase`)

const owned = (owner: Body, word: string): Promise<Issued> =>
  service.issue({
    policy: { max_activations: 5, max_floating_users: 2 },
    license: { customer_id: owner.id, customer_email: `ada@${word}.example`, customer_name: `Ada ${word}` }
  })

describe("a license that goes to another customer", () => {
  it.each([true, false])("leaves nothing of the former owner, reset_devices: %s", async (reset_devices) => {
    const word = `gone${reset_devices}`
    const [ada, next] = [await customer(`Ada ${word}`), await customer("Next")]
    const { key, license } = await owned(ada, word)
    await service.license("activate", key, { fingerprint: "a", hostname: `${word}-laptop` })
    await service.license("floating/checkout", key, { fingerprint: "b", hostname: `${word}-desk` })
    const left = await transfer(license.id, { customer_id: next.id, reset_devices })
    assert.notProperty(left, "customer_name")
    assert.notProperty(left, "customer_email")
    // What happens to the devices and the license from now on repeats nothing of it.
    const devices = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    for (const { id } of devices) {
      await service.data("POST", `/api/v1/licenses/${license.id}/devices/${id}/blacklist`)
    }
    await service.license("activate", key, { fingerprint: "c", hostname: "next-laptop" })
    await update(license.id, { customer_name: "Next one" })
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    const found = await service.data("GET", `/api/v1/licenses?q=ada@${word}`)
    assert.lengthOf(found, 0)
    await service.feed()
    await erase(ada)
    assert.notInclude(JSON.stringify(await service.feed()).toLowerCase(), word)
    assert.deepStrictEqual(await tablesWith(database, word), [])
    const text = JSON.stringify(await service.feed())
    assert.include(text, "next-laptop")
    assert.include(text, "Next one")
    // Of one license there is one chain, whoever owned it when.
    const chain = await eventually("a checkpoint covers the erasure", async () => {
      const kept = await keptChain(service, license.id)
      return kept.events.some(({ event }) => event["event_type"] === "license.suspended") ? kept : undefined
    })
    assert.includeMembers(chain.events.map(({ event }) => event["event_type"]), [
      "license.transferred",
      "license.suspended"
    ])
    assert.deepInclude(await judged(chain), { ok: true, last: endOf(chain) })
  })

  it("keeps what is given of the next owner, and what belongs to the same one", async () => {
    const [ada, next] = [await customer("Ada"), await customer("Next")]
    const { key, license } = await owned(ada, "kept")
    await service.license("activate", key, { fingerprint: "a", hostname: "kept-laptop" })
    const same = await transfer(license.id, { customer_name: "Ada B" })
    assert.deepInclude(same, { customer_email: "ada@kept.example", customer_name: "Ada B", times_transferred: 1 })
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    assert.strictEqual(device.hostname, "kept-laptop")
    const other = await transfer(license.id, { customer_id: next.id, customer_name: "Next" })
    assert.deepInclude(other, { customer_name: "Next", times_transferred: 2 })
    assert.notProperty(other, "customer_email")
  })

  it("is erased with events that wait for their place, whoever owns it meanwhile", async () => {
    const [ada, next] = [await customer("Ada late"), await customer("Next")]
    const { key, license } = await owned(ada, "early")
    await service.feed()
    const holder = await session(service.databaseUrl)
    await holder.query("BEGIN")
    await holder.query("LOCK TABLE event_chain IN SHARE MODE")
    await update(license.id, { customer_name: "Ada waits" })
    await service.license("activate", key, { fingerprint: "a", hostname: "waits-laptop" })
    await transfer(license.id, { customer_id: next.id, customer_name: "Next waits" })
    await erase(ada)
    await holder.query("COMMIT")
    const text = JSON.stringify(await service.feed())
    assert.notInclude(text, "Ada waits")
    assert.notInclude(text, "waits-laptop")
    assert.include(text, "Next waits")
  })

  it("keeps what stands in the time of others, before and between two times of one owner", async () => {
    const [ada, next] = [await customer("Ada stays"), await customer("Next")]
    const { key, license } = await owned(ada, "stays")
    await service.license("activate", key, { fingerprint: "a", hostname: "stays-laptop" })
    await transfer(license.id, { customer_id: next.id, customer_name: "Next first" })
    await transfer(license.id, { customer_id: ada.id, customer_name: "Ada between" })
    await transfer(license.id, { customer_id: next.id, customer_name: "Next again" })
    await service.feed()
    await erase(next)
    const text = JSON.stringify(await service.feed())
    for (const gone of ["Next first", "Next again"]) assert.notInclude(text, gone)
    for (const kept of ["stays-laptop", "ada@stays.example", "Ada between"]) assert.include(text, kept)
  })

  it.each([
    { door: "transfer", name: transfer },
    { door: "PATCH", name: update }
  ])("is erased from before its first owner, who is no transfer: $door", async ({ name }) => {
    const [ada, next] = [await customer("Ada"), await customer("Next")]
    const { key, license } = await service.issue({
      policy: { max_transfers: 1 },
      license: { customer_email: "ada@before.example", customer_name: "Ada before" }
    })
    await service.license("activate", key, { fingerprint: "a", hostname: "before-laptop" })
    const first = await name(license.id, { customer_id: ada.id })
    assert.deepInclude(first, { customer_id: ada.id, customer_name: "Ada before", times_transferred: 0 })
    assert.strictEqual((await name(license.id, { customer_id: ada.id })).times_transferred, 0)
    const found = await service.data("GET", `/api/v1/licenses?customer_id=${ada.id}`)
    assert.deepStrictEqual(found.map(({ id }: Body) => id), [license.id])
    const summary = await service.data("GET", `/api/v1/reports/customer-summary?customer_id=${ada.id}`)
    assert.include(JSON.stringify(summary), ada.id)
    assert.strictEqual((await transfer(license.id, { customer_id: next.id })).times_transferred, 1)
    await service.feed()
    await erase(ada)
    assert.notInclude(JSON.stringify(await service.feed()), "before")
    assert.deepStrictEqual(await tablesWith(database, "before-laptop"), [])
    const kinds = (await service.feed(`&resource_id=${license.id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, [
      "license.created",
      "license.activated",
      "license.updated",
      "license.updated",
      "license.transferred"
    ])
  })
})
