import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  findFile,
  findKeyOfLicense,
  findLiveFile,
  insertFile,
  readCounter,
  readFile,
  updateEnvelopeCounter,
  updateFileCounter,
  updateRevoked
} from "../../../../src/services/licensing/offline/OfflineFileSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const device = yield* rows.device()
  const issue = Effect.fnUntraced(function*(valid_until: string) {
    const id = `ofl_${++made}`
    const [row] = yield* insertFile(first, {
      id,
      license_id: device.license_id,
      device_id: device.id,
      fingerprint_hash: "00",
      offline_counter: made,
      issued_at: "2026-01-31T10:00:00.000Z",
      valid_until
    })
    return readFile(row!)
  })
  return { ...workers, device, issue, rows }
})

const future = "2126-01-31T10:00:00.000Z"
const past = "2026-02-01T10:00:00.000Z"

describe("the statements of offline files", () => {
  layer(Workers.layer)((it) => {
    it.effect("a file is active until its time is over or it is revoked, and of its license alone", () =>
      Effect.gen(function*() {
        const { device, first, issue } = yield* world
        const [good, over] = [yield* issue(future), yield* issue(past)]
        assert.deepStrictEqual([good.status, over.status], ["active", "expired"])
        const status = (id: string, licenseId = device.license_id) =>
          Effect.map(findFile(first, licenseId, id), ([row]) => row && readFile(row).status)
        assert.deepStrictEqual([yield* status(good.id), yield* status(over.id)], ["active", "expired"])
        assert.isUndefined(yield* status(good.id, "lic_other"))
        assert.lengthOf(yield* updateRevoked(first, "lic_other", good.id), 0)
        for (const { id } of [good, over]) {
          assert.lengthOf(yield* updateRevoked(first, device.license_id, id), 1)
          assert.strictEqual(yield* status(id), "revoked")
          assert.lengthOf(yield* updateRevoked(first, device.license_id, id), 0, "once")
        }
      }))

    it.effect("a file is revoked once, also by two at once", () =>
      Effect.gen(function*() {
        const { device, first, issue, second, waiting } = yield* world
        const { id } = yield* issue(future)
        const [one, other] = yield* waiting(
          updateRevoked(first, device.license_id, id),
          updateRevoked(second, device.license_id, id)
        )
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))

    it.effect("a device can run on a file that is neither revoked nor over", () =>
      Effect.gen(function*() {
        const { device, first, issue, rows } = yield* world
        yield* issue(past)
        assert.lengthOf(yield* findLiveFile(first, device.id), 0)
        const { id } = yield* issue(future)
        assert.lengthOf(yield* findLiveFile(first, device.id), 1)
        assert.lengthOf(yield* findLiveFile(first, (yield* rows.device()).id), 0)
        yield* updateRevoked(first, device.license_id, id)
        assert.lengthOf(yield* findLiveFile(first, device.id), 0)
      }))

    it.effect("files and envelopes of a device have one counter, and only who fetches an envelope is seen", () =>
      Effect.gen(function*() {
        const { device, first, rows } = yield* world
        const other = yield* rows.device()
        yield* first`UPDATE devices SET last_seen_at = now() - interval '1 day' WHERE id IN (${device.id}, ${other.id})`
        const seen = (id: string) =>
          Effect.map(
            first<{ readonly seen: boolean }>`
              SELECT last_seen_at > now() - interval '1 hour' AS seen FROM devices WHERE id = ${id}`,
            ([row]) => row!.seen
          )
        const counted = (rows: ReadonlyArray<object>) => readCounter(rows[0]!).offline_counter
        assert.strictEqual(counted(yield* updateFileCounter(first, device.id)), 1)
        assert.isFalse(yield* seen(device.id))
        assert.strictEqual(counted(yield* updateEnvelopeCounter(first, device.id)), 2)
        assert.isTrue(yield* seen(device.id))
        assert.strictEqual(counted(yield* updateFileCounter(first, device.id)), 3)
        assert.isFalse(yield* seen(other.id))
        assert.strictEqual(counted(yield* updateEnvelopeCounter(first, other.id)), 1)
      }))

    it.effect("a key of a license is one that works: the one in use, or a replaced one until its end", () =>
      Effect.gen(function*() {
        const { device, first, rows } = yield* world
        const other = yield* rows.license()
        const key = (value: number) => new Uint8Array([42, value])
        yield* first`INSERT INTO license_keys (key_hash, license_id, expires_at) VALUES
          (${key(1)}, ${device.license_id}, NULL), (${key(2)}, ${device.license_id}, now() + interval '1 hour'),
          (${key(3)}, ${device.license_id}, now() - interval '1 second'), (${key(4)}, ${other}, NULL)`
        const found = yield* Effect.forEach(
          [1, 2, 3, 4, 5],
          (value) => findKeyOfLicense(first, device.license_id, key(value))
        )
        assert.deepStrictEqual(found.map((rows) => rows.length), [1, 1, 0, 0, 0])
      }))
  })
})
