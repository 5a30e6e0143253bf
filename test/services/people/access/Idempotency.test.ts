import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Service } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import { eventually, hold, session } from "../../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService({ as: "host" })
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
  it("is answered byte for byte as the first time, when its effect has changed, and after a crash", async () => {
    const { key, license, policy, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "a", code: "a" })
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
      () =>
        service.call("POST", `/api/v1/licenses/${license.id}/features`, {
          body: { feature_id: feature.id },
          ...keyed("feature")
        }),
      () => service.call("POST", "/api/v1/signing-keys/rotate", keyed("rotate"))
    ]
    const firsts: Array<Answer> = []
    for (const request of requests) firsts.push(await request())
    for (const [index, request] of requests.entries()) replays(firsts[index]!, await request())

    // A crash between an effect and its answer: all of it has happened but the last step, which stores the answer.
    const body = { product_id: product.id, policy_id: policy.id, metadata: { crash: true } }
    const headers = keyed()
    const create = () => service.call("POST", "/api/v1/licenses", { body, ...headers })
    const list = () => service.data("GET", `/api/v1/licenses?product_id=${product.id}`)
    const before = (await list()).length
    const lock = await hold(service.databaseUrl, "LOCK TABLE idempotency_keys IN SHARE MODE")
    const lost = create().catch((error: unknown) => error)
    await lock.blocked(1)
    assert.strictEqual(await service.kill("SIGKILL"), "SIGKILL")
    assert.instanceOf(await lost, Error)
    await lock.release()
    await service.start()
    assert.lengthOf(await list(), before, "nothing of the lost request is left")
    const retried = await eventually("the lost session has ended", async () => {
      const answer = await create()
      return answer.status !== 409 && answer
    })
    assert.strictEqual(retried.status, 201)
    replays(retried, await create())
    assert.lengthOf(await list(), before + 1)
    const events = await service.feed("&event_type=license.created")
    assert.lengthOf(events.filter(({ data }) => data.product_id === product.id), before + 1)

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
})

/** How many answers are stored. */
const stored = async (): Promise<number> => {
  const sql = await session(service.databaseUrl)
  const [{ n }] = await sql.query("SELECT count(*)::int AS n FROM idempotency_keys")
  await sql.close()
  return n
}

/** A license with a device, a lease and a metered feature. */
const licensed = async () => {
  const issued = await service.issue({
    policy: { max_activations: 3, max_floating_users: 3, allow_offline_activation: true, offline_grace_days: 5 }
  })
  const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "x", code: "x" })
  await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: feature.id })
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint: "a" })).status, 200)
  const lease = await service.license("floating/checkout", issued.key, { fingerprint: "float" })
  return { ...issued, feature, lease_token: String(lease.body.data.lease_token) }
}

describe("a question", () => {
  it("takes an Idempotency-Key and ignores it: each is answered anew, and nothing is stored", async () => {
    const { key, license } = await licensed()
    const before = await stored()
    const { headers } = keyed()
    for (const operation of ["validate", "check"]) {
      for (const nonce of ["nonce-one", "nonce-two"]) {
        const answer = await service.license(operation, key, { fingerprint: "a", nonce }, headers)
        assert.strictEqual(answer.body.data.nonce, nonce)
        assert.isUndefined(answer.headers["idempotency-replayed"])
        const inHeader = await service.license(operation, key, { fingerprint: "a" }, { ...headers, "x-nonce": nonce })
        assert.strictEqual(inHeader.body.data.nonce, nonce)
      }
      refused(
        await service.license(operation, key, { fingerprint: "a" }, { "idempotency-key": "no spaces" }),
        400,
        "INVALID_HEADER"
      )
    }
    const explain = () => service.call("POST", `/api/v1/licenses/${license.id}/explain`, { body: {}, headers })
    const lookup = () => service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: key }, headers })
    for (const ask of [explain, lookup, explain, lookup]) {
      const answer = await ask()
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isUndefined(answer.headers["idempotency-replayed"])
    }
    assert.strictEqual(await stored(), before)
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    for (const operation of ["validate", "check"]) {
      refused(await service.license(operation, key, { fingerprint: "a" }, headers), 403, "LICENSE_INACTIVE")
    }
  })
})

