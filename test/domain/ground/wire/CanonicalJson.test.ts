import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { spawnSync } from "node:child_process"
import type { Json } from "../../../../src/domain/ground/wire/CanonicalJson.ts"
import {
  canonicalJson,
  CanonicalJsonError,
  canonicalString,
  signedJson
} from "../../../../src/domain/ground/wire/CanonicalJson.ts"

const text = Arbitrary.map(Arbitrary.schema(Schema.String), (value) => value.toWellFormed())
const name = Arbitrary.schema(
  Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_-]{0,12}$/))
)

/** Signed data of some depth, made of what signedJson allows. */
const signed = (depth: number): Arbitrary.Arbitrary<Json> => {
  const leaf: Arbitrary.Arbitrary<Json> = Arbitrary.flatMap(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))),
    (kind): Arbitrary.Arbitrary<Json> =>
      kind === 0 ? text : kind === 1 ? Arbitrary.schema(Schema.Int) : Arbitrary.schema(Schema.Boolean)
  )
  if (depth === 0) return leaf
  const member = Arbitrary.flatMap(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))),
    (kind): Arbitrary.Arbitrary<Json> =>
      kind === 0 ? Arbitrary.array(signed(depth - 1), { maxLength: 3 }) : kind === 1 ? signed(depth - 1) : leaf
  )
  return Arbitrary.map(
    Arbitrary.array(Arbitrary.all([name, member]), { maxLength: 8 }),
    (entries) => Object.fromEntries(entries) as Json
  )
}

describe("canonicalJson", () => {
  it("writes the example of RFC 8785 section 3.2.2", () => {
    const value = JSON.parse(
      `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
        `"string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`
    )
    assert.strictEqual(
      canonicalJson(value),
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        `"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`
    )
  })

  it("sorts the names of RFC 8785 section 3.2.3 by UTF-16 code units", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"]
    const written = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))
    assert.strictEqual(written, `{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\u{1f600}":0,"\ufb33":0}`)
  })

  it("leaves undefined members out", () => {
    assert.strictEqual(canonicalJson({ b: 1, a: undefined }), `{"b":1}`)
  })

  it("fails with a typed error for what JSON cannot say", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    const wrongs = [
      Number.NaN,
      Infinity,
      "\ud800",
      { "\udc00": 1 },
      { a: ["x\ud800y"] },
      1n,
      { a: 1n },
      undefined,
      cycle
    ]
    for (const wrong of [...wrongs, () => 1]) assert.throws(() => canonicalJson(wrong), CanonicalJsonError)
  })
})

describe("canonicalString", () => {
  it.prop("writes a string as JSON.stringify does", [text], ([value]) => {
    assert.strictEqual(canonicalString(value), JSON.stringify(value))
  })

  it("escapes what must be escaped and refuses lone surrogates", () => {
    assert.strictEqual(canonicalString(`a"b\\c\nd\u007f€`), `"a\\"b\\\\c\\nd\u007f€"`)
    assert.throws(() => canonicalString("\ud800"), CanonicalJsonError)
  })
})

describe("signedJson", () => {
  it.prop("is RFC 8785 and survives parsing and writing in JavaScript", [signed(3)], ([value]) => {
    const written = signedJson(value)
    assert.strictEqual(written, canonicalJson(value))
    assert.strictEqual(JSON.stringify(JSON.parse(written)), written)
  })

  /** Reads lines of JSON and writes each again as that language's library does, members sorted and no spaces. */
  const languages: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    ["Python", ["python3", "-c", ""], [
      "python3",
      "-c",
      "import json,sys\n" +
      "lines=sys.stdin.buffer.read().decode('utf-8').split('\\n')\n" +
      "out='\\n'.join(json.dumps(json.loads(l),sort_keys=True,separators=(',',':'),ensure_ascii=False) for l in lines)\n" +
      "sys.stdout.buffer.write(out.encode('utf-8'))"
    ]],
    ["Perl", ["perl", "-MJSON::PP", "-e", ""], [
      "perl",
      "-MJSON::PP",
      "-e",
      "my $j = JSON::PP->new->canonical->utf8; local $/; " +
      "print join(qq{\\n}, map { $j->encode($j->decode($_)) } split(qr{\\n}, <STDIN>))"
    ]],
    ["jq", ["jq", "--version"], ["jq", "--compact-output", "--sort-keys", "--join-output", "., \"\\n\""]]
  ]
  /** As the runtime signs it: names and values of callers in printable ASCII, instants, counts and lists. */
  const answered = {
    nonce: "n-1 ~ #",
    count: Number.MAX_SAFE_INTEGER,
    low: Number.MIN_SAFE_INTEGER,
    zero: -0,
    ok: true,
    list: [[], {}],
    Z: 1,
    _a: "",
    "a-b": 2,
    aB: 3,
    a_b: 4,
    app_version: " !#$%'()*+,-./0123456789:;=?@AZ[]^_az{|}~",
    issued_at: "2026-11-21T10:30:00.000Z"
  }
  const unicode = "é€😀\u2028\u2029\ufeff\ufffd\uffff/<>&'"

  it.for(languages)("trap 10: survives parsing and writing in %s", ([language, probe, program], context) => {
    const [[asked = "", ...how], [command = "", ...given]] = [probe, program]
    if (spawnSync(asked, how).status !== 0) return context.skip(`${language} is not installed`)
    const samples = [
      answered,
      { unicode },
      // jq writes U+007F as an escape; what the runtime signs never has it.
      ...(language === "jq"
        ? []
        : [{ control: Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)).join("") }])
    ].map(signedJson)
    const written = spawnSync(command, given, { input: samples.join("\n"), encoding: "utf8" })
    assert.strictEqual(written.stderr, "")
    assert.deepStrictEqual(written.stdout.trimEnd().split("\n"), samples)
  })

  it("refuses, and names the place of, whatever another language would write differently", () => {
    const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`)
    const wrongs: ReadonlyArray<readonly [unknown, string]> = [
      [{ a: 1.5 }, "/a"],
      [{ a: 2 ** 53 }, "/a"],
      [{ a: Number.NaN }, "/a"],
      [{ a: null }, "/a"],
      [{ a: undefined }, "/a"],
      [{ list: [1, { b: 1n }] }, "/list/1/b"],
      [{ a: new Date(0) }, "/a"],
      [{ a: new Map() }, "/a"],
      [{ a: { "10": 1 } }, "/a"],
      [{ "": 1 }, ""],
      [{ é: 1 }, ""],
      [{ a: JSON.parse(`{"__proto__":1}`) }, "/a"],
      [deep, "/0".repeat(32)]
    ]
    for (const [wrong, path] of wrongs) {
      let thrown: unknown
      try {
        signedJson(wrong)
      } catch (error) {
        thrown = error
      }
      assert.instanceOf(thrown, CanonicalJsonError)
      assert.strictEqual(thrown.path, path)
    }
    assert.throws(() => signedJson({ a: "\ud800" }), CanonicalJsonError)
  })

  it("writes names in order, whatever names it has refused before", () => {
    assert.throws(() => signedJson({ "z,y": 1, x: 2 }), CanonicalJsonError)
    assert.strictEqual(signedJson({ z: 1, y: 2, x: 3 }), `{"x":3,"y":2,"z":1}`)
  })
})
