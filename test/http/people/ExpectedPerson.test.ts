// A browser has one session for all its tabs. What the page of one person asks for is not done in the session of another.
import { assert, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { productsOf } from "../../../src/api/ground/Operation.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"
import { signInAs } from "../../fixtures/SignedIn.ts"

const service = await startService()
const ada = await signInAs(service, "Ada Lovelace", ["owner"])
const bo = await signInAs(service, "Bo Berg", ["support"])

/** A request of the page of one person, in the session that the browser has by now. */
const ask = ({ cookie }: SignedIn, person: string, method: string, path: string, body?: object): Promise<Answer> =>
  service.call(method, path, {
    token: null,
    headers: { "sec-fetch-site": "same-origin", "countersign-person": person, cookie },
    ...(body === undefined ? {} : { body })
  })

const management = operations.filter(({ declaration }) => productsOf(declaration) !== undefined)

describe("a request that names the person whose page it is", () => {
  it("is refused by every operation in the session of another, before its rights and its content are judged", async () => {
    const written = async () => [await service.feed(), await service.data("GET", "/api/v1/activities")]
    const before = await written()
    for (const { method, operationId, path } of management) {
      const answer = await ask(bo, ada.id, method, path.replace(/:\w+/g, "none"), method === "GET" ? undefined : {})
      assert.strictEqual(refused(answer, 401, "PERSON_MISMATCH").detail, "Bo Berg", operationId)
    }
    assert.deepStrictEqual(await written(), before)
    assert.isAbove(management.length, 150)
  })

  it("is done in the session of that person, and so is one that names nobody", async () => {
    assert.strictEqual((await ask(ada, ada.id, "POST", "/api/v1/products", { name: "A", code: "a" })).status, 201)
    const { cookie } = bo
    const unnamed = { token: null, headers: { "sec-fetch-site": "same-origin", cookie } }
    assert.strictEqual((await service.call("GET", "/api/v1/whoami", unnamed)).body.data.id, bo.id)
  })

  it("is judged by its token alone, where it has one", async () => {
    const answer = await service.call("GET", "/api/v1/whoami", { headers: { "countersign-person": ada.id } })
    assert.strictEqual(answer.body.data.kind, "bootstrap")
  })

  it("ends no session of another when the page signs out", async () => {
    refused(await ask(bo, ada.id, "DELETE", "/api/v1/sessions/current"), 401, "PERSON_MISMATCH")
    assert.strictEqual((await ask(bo, bo.id, "GET", "/api/v1/whoami")).status, 200)
  })
})
