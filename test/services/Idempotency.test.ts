import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"
import { eventually, hold, session } from "../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const keyed = (key: string = randomUUID()) => ({ headers: { "idempotency-key": key } })

/** Two answers that are the same to the byte, the second one marked as a replay. */
const replays = (first: Answer, second: Answer) => {
  assert.strictEqual(second.status, first.status)
  assert.strictEqual(second.text, first.text)
  assert.strictEqual(second.headers["content-type"], first.headers["content-type"])
  assert.isUndefined(first.headers["idempotency-replayed"])
  assert.strictEqual(second.headers["idempotency-replayed"], "true")
}

describe("a repeated write", () => {
  it("is answered byte for byte as the first time, once its effect has changed, and after a restart", async () => {
    const { key, license, policy, product } = await service.issue()
    const requests = [
      () => service.call("POST", "/api/v1/products", { body: { name: "a", code: "once" }, ...keyed("product") }),
      () => service.call("PATCH", `/api/v1/products/${product.id}`, { body: { name: "b" }, ...keyed("patch") }),
      // Answers that hold a secret, which is shown once and stored nowhere in the clear.
      () => service.call("POST", "/api/v1/api-keys", { body: { name: "k" }, ...keyed("api-key") }),
      () =>
        service.call("POST", "/api/v1/licenses", {
          body: { product_id: product.id, policy_id: policy.id },
          ...keyed("license")
        }),
      () => service.license("activate", key, { fingerprint: "f", nonce: "nonce-123" }, keyed("activate").headers),
      () => service.license("deactivate", key, { fingerprint: "f" }, keyed("deactivate").headers),
      () => service.call("POST", `/api/v1/licenses/${license.id}/revoke`, keyed("revoke")),
      () => service.call("POST", "/api/v1/signing-keys/rotate", keyed("rotate"))
    ]
    const firsts: Array<Answer> = []
    for (const request of requests) firsts.push(await request())
    for (const [index, request] of requests.entries()) replays(firsts[index]!, await request())
    assert.strictEqual(await service.kill("SIGKILL"), "SIGKILL")
    await service.start()
    for (const [index, request] of requests.entries()) replays(firsts[index]!, await request())
    const sql = await session(service.databaseUrl)
    const token = String(firsts[2]!.body.data.token)
    const [found] = await sql.query(
      "SELECT count(*)::int AS n FROM idempotency_keys WHERE position($1::bytea IN body) > 0",
      [Buffer.from(token)]
    )
    assert.strictEqual(found.n, 0, "the stored answer is sealed")
  })

  it("of a delete answers 204 again", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() })
    const headers = keyed()
    replays(
      await service.call("DELETE", `/api/v1/products/${product.id}`, headers),
      await service.call("DELETE", `/api/v1/products/${product.id}`, headers)
    )
    refused(await service.call("DELETE", `/api/v1/products/${product.id}`, keyed()), 404, "NOT_FOUND")
  })

  it("that was refused is tried again", async () => {
    const { key, license } = await service.issue()
    const { headers } = keyed()
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    refused(await service.license("activate", key, { fingerprint: "f" }, headers), 403, "LICENSE_INACTIVE")
    await service.data("POST", `/api/v1/licenses/${license.id}/reinstate`)
    const admitted = await service.license("activate", key, { fingerprint: "f" }, headers)
    assert.strictEqual(admitted.status, 200)
    assert.isUndefined(admitted.headers["idempotency-replayed"])
  })

  it("is only repeated for the same caller", async () => {
    const headers = keyed()
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["product:write"] })
    const body = (code: string) => ({ name: "a", code: `${code}-${headers.headers["idempotency-key"]}` })
    const one = await service.call("POST", "/api/v1/products", { body: body("one"), ...headers })
    const other = await service.call("POST", "/api/v1/products", { body: body("two"), token, ...headers })
    assert.deepStrictEqual([one.status, other.status], [201, 201])
    const [first, second] = [await service.issue(), await service.issue()]
    for (const { key, license } of [first, second]) {
      const answer = await service.license("activate", key, { fingerprint: "f" }, headers.headers)
      assert.strictEqual(answer.body.data.license_id, license.id)
    }
  })

  it("does not hand a stored secret to a key that may not have it", async () => {
    const headers = keyed()
    const { api_key, token } = await service.data("POST", "/api/v1/api-keys", { name: "k" })
    await service.call("POST", "/api/v1/api-keys", { body: { name: "secret" }, token, ...headers })
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    refused(
      await service.call("POST", "/api/v1/api-keys", { body: { name: "secret" }, token, ...headers }),
      401,
      "TOKEN_REVOKED"
    )
  })
})

describe("trap 17: a retried create makes two", () => {
  it("20 equal requests at once make one license; each is answered, told to wait, or replayed", async () => {
    const { policy, product } = await service.issue()
    const body = { product_id: product.id, policy_id: policy.id, metadata: { race: randomUUID() } }
    const headers = keyed()
    const create = () => service.call("POST", "/api/v1/licenses", { body, ...headers })
    const answers = await Promise.all(Array.from({ length: 20 }, create))
    const made = answers.filter(({ status }) => status === 201)
    assert.isAtLeast(made.length, 1)
    for (const answer of answers) if (answer.status !== 201) refused(answer, 409, "IDEMPOTENCY_IN_FLIGHT")
    assert.strictEqual(new Set(made.map(({ text }) => text)).size, 1)
    assert.lengthOf(made.filter(({ headers }) => headers["idempotency-replayed"] === undefined), 1)
    const licenses = await service.data("GET", `/api/v1/licenses?product_id=${product.id}`)
    assert.lengthOf(licenses, 2, "the one of the race, and the one before it")
  })

  it("a crash between the effect and the answer leaves neither, and the retry makes one", async () => {
    const { policy, product } = await service.issue()
    const body = { product_id: product.id, policy_id: policy.id, metadata: { crash: true } }
    const headers = keyed()
    // Lets everything happen but the last step, which stores the answer.
    const lock = await hold(service.databaseUrl, "LOCK TABLE idempotency_keys IN SHARE MODE")
    const lost = service.call("POST", "/api/v1/licenses", { body, ...headers }).catch((error: unknown) => error)
    await lock.blocked(1)
    await service.kill("SIGKILL")
    assert.instanceOf(await lost, Error)
    await lock.release()
    const list = () => service.data("GET", `/api/v1/licenses?product_id=${product.id}`)
    await service.start()
    assert.lengthOf(await list(), 1, "nothing of the lost request is left")
    const retried = await eventually("the lost session has ended", async () => {
      const answer = await service.call("POST", "/api/v1/licenses", { body, ...headers })
      return answer.status !== 409 && answer
    })
    assert.strictEqual(retried.status, 201)
    replays(retried, await service.call("POST", "/api/v1/licenses", { body, ...headers }))
    assert.lengthOf(await list(), 2)
    const events = await service.feed("&event_type=license.created")
    assert.lengthOf(events.filter(({ data }) => data.product_id === product.id), 2)
  })
})