describe("a replay to an app", () => {
  const bodies = (lease_token: string) =>
    [
      ["activate", { fingerprint: "b" }],
      ["offline", { fingerprint: "a" }],
      ["consume", { fingerprint: "a", feature_code: "x", event_id: randomUUID() }],
      ["floating/checkout", { fingerprint: "c" }],
      ["floating/heartbeat", { lease_token }],
      ["deactivate", { fingerprint: "b" }]
    ] as const

  it("is judged first: what would be refused today is refused, and comes back when it is no longer", async () => {
    const { key, lease_token, license } = await licensed()
    const requests = bodies(lease_token).map(([operation, body]) => {
      const { headers } = keyed()
      return { operation, send: () => service.license(operation, key, body, headers) }
    })
    const firsts: Array<Answer> = []
    for (const { operation, send } of requests) {
      const answer = await send()
      assert.strictEqual(answer.status, 200, `${operation}: ${answer.text}`)
      firsts.push(answer)
    }
    // Its own lease is over by then: it is the caller's own effect, and no reason to refuse a retry.
    const { headers } = keyed()
    const checkout = await service.license("floating/checkout", key, { fingerprint: "d" })
    const back = { lease_token: checkout.body.data.lease_token }
    const checkin = () => service.license("floating/checkin", key, back, headers)
    const returned = await checkin()
    const act = (action: string) => service.data("POST", `/api/v1/licenses/${license.id}/${action}`)

    for (const [index, { send }] of requests.entries()) replays(firsts[index]!, await send())
    await act("suspend")
    for (const [index, { operation, send }] of requests.entries()) {
      // Giving a seat back is allowed on a suspended license, and so is repeating it.
      if (operation === "deactivate") replays(firsts[index]!, await send())
      else assert.strictEqual(refused(await send(), 403, "LICENSE_INACTIVE").detail, "suspended", operation)
    }
    await act("reinstate")
    for (const [index, { send }] of requests.entries()) replays(firsts[index]!, await send())
    await act("revoke")
    for (const { send } of requests) refused(await send(), 403, "LICENSE_INACTIVE")
    replays(returned, await checkin())
  })

  it("is refused for a blocked device, a product that the license is not for, and a feature that was taken away", async () => {
    const { feature, key, license } = await licensed()
    const sent = keyed().headers
    const activate = () => service.license("activate", key, { fingerprint: "b" }, sent)
    const first = await activate()
    const used = keyed().headers
    const consume = () => service.license("consume", key, { fingerprint: "a", feature_code: "x", event_id: "e" }, used)
    const use = await consume()
    replays(first, await activate())
    replays(use, await consume())
    await service.data("POST", `/api/v1/licenses/${license.id}/devices/${first.body.data.device_id}/blacklist`)
    refused(await activate(), 403, "DEVICE_BLACKLISTED")
    await service.data("DELETE", `/api/v1/licenses/${license.id}/features/${feature.id}`)
    refused(await consume(), 403, "FEATURE_NOT_ENTITLED")
  })

  it("needs the same nonce, in the header as in the body", async () => {
    const { key } = await licensed()
    const { headers } = keyed()
    const ask = (nonce?: string) =>
      service.license(
        "activate",
        key,
        { fingerprint: "b" },
        nonce === undefined ? headers : { ...headers, "x-nonce": nonce }
      )
    const first = await ask("nonce-one")
    assert.strictEqual(first.body.data.nonce, "nonce-one")
    refused(await ask("nonce-two"), 409, "IDEMPOTENCY_CONFLICT")
    refused(await ask(), 409, "IDEMPOTENCY_CONFLICT")
    replays(first, await ask("nonce-one"))
  })
})

describe("what is stored", () => {
  it("is nothing for a write that changed nothing: a device that is active, an event_id that was counted", async () => {
    const { key } = await licensed()
    const use = { fingerprint: "a", feature_code: "x", event_id: "e" }
    assert.strictEqual((await service.license("consume", key, use)).status, 200)
    const before = await stored()
    for (let index = 0; index < 3; index++) {
      assert.strictEqual((await service.license("activate", key, { fingerprint: "a" })).status, 200)
      assert.strictEqual((await service.license("consume", key, use)).status, 200)
    }
    assert.strictEqual(await stored(), before)
  })

  it("is bounded for each credential; beyond it nothing is done, and what is stored is still repeated", async () => {
    const bounded = await startService({ environment: { COUNTERSIGN_LIMIT_STORED_ANSWERS: "2" } })
    const issue = () => bounded.issue({ policy: { max_activations: 10 } })
    const [one, other] = [await issue(), await issue()]
    const sent = [keyed().headers, keyed().headers, keyed().headers]
    const activate = (index: number, key = one.key) =>
      bounded.license("activate", key, { fingerprint: `device-${index}` }, sent[index]!)
    const firsts = [await activate(0), await activate(1)]
    refused(await activate(2), 429, "RATE_LIMITED")
    for (const [index, first] of firsts.entries()) replays(first, await activate(index))
    assert.lengthOf(await bounded.data("GET", `/api/v1/licenses/${one.license.id}/devices`), 2)
    assert.strictEqual((await activate(2, other.key)).status, 200)
    // Uses are counted as such.
    const feature = await bounded.data("POST", `/api/v1/products/${one.product.id}/features`, { name: "x", code: "x" })
    await bounded.data("POST", `/api/v1/licenses/${one.license.id}/features`, { feature_id: feature.id })
    for (let index = 0; index < 5; index++) {
      const use = { fingerprint: "device-0", feature_code: "x", event_id: randomUUID() }
      assert.strictEqual((await bounded.license("consume", one.key, use)).status, 200)
    }
  })
})

describe("a repeat", () => {
  it("waits for nobody: it is answered while its license is locked", async () => {
    const { key, license } = await licensed()
    const { headers } = keyed()
    const activate = () => service.license("activate", key, { fingerprint: "b" }, headers)
    const first = await activate()
    const lock = await hold(service.databaseUrl, "SELECT 1 FROM licenses WHERE id = $1 FOR UPDATE", [license.id])
    replays(first, await activate())
    await lock.release()
  })
})
