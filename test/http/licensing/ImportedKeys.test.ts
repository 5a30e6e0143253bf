import { assert, describe, it } from "@effect/vitest"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { verifyOffline } from "../../../src/client/verify/index.ts"
import { formatLicenseKey } from "../../../src/domain/keys/security/Credential.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const service = await startService()
/** A second node, which takes keys at the same time. */
const node = await startService({ databaseUrl: service.databaseUrl })
const database = await session(service.databaseUrl)
const { policy, product } = await service.issue({ policy: { max_floating_users: 5, max_activations: 5 } })
const under = { product_id: product.id, policy_id: policy.id }

/** A key as another system may have made it; letters of both cases and signs count. */
const another = (): string => `Acme/${randomBytes(9).toString("base64")}#il0O`

const bulk = (
  licenses: ReadonlyArray<object>,
  more: object = {},
  headers: Record<string, string> = {},
  on: Service = service
) => on.call("POST", "/api/v1/licenses/bulk", { body: { defaults: under, licenses, ...more }, headers })
const create = (license_key: unknown, headers: Record<string, string> = {}) =>
  service.call("POST", "/api/v1/licenses", { body: { ...under, license_key }, headers })
const lookup = (license_key: string) => service.call("POST", "/api/v1/licenses/lookup", { body: { license_key } })
const validate = (key: string) => service.license("validate", key, { fingerprint: "one" })

/** The findings of each row of a bulk create, row by row; none for a row that was created. */
const found = ({ body }: Answer): ReadonlyArray<string> =>
  body.data.results.map(({ error }: Body) =>
    (error?.fields ?? []).map(({ code, path }: Body) => `${error.code} ${path} ${code}`).join()
  )

