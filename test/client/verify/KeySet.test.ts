import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { LearnedKeys, PublicKey } from "../../../src/client/verify/index.ts"
import { keySet, verifyEnvelope } from "../../../src/client/verify/index.ts"
import { startService } from "../../fixtures/Service.ts"

const service = await startService()
const issued = await service.issue()
await service.license("activate", issued.key, { fingerprint: "f" })

const listed = async (): Promise<ReadonlyArray<PublicKey>> => service.data("GET", "/api/v1/system/public-keys")
/** As a service of before listed them, which signs no list. */
const listedBefore = async () =>
  (await listed()).map(({ algorithm, kid, public_key }) => ({ kid, algorithm, public_key }))
const answer = async (): Promise<string> =>
  (await service.license("validate", issued.key, { fingerprint: "f", nonce: randomUUID() })).text
const kidOf = async (body: string, keys: ReturnType<typeof keySet>): Promise<string> =>
  (await keys.verify((publicKeys) => verifyEnvelope({ body, publicKeys }))).kid
const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(() => "accepted", (error: { readonly code: unknown }) => error.code)

describe("a set of keys", () => {
  it("follows a rotation and a revocation, with what was learned at an earlier run", async () => {
    const pinned = await listed()
    const before = await answer()
    let asked = 0
    const watched: typeof fetch = (input, init) => {
      asked += 1
      return fetch(input, init)
    }
    let learned: LearnedKeys = {}
    const options = { pinned, baseUrl: service.url, fetch: watched, onLearned: (told: LearnedKeys) => (learned = told) }
    const keys = keySet(options)
    assert.strictEqual(await kidOf(before, keys), pinned[0]!.kid)
    assert.strictEqual(asked, 0)
    const { kid } = await service.data("POST", "/api/v1/signing-keys/rotate")
    const after = await answer()
    assert.deepStrictEqual(await Promise.all([kidOf(after, keys), kidOf(after, keys)]), [kid, kid])
    assert.strictEqual(asked, 1)
    assert.lengthOf(keys.publicKeys(), 2)

    const again = keySet({ ...options, learned })
    assert.strictEqual(await kidOf(after, again), kid)
    assert.strictEqual(asked, 1)
    assert.strictEqual(await codeOf(kidOf(after, keySet({ pinned }))), "unknown_key")

    await service.data("POST", `/api/v1/signing-keys/${pinned[0]!.kid}/revoke`)
    const later = keySet(options)
    assert.strictEqual(await kidOf(after, later), kid)
    // Even a pinned key is believed no longer once its revocation was learned.
    assert.strictEqual(await codeOf(kidOf(before, later)), "unknown_key")
  })

  it("asks again what a list said that was a false one, and learns nothing from a page that is none", async () => {
    const pinned = await listedBefore()
    const body = await answer()
    const kid = pinned[0]!.kid
    const learned = { keys: [], revokedKids: [kid], revokedAt: { [kid]: "2026-11-25T10:00:00.000Z" } }
    const page: typeof fetch = async () => new Response("{}", { status: 200 })
    const told: Array<LearnedKeys> = []
    const options = { pinned, baseUrl: service.url, learned, onLearned: (next: LearnedKeys) => void told.push(next) }
    assert.strictEqual(await codeOf(kidOf(body, keySet({ ...options, fetch: page }))), "unknown_key")
    assert.isEmpty(told)
    assert.strictEqual(await kidOf(body, keySet(options)), kid)
    assert.isFalse(told[0]!.revokedKids!.includes(kid))
    // What the program ships is not asked again.
    const shipped = [...pinned, { ...pinned[0]!, revoked_at: "2026-11-25T11:00:00.000Z" }]
    assert.strictEqual(await codeOf(kidOf(body, keySet({ pinned: shipped, baseUrl: service.url }))), "unknown_key")
  })

  it("asks rarely, however many unknown keys are seen, and believes a list from a trusted way alone", async () => {
    let asked = 0
    const away: typeof fetch = async () => {
      asked += 1
      throw new TypeError("fetch failed")
    }
    const keys = keySet({ pinned: [], baseUrl: "https://licenses.example.com", fetch: away })
    const body = await answer()
    for (let turn = 0; turn < 5; turn++) assert.strictEqual(await codeOf(kidOf(body, keys)), "unknown_key")
    assert.strictEqual(asked, 1)
    const forged = body.replace(/(?<="value":")./, (first) => first === "A" ? "B" : "A")
    assert.notStrictEqual(
      await codeOf(kidOf(forged, keySet({ pinned: await listed(), baseUrl: service.url }))),
      "accepted"
    )
    assert.throws(() => keySet({ pinned: [], baseUrl: "http://licenses.example.com" }), /https/)
  })

  it("that ships a key which endorses takes over no other list, whatever it or its store was given", async () => {
    const older = (await listed()).slice(-1)
    await service.data("POST", "/api/v1/signing-keys/rotate")
    assert.isTrue((await listed()).every(({ endorses }) => endorses === true))
    const body = await answer()
    const { data, endorsement, ...rest } = (await service.call("GET", "/api/v1/system/public-keys")).body
    const unsigned: typeof fetch = async () => new Response(JSON.stringify({ data, ...rest }))
    assert.strictEqual(
      await codeOf(kidOf(body, keySet({ pinned: older, baseUrl: service.url, fetch: unsigned }))),
      "unknown_key"
    )
    assert.strictEqual(await codeOf(kidOf(body, keySet({ pinned: older, learned: { keys: data } }))), "unknown_key")
    const told: Array<LearnedKeys> = []
    const options = { baseUrl: service.url, onLearned: (next: LearnedKeys) => void told.push(next) }
    assert.strictEqual(await codeOf(kidOf(body, keySet({ pinned: older, ...options }))), "accepted")
    assert.deepStrictEqual(JSON.parse(told[0]!.endorsement!), endorsement)
    // Without a key to begin with the first list is believed, and then what follows from it.
    const bare = await listedBefore()
    for (const without of [[], bare.slice(-1)]) {
      assert.strictEqual(await codeOf(kidOf(body, keySet({ pinned: without, ...options }))), "accepted")
      const { endorsement: kept } = told.at(-1)!
      const forgetful = { pinned: without, learned: { endorsement: kept! }, baseUrl: service.url, fetch: unsigned }
      await service.data("POST", "/api/v1/signing-keys/rotate")
      const next = await answer()
      assert.strictEqual(await codeOf(kidOf(next, keySet(forgetful))), "unknown_key")
      assert.strictEqual(await codeOf(kidOf(next, keySet({ ...forgetful, fetch }))), "accepted")
    }
  })
})
