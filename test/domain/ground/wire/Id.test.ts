import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Crockford from "../../../../src/domain/ground/wire/Crockford.ts"
import * as Id from "../../../../src/domain/ground/wire/Id.ts"

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const randomBytes = Arbitrary.map(
  Arbitrary.array(byte, { minLength: 10, maxLength: 10 }),
  (all) => Uint8Array.from(all)
)
const millis = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 })))

/** Reads the 26 characters back as the 32 hex digits of the UUID. */
const uuidOf = (id: string): string => {
  let value = 0n
  for (const character of id.slice(id.indexOf("_") + 1).toUpperCase()) {
    value = value * 32n + BigInt(Crockford.alphabet.indexOf(character))
  }
  return value.toString(16).padStart(32, "0")
}

describe("Id.encode", () => {
  it("writes the UUIDv7 of RFC 9562 appendix A.6", () => {
    // 017F22E2-79B0-7CC3-98C4-DC0C0C07398F
    const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
    const id = Id.encode("lic", 0x017f22e279b0, random)
    assert.strictEqual(uuidOf(id), "017f22e279b07cc398c4dc0c0c07398f")
    assert.strictEqual(id, "lic_01fwhe4ydgfk1shh6w1g60eecf")
  })

  it.prop("keeps time and randomness, and sets version and variant", [millis, randomBytes], ([at, random]) => {
    const uuid = uuidOf(Id.encode("evt", at, random))
    assert.strictEqual(Number.parseInt(uuid.slice(0, 12), 16), at)
    assert.strictEqual(uuid[12], "7")
    assert.strictEqual(Number.parseInt(uuid[16]!, 16) >> 2, 0b10)
    assert.strictEqual(Number.parseInt(uuid.slice(13, 16), 16), ((random[0]! & 15) << 8) | random[1]!)
    assert.strictEqual(uuid.slice(18), Buffer.from(random.subarray(3)).toString("hex"))
  })

  it.prop("sorts by time", [millis, millis, randomBytes, randomBytes], ([a, b, first, second]) => {
    const before = Id.encode("evt", a, first)
    const after = Id.encode("evt", b, second)
    if (a !== b) assert.strictEqual(a < b, before < after)
  })

  it("refuses times and randomness of the wrong size", () => {
    for (const at of [-1, 0.5, 2 ** 48, Number.NaN]) {
      assert.throws(() => Id.encode("lic", at, new Uint8Array(10)), RangeError)
    }
    assert.throws(() => Id.encode("lic", 0, new Uint8Array(9)), RangeError)
  })
})

describe("Id.generator", () => {
  it("sorts in the order of creation within a millisecond, past a full counter, and when the clock goes back", () => {
    const clock = [1000, 1000, 1001, 990, 1002]
    let index = 0
    const make = Id.generator(
      () => clock[Math.floor(index++ / 5000)] ?? 1003,
      (count) => crypto.getRandomValues(new Uint8Array(count))
    )
    const made = Array.from({ length: 26_000 }, () => make("evt"))
    assert.strictEqual(new Set(made).size, made.length)
    assert.deepStrictEqual(made.toSorted(), made)
  })

  it("seeds the counter with its top bit clear and leaves the caller's bytes alone", () => {
    const sources: Array<Uint8Array> = []
    const make = Id.generator(() => 5.9, (count) => sources[sources.push(new Uint8Array(count).fill(255)) - 1]!)
    assert.strictEqual(uuidOf(make("lic")).slice(0, 16), "00000000000577ff")
    assert.strictEqual(uuidOf(make("lic")).slice(0, 16), "0000000000057800")
    for (const source of sources) assert.isTrue(source.every((byte) => byte === 255))
  })

  it("uses no random byte twice", () => {
    let fill = 0
    const make = Id.generator(() => 1, (count) => Uint8Array.from({ length: count }, () => fill++ % 251))
    const tails = Array.from({ length: 200 }, () => uuidOf(make("evt")).slice(18))
    assert.strictEqual(new Set(tails).size, 200)
  })
})

describe("Id.schema", () => {
  it("takes ids of its type only", () => {
    const id = Id.encode("cus", 1_700_000_000_000, new Uint8Array(10))
    assert.isTrue(Id.is("cus", id))
    assert.strictEqual(Schema.decodeSync(Id.schema("cus"))(id), id)
    for (
      const wrong of [
        id.replace("cus", "lic"),
        `${id}0`,
        id.slice(0, -1),
        id.toUpperCase(),
        `${id}\n`,
        "",
        `${id.slice(0, -1)}u`
      ]
    ) {
      assert.isFalse(Id.is("cus", wrong), wrong)
      assert.throws(() => Schema.decodeSync(Id.schema("cus"))(wrong))
    }
    // A first character above 7 would be more than 128 bits.
    assert.isFalse(Id.is("cus", `cus_8${id.slice(5)}`))
  })

  it("shows its name, pattern and a valid example in JSON Schema, one instance per type", () => {
    assert.lengthOf(Id.types, 36)
    for (const type of Id.types) {
      assert.strictEqual(Id.schema(type), Id.schema(type))
      const document = Schema.toJsonSchemaDocument(Id.schema(type))
      const [definition] = Object.values(document.definitions)
      assert.deepStrictEqual(definition?.["pattern"] ?? JSON.stringify(document), Id.pattern(type).source)
      const examples = definition?.["examples"] as ReadonlyArray<string>
      assert.isTrue(Id.is(type, examples[0]!))
    }
  })
})