const ownersOf = async (keys: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(keys.map(async (key) => (await lookup(key)).body.data?.id))

const licenses = async (): Promise<number> => (await database.query("SELECT count(*)::int AS n FROM licenses"))[0].n

/** Everything that the database holds, as text; bytes stand there in hexadecimal digits. */
const stored = async (): Promise<string> => {
  const tables = await database.query(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()"
  )
  assert.isAbove(tables.length, 30)
  const texts: Array<string> = []
  for (const { name } of tables) {
    for (const { text } of await database.query(`SELECT t::text AS text FROM ${name} t`)) texts.push(text)
  }
  return texts.join("\n")
}

const hex = (text: string): string => Buffer.from(text).toString("hex")

describe("a license key of another system", () => {
  it("is answered as it was brought, and opens every runtime call as it is", async () => {
    const keys = [another(), another()]
    const answer = await bulk([{ license_key: keys[0] }, {}, { license_key: keys[1] }])
    assert.strictEqual(answer.status, 200, answer.text)
    const results: ReadonlyArray<Body> = answer.body.data.results
    assert.deepStrictEqual([results[0].license_key, results[2].license_key], keys)
    assert.match(results[1].license_key, /^CS-/)
    const { license, license_key: key } = results[0]
    assert.strictEqual(license.license_key_last4, "il0O")
    assert.strictEqual(license.license_key_prefix, key.slice(0, 8))

    const call = async (operation: string, body: object): Promise<Body> => {
      const { body: { data }, status, text } = await service.license(operation, key, body)
      assert.strictEqual(status, 200, `${operation}: ${text}`)
      return data
    }
    const device = { fingerprint: "one" }
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Rendering",
      code: `render-${randomUUID()}`
    })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    const { device_id, license_id } = await call("activate", device)
    assert.strictEqual(license_id, license.id)
    assert.strictEqual((await call("validate", device)).license_id, license.id)
    assert.strictEqual((await call("check", device)).license_id, license.id)
    await call("consume", { ...device, feature_code: feature.code, event_id: randomUUID(), amount: 3 })
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).total_consumptions, 3)
    const seat = await call("floating/checkout", { fingerprint: "two" })
    const { lease_token } = await call("floating/heartbeat", { lease_token: seat.lease_token })
    await call("floating/checkin", { lease_token })

    const envelope = await call("offline", device)
    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const open = (licenseKey: string) => verifyOffline({ envelope, licenseKey, deviceId: device_id, publicKeys })
    assert.strictEqual((await open(` ${key}\n`)).data["license_id"], license.id)
    const closed = await open(key.toLowerCase()).catch(({ code }: { readonly code: string }) => code)
    assert.strictEqual(closed, "cannot_decrypt")
    await call("deactivate", device)
    assert.strictEqual((await lookup(key)).body.data.id, license.id)
  })

  it("is taken exactly: another case or sign is another key, and is not called mistyped", async () => {
    const key = another()
    assert.strictEqual((await create(key)).status, 201)
    assert.notStrictEqual((await validate(key)).status, 401)
    for (const wrong of [key.toUpperCase(), key.replace("/", "-"), key.replace("0", "O"), `${key}x`]) {
      const { message } = refused(await validate(wrong), 401, "LICENSE_KEY_INVALID")
      assert.match(message, /No license has this key/)
      assert.notMatch(message, /check character|mistyped/)
      refused(await lookup(wrong), 404, "NOT_FOUND")
    }
    for (const short of ["1234567", "x"]) {
      const { message } = refused(await validate(short), 401, "LICENSE_KEY_INVALID")
      assert.match(message, /8 to 1,000 visible ASCII characters/)
      assert.notMatch(message, /check character/)
      invalid(await lookup(short), "license_key", "not_a_license_key")
    }
  })

  it("may have any 8 to 1,000 visible ASCII characters, and hides eight of them beside the last four", async () => {
    const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))
    const keys = ["1234-567", "csgo-1234567", "0123456789abcdefg", visible, `~${visible}${"x".repeat(905)}`]
    const answer = await bulk(keys.map((license_key) => ({ license_key })))
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(
      answer.body.data.results.map(({ license }: Body) => [license.license_key_prefix, license.license_key_last4]),
      [["", "-567"], ["", "4567"], ["01234", "defg"], ["!\"#$%&'(", "{|}~"], ["~!\"#$%&'", "xxxx"]]
    )
    for (const key of keys) {
      assert.strictEqual((await service.license("activate", key, { fingerprint: "a" })).status, 200)
    }
  })

  it("that looks like one of ours must be one, and is then read as ours", async () => {
    const key = formatLicenseKey(randomBytes(15))
    const answer = await create(key.toLowerCase().replaceAll("-", ""))
    assert.strictEqual(answer.status, 201, answer.text)
    assert.strictEqual(answer.body.data.license_key, key)
    assert.strictEqual((await service.license("activate", key.toLowerCase(), { fingerprint: "a" })).status, 200)
    const wrong = key.slice(0, -1) + (key.endsWith("7") ? "8" : "7")
    const mistyped = [wrong, wrong.toLowerCase(), wrong.replaceAll("-", ""), "CS-12345678", "cs-go-1234"]
    for (const license_key of mistyped) {
      const answer = await create(license_key)
      invalid(answer, "license_key", "invalid_value")
      assert.match(answer.body.error.fields[0].message, /looks like a key of this service and is mistyped/)
    }
  })

  it.each([
    ["too short", "1234567"],
    ["too long", "x".repeat(1001)],
    ["with a space inside", "abcd efgh ijkl"],
    ["with a space around it", "abcdefgh "],
    ["with a letter that is not ASCII", "schlüssel-1"],
    ["with a line break", "abcd\nefgh"],
    ["that is a management token", `csk_${"0".repeat(49)}`],
    ["that is a bootstrap token", `admin_${"x".repeat(43)}`]
  ])("is refused %s, and not repeated in the refusal", async (_title, license_key) => {
    const single = await create(license_key)
    invalid(single, "license_key", "invalid_value")
    const { fields } = refused(await bulk([{}, { license_key }]), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(fields.map(({ path }: Body) => path), ["licenses.1.license_key"])
    for (const text of [single.text, JSON.stringify(fields)]) assert.notInclude(text, license_key)
  })

  it("gives way to a key of ours, and stays taken after that", async () => {
    const key = another()
    const { license } = (await create(key)).body.data
    await service.license("activate", key, { fingerprint: "one" })
    const path = `/api/v1/licenses/${license.id}/rotate-key`
    const { license_key: next } = await service.data("POST", path, { overlap_minutes: 60 })
    for (const each of [key, next]) assert.strictEqual((await validate(each)).status, 200)
    await service.data("POST", path, { overlap_minutes: 0 })
    refused(await validate(key), 401, "LICENSE_KEY_INVALID")
    invalid(await create(key), "license_key", "taken")
  })
})

