import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { CountersignOptions, Resources } from "../../../src/client/api/index.ts"
import { Countersign, isCountersignError } from "../../../src/client/api/index.ts"
import { effectFlavour } from "../../fixtures/EffectFlavour.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { someOf } from "../../fixtures/Share.ts"
import { salesStories } from "../../fixtures/stories/SalesStories.ts"
import { clockStory, serviceStories } from "../../fixtures/stories/ServiceStories.ts"
import type { Stage } from "../../fixtures/stories/Stage.ts"
import { offerOf, watchOperations } from "../../fixtures/stories/Stage.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService({
  environment: { COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:9", COUNTERSIGN_MAIL_FROM: "licenses@acme.example" }
})
testDatabaseOf(service)

/** What was called and succeeded. */
const watched = watchOperations()

/** The client, and how it is made: of promises, and of effects. */
const flavours: ReadonlyArray<readonly [name: string, open: (options: CountersignOptions) => Resources]> = [
  ["promises", (options) => new Countersign(options)],
  ["effects", effectFlavour]
]

describe.each(someOf("flavours", flavours, 1))("every operation is a method, in %s", (flavour, flavoured) => {
  const common = { baseUrl: service.url, fetch: watched.fetch() }
  const stageOf = (token: string): Stage => ({
    service,
    client: flavoured({ ...common, token }),
    open: (credentials) => flavoured({ ...common, ...credentials }),
    unique: randomUUID,
    note: watched.note,
    allowTest: token === testToken,
    asksConditionally: flavour === "promises"
  })
  beforeAll(() => watched.forget())

  it.each([...salesStories, ...serviceStories])("%s", (_, play) => play(stageOf(adminToken)))

  it(`${clockStory[0]}`, () => clockStory[1](stageOf(testToken)))

  it("and none is left out", () => {
    assert.deepStrictEqual(watched.missing(), [])
  })
})

describe("what is refused", () => {
  const client = new Countersign({ baseUrl: service.url, token: adminToken })
  const offer = offerOf(client, randomUUID)

  it("is an error with the code that the operation can answer, and what the service says of it", async () => {
    const { policy, product } = await offer()
    const outcome = await client.products.create({ name: "Twice", code: product.code }).result()
    assert.isFalse(outcome.ok)
    if (outcome.ok) return
    assert.strictEqual(outcome.error.code, "CONFLICT")
    // The compiler knows the codes of this operation, and no other.
    if (outcome.error.code === "CONFLICT") assert.strictEqual(outcome.error.status, 409)
    // @ts-expect-error Nobody consumes anything by creating a product.
    assert.isFalse(outcome.error.code === "FEATURE_QUOTA_EXCEEDED")
    assert.match(outcome.error.requestId!, /^req_/)
    assert.match(outcome.error.docUrl!, /\/docs\/errors\/CONFLICT$/)
    const attempt = client.licenses.create({ product_id: product.id, policy_id: policy.id, customer_email: "nobody" })
    const error = await attempt.then(() => assert.fail("it was taken"), (error: unknown) => error)
    assert.isTrue(isCountersignError(error, "VALIDATION_ERROR"))
    if (isCountersignError(error)) assert.deepStrictEqual(error.fields.map(({ path }) => path), ["customer_email"])
    assert.isFalse(isCountersignError(error, "NOT_FOUND"))
    assert.isFalse(isCountersignError(new TypeError("no")))
  })

  it("needs no request where it is a mistake of the program", async () => {
    const anonymous = new Countersign({ baseUrl: service.url })
    assert.throws(() => client.licenses.get(""), /id must be the id of a resource/)
    assert.throws(() => client.licenses.suspend(".."), /must be the id/)
    assert.throws(() => client.licenses.suspend("."), /must be the id/)
    // @ts-expect-error A path parameter is text.
    assert.throws(() => client.licenses.get(), /must be the id/)
    const failure = await anonymous.products.list().then(() => undefined, (error: unknown) => error)
    assert.match(String(failure), /needs a token/)
    assert.throws(() => new Countersign({ baseUrl: "ftp://example.com" }), /http/)
    // What a path would hide is sent as one segment.
    const { error } = await client.licenses.get("a/../b?c#d").result() as { readonly error: Error & { code: string } }
    assert.strictEqual(error.code, "NOT_FOUND")
  })

  it("takes its credentials from what gives them, at each call", async () => {
    const tokens = ["not-this-one", adminToken]
    const rotating = new Countersign({ baseUrl: `${service.url}/`, token: () => Promise.resolve(tokens.shift()!) })
    assert.strictEqual((await rotating.apiKeys.whoami().result()).ok, false)
    assert.isTrue((await rotating.apiKeys.whoami().result()).ok)
  })
})
