import { assert, describe, it } from "@effect/vitest"
import { createPublicKey, verify } from "node:crypto"
import { memoryStore, openLicense } from "../../src/client/app/index.ts"
import type { PublicKey } from "../../src/client/verify/index.ts"
import { canonicalJson } from "../../src/domain/wire/CanonicalJson.ts"
import { startService } from "../fixtures/Service.ts"
import { session } from "../fixtures/Session.ts"

const service = await startService()
const path = "/api/v1/system/public-keys"

interface Listed {
  readonly data: ReadonlyArray<PublicKey>
  readonly revoked?: ReadonlyArray<PublicKey>
  readonly endorsement: {
    readonly data: { readonly keys: ReadonlyArray<object>; readonly issued_at: string }
    readonly signatures: ReadonlyArray<{ readonly kid: string; readonly value: string }>
  }
}

/** The list, of which every signature covers what is signed. */
const listed = async (): Promise<Listed> => {
  const answer = await service.call("GET", path, { token: null })
  assert.strictEqual(answer.status, 200, answer.text)
  const list: Listed = answer.body
  const text = Buffer.from(canonicalJson(list.endorsement.data))
  for (const { kid, value } of list.endorsement.signatures) {
    const { public_key } = [...list.data, ...list.revoked ?? []].find((key) => key.kid === kid)!
    const x = Buffer.from(public_key, "base64").toString("base64url")
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    assert.isTrue(verify(null, text, key, Buffer.from(value, "base64")), kid)
  }
  return list
}
const signers = ({ endorsement }: Listed) => endorsement.signatures.map(({ kid }) => kid)
const kids = (keys: ReadonlyArray<{ readonly kid: string }> = []) => keys.map(({ kid }) => kid)
const rotate = async (): Promise<string> => (await service.data("POST", "/api/v1/signing-keys/rotate")).kid

describe("the list of public keys", () => {
  it("is signed by every key, so that an app follows from any that it ships, the revoked ones too", async () => {
    const first = await listed()
    const shipped = first.data
    assert.deepStrictEqual(signers(first), kids(shipped))
    const { key, product } = await service.issue()
    const store = memoryStore()
    const open = () =>
      openLicense({ baseUrl: service.url, productCode: product.code, publicKeys: shipped, store, fingerprint: "one" })
    await (await open()).activate(key)

    const second = await rotate()
    await service.data("POST", `/api/v1/signing-keys/${shipped[0]!.kid}/revoke`)
    const third = await rotate()
    const list = await listed()
    assert.deepStrictEqual(kids(list.data), [third, second])
    assert.deepStrictEqual(kids(list.revoked), kids(shipped))
    assert.deepStrictEqual(signers(list), [third, second, ...kids(shipped)])
    assert.isTrue(list.data.every(({ endorses }) => endorses))
    assert.isAbove(Date.parse(list.endorsement.data.issued_at), Date.parse(first.endorsement.data.issued_at))

    assert.isTrue((await (await open()).check()).mayRun)
    const kept = JSON.parse(store.text!.split("\n")[1]!)
    assert.deepStrictEqual(JSON.parse(kept.endorsement), list.endorsement)
    assert.isTrue((await open()).standing.mayRun)
  })

  it("stays the same bytes while no key changes", async () => {
    const { etag } = (await service.call("GET", path, { token: null })).headers as Record<string, string>
    const again = await service.call("GET", path, { token: null, headers: { "if-none-match": etag! } })
    assert.strictEqual(again.status, 304)
  })

  it("goes without the signature of a key that is lost, or cannot be opened, and does not say that it endorses", async () => {
    const [active, , lost] = signers(await listed())
    const damaged = signers(await listed())[1]!
    const database = await session(service.databaseUrl)
    await database.query("UPDATE signing_keys SET private_key = decode('00', 'hex') WHERE id = $1", [lost])
    await database.query(
      "UPDATE signing_keys SET private_key = set_byte(private_key, 40, get_byte(private_key, 40) # 1) WHERE id = $1",
      [damaged]
    )
    const fourth = await rotate()
    const list = await listed()
    assert.deepStrictEqual(signers(list), [fourth, active])
    assert.deepStrictEqual(kids(list.data.filter(({ endorses }) => endorses)), [fourth, active])
    assert.include(kids(list.data), damaged)
  })
})