describe("a key that is there already", () => {
  it("is a finding of its row, whether a license has it or an earlier row", async () => {
    const [there, twice, once] = [another(), another(), another()]
    assert.strictEqual((await create(there)).status, 201)
    const before = await licenses()
    const rows = [
      { license_key: twice },
      { license_key: there },
      { license_key: twice },
      { license_key: once },
      { license_key: there, customer_id: "cus_none" }
    ]
    const { fields } = refused(await bulk(rows), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(fields.map(({ code, path }: Body) => [path, code]), [
      ["licenses.1.license_key", "taken"],
      ["licenses.2.license_key", "duplicate"],
      ["licenses.4.customer_id", "not_found"],
      ["licenses.4.license_key", "duplicate"]
    ])
    assert.strictEqual(await licenses(), before)
    refused(await validate(once), 401, "LICENSE_KEY_INVALID")

    const answer = await bulk(rows, { mode: "per_row" })
    assert.deepStrictEqual([answer.body.data.created, answer.body.data.refused], [2, 3])
    assert.deepStrictEqual(found(answer), [
      "",
      "VALIDATION_ERROR license_key taken",
      "VALIDATION_ERROR license_key duplicate",
      "",
      "NOT_FOUND customer_id not_found,NOT_FOUND license_key duplicate"
    ])
    assert.strictEqual(await licenses(), before + 2)
  })

  it("is also found in another spelling, if it is one of ours", async () => {
    const key = formatLicenseKey(randomBytes(15))
    const rows = [{ license_key: key }, { license_key: key.replaceAll("-", "").toLowerCase() }]
    assert.deepStrictEqual(found(await bulk(rows, { mode: "per_row" })), ["", "VALIDATION_ERROR license_key duplicate"])
    invalid(await create(key.toLowerCase()), "license_key", "taken")
  })

  it("in all rows, from the defaults, is created once", async () => {
    const defaults = { ...under, license_key: another() }
    const answer = await bulk([{}, {}], { defaults, mode: "per_row" })
    assert.deepStrictEqual(found(answer), ["", "VALIDATION_ERROR license_key duplicate"])
  })

  it("goes to one license when many ask for it at once, row by row and in opposite orders", async () => {
    const keys = Array.from({ length: 40 }, another)
    const before = await licenses()
    // Each key takes its time, so that the requests are surely in the middle of their rows together.
    await database.query(`
      CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(0.005);
        RETURN NEW;
      END $$`)
    await database.query("CREATE TRIGGER linger BEFORE INSERT ON license_keys FOR EACH ROW EXECUTE FUNCTION linger()")
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) => {
        const rows = (turn % 2 === 0 ? keys : keys.toReversed()).map((license_key) => ({ license_key }))
        return bulk(rows, { mode: "per_row" }, {}, turn % 2 === 0 ? service : node)
      })
    )
    await database.query("DROP FUNCTION linger CASCADE")
    for (const { status, text } of answers) assert.strictEqual(status, 200, text)
    const created = answers.flatMap(({ body }) => body.data.results).filter(({ license }: Body) =>
      license !== undefined
    )
    assert.sameMembers(created.map(({ license_key }: Body) => license_key), keys)
    assert.strictEqual(await licenses(), before + keys.length)
    const owner = new Map<string, string>(created.map(({ license, license_key }: Body) => [license_key, license.id]))
    const some = keys.slice(0, 20)
    assert.deepStrictEqual(await ownersOf(some), some.map((key) => owner.get(key)!))
    const refusals = answers.flatMap(found).filter((finding) => finding !== "")
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 5 * keys.length }, () => "VALIDATION_ERROR license_key taken")
    )
  })

  it("goes to one request when many ask for it at once, all or nothing or alone", async () => {
    const key = another()
    const others = Array.from({ length: 8 }, another)
    const before = await licenses()
    const answers = await Promise.all([
      ...others.map((other) => bulk([{ license_key: other }, { license_key: key }])),
      ...others.map(() => create(key))
    ])
    const won = answers.filter(({ status }) => status < 300)
    assert.lengthOf(won, 1)
    for (const answer of answers) {
      if (answer === won[0]) continue
      const { fields } = refused(answer, 422, "VALIDATION_ERROR")
      assert.match(
        fields.map(({ code, path }: Body) => `${path} ${code}`).join(),
        /^(licenses\.1\.)?license_key taken$/
      )
    }
    assert.strictEqual(await licenses(), before + (won[0]!.status === 200 ? 2 : 1))
    assert.strictEqual((await lookup(key)).status, 200)
  })
})

describe("the secret that it is", () => {
  it("stands nowhere in the database, the feed, the activities or the log", async () => {
    const key = "4711-0815-x7"
    const other = another()
    const headers = () => ({ "idempotency-key": randomUUID() })
    const body = { ...under, license_key: key }
    const first = await service.call("POST", "/api/v1/licenses", { body, headers: headers() })
    assert.strictEqual(first.status, 201)
    assert.strictEqual((await bulk([{ license_key: other }], {}, headers())).status, 200)
    invalid(await create(key, headers()), "license_key", "taken")
    refused(await bulk([{ license_key: other }], {}, headers()), 422, "VALIDATION_ERROR")
    for (const each of [key, other]) {
      assert.strictEqual((await service.license("activate", each, { fingerprint: "a" })).status, 200)
      assert.strictEqual((await service.license("offline", each, { fingerprint: "a" })).status, 200)
      refused(await service.license("deactivate", each, { fingerprint: "b" }), 404, "DEVICE_NOT_ACTIVATED")
    }
    const feed = JSON.stringify(await service.feed())
    const activities = (await service.call("GET", "/api/v1/activities?limit=200")).text
    const places = { stored: await stored(), feed, activities, logs: service.logs() }
    for (const [place, text] of Object.entries(places)) {
      assert.isNotEmpty(text, place)
      for (const secret of [key, other, hex(key), hex(other)]) assert.notInclude(text, secret, place)
    }
    // A plain hash of a request, or of a short key, would be guessed in no time.
    const hashed = (...parts: ReadonlyArray<string>) => createHash("sha256").update(parts.join("")).digest("hex")
    const request = hashed("POST /api/v1/licenses\n", JSON.stringify(body))
    for (const hash of [hashed(key), hashed(other), request]) assert.notInclude(places.stored, hash)
    const without = { ...under, customer_name: "without a key" }
    await service.call("POST", "/api/v1/licenses", { body: without, headers: headers() })
    assert.include(await stored(), hashed("POST /api/v1/licenses\n", JSON.stringify(without)), "what is looked for")
  })

  it("is answered again to who repeats the request, and to nobody else", async () => {
    const [key, other] = [another(), another()]
    const headers = { "idempotency-key": randomUUID() }
    const first = await bulk([{ license_key: key }], {}, headers)
    assert.strictEqual(first.body.data.results[0].license_key, key)
    const again = await bulk([{ license_key: key }], {}, headers)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    refused(await bulk([{ license_key: other }], {}, headers), 409, "IDEMPOTENCY_CONFLICT")
  })
})
