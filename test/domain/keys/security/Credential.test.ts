import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { crc32 } from "node:zlib"
import { environmentOf } from "../../../../src/domain/ground/environments/Environment.ts"
import * as Crockford from "../../../../src/domain/ground/wire/Crockford.ts"
import * as Credential from "../../../../src/domain/keys/security/Credential.ts"
import { isGuessable } from "../../../../src/domain/keys/security/SecretFields.ts"

const bytes = (minimum: number, maximum = minimum) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), {
      minLength: minimum,
      maxLength: maximum
    }),
    (all) => Uint8Array.from(all)
  )

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const fromBase62 = (text: string) => [...text].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n)

describe("publishable keys", () => {
  it("carry a check that sees every typo", () => {
    const key = Credential.formatPublishableKey(new Uint8Array(16).fill(255))
    assert.match(key, /^cpk_[0-9A-Za-z]{28}$/)
    assert.isTrue(Credential.isPublishableKey(key))
    for (let index = 0; index < key.length; index++) {
      const other = key[index] === "x" ? "y" : "x"
      assert.isFalse(Credential.isPublishableKey(key.slice(0, index) + other + key.slice(index + 1)), `${index}`)
    }
    assert.isUndefined(Credential.parseLicenseKey(key))
    assert.throws(() => Credential.formatPublishableKey(new Uint8Array(15)), RangeError)
  })
})

describe("management tokens", () => {
  it.prop("carry 32 bytes and the CRC-32 of what stands before", [bytes(32)], ([random]) => {
    const token = Credential.formatManagementToken(random)
    assert.match(token, /^csk_[0-9A-Za-z]{49}$/)
    assert.strictEqual(fromBase62(token.slice(4, 47)), BigInt(`0x${Buffer.from(random).toString("hex")}`))
    assert.strictEqual(fromBase62(token.slice(47)), BigInt(crc32(token.slice(0, 47))))
    assert.isTrue(Credential.isManagementToken(token))
    assert.strictEqual(Credential.managementTokenPrefix(token), token.slice(0, 12))
  })

  it("are told from mistyped ones and from other texts", () => {
    const token = Credential.formatManagementToken(new Uint8Array(32).fill(255))
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === "x" ? "y" : "x"
      assert.isFalse(Credential.isManagementToken(token.slice(0, index) + other + token.slice(index + 1)), `${index}`)
    }
    for (const wrong of ["", "csk_", `${token}0`, `${token}\n`, token.slice(0, -1), token.toLowerCase()]) {
      assert.isFalse(Credential.isManagementToken(wrong), wrong)
    }
    assert.throws(() => Credential.formatManagementToken(new Uint8Array(31)), RangeError)
  })
})

describe("bootstrap tokens", () => {
  it.prop("that we make have a shape of their own, and are not guessable", [bytes(32)], ([random]) => {
    const token = Credential.formatBootstrapToken(random)
    assert.isTrue(Credential.isBootstrapToken(token))
    assert.isFalse(Credential.isManagementToken(token))
    for (const other of [token.slice(1), `${token}0`, token.replace("admin_", "ADMIN_")]) {
      assert.isFalse(Credential.isBootstrapToken(other))
    }
    // Of 2^256 tokens, those are made of one character that the property begins with.
    if (new Set(random).size > 8) assert.isFalse(isGuessable(token))
  })

  it("that somebody chose are guessable when they hardly vary", () => {
    const guessable = [
      "a".repeat(24),
      "ab".repeat(12),
      "admin-token-admin-token-",
      "password".repeat(3),
      "abcdefghijklmnopqrstuvwxyz",
      "zyxwvutsrqponmlkjihgfedcba0",
      "0123456789012345678901234567",
      "1".repeat(23) + "2"
    ]
    for (const token of guessable) assert.isTrue(isGuessable(token), token)
    const fair = [
      "a-bootstrap-token-of-the-tests-0123456789",
      "a-token-of-at-least-24-characters",
      "bench-token-0123456789abcdefghij",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c",
      "correct-horse-battery-staple"
    ]
    for (const token of fair) assert.isFalse(isGuessable(token), token)
  })
})

describe("license keys", () => {
  it.prop("are read back as they were written", [bytes(15)], ([random]) => {
    const key = Credential.formatLicenseKey(random)
    assert.match(key, /^CS(-[0-9A-HJKMNP-TV-Z]{5}){5}$/)
    assert.strictEqual(key.replaceAll("-", "").slice(2, 26), Crockford.encode(random))
    assert.strictEqual(Credential.parseLicenseKey(key), key)
    assert.strictEqual(Credential.licenseKeyPrefix(key), key.slice(0, 8))
    assert.strictEqual(Credential.licenseKeyLast4(key), key.slice(-4))
  })

  it.prop("show every wrong character and every swap of two characters", [bytes(15)], ([random]) => {
    const key = Credential.formatLicenseKey(random).replaceAll("-", "")
    for (let index = 2; index < key.length; index++) {
      for (const other of Crockford.alphabet) {
        if (other === key[index]) continue
        assert.isUndefined(Credential.parseLicenseKey(key.slice(0, index) + other + key.slice(index + 1)))
      }
      for (let next = index + 1; next < key.length; next++) {
        if (key[next] === key[index]) continue
        const swapped = key.slice(0, index) + key[next] + key.slice(index + 1, next) + key[index] + key.slice(next + 1)
        assert.isUndefined(Credential.parseLicenseKey(swapped), `${index} ${next}`)
      }
    }
  }, { arbitrary: { runs: 20 } })

  it("are random in all their characters but the last: a character that cannot vary would not show", () => {
    const seen = Array.from({ length: 25 }, () => new Set<string>())
    for (let run = 0; run < 2000; run++) {
      const key = Credential.formatLicenseKey(crypto.getRandomValues(new Uint8Array(15)))
      for (const [index, character] of [...key.slice(3).replaceAll("-", "")].entries()) seen[index]!.add(character)
    }
    for (const characters of seen) assert.strictEqual(characters.size, 32)
  })

  it("forgive how people type them", () => {
    // The bytes are chosen so that the key holds both 0 and 1.
    const key = Credential.formatLicenseKey(Uint8Array.from({ length: 15 }, (_, index) => index))
    assert.strictEqual(key, "CS-000G4-0R40M-30E20-9185G-R38ED")
    const forms = [
      key.toLowerCase(),
      key.replaceAll("-", ""),
      key.replaceAll("-", " "),
      ` ${key}\n`,
      key.replaceAll("-", "--"),
      key.replaceAll("-", "\u2013"),
      key.replaceAll("-", "\u2011"),
      key.replaceAll("0", "O"),
      key.replaceAll("0", "o"),
      key.replaceAll("1", "I"),
      key.replaceAll("1", "l"),
      key.replaceAll("1", "L").replaceAll("0", "o"),
      key.replace("CS", "cS")
    ]
    for (const form of forms) assert.strictEqual(Credential.parseLicenseKey(form), key, form)
  })

  const visible = Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 33, maximum: 126 }))), {
      minLength: 8,
      maxLength: 128
    }),
    (codes) => String.fromCharCode(...codes)
  )

  it.prop("of another system are read as they are, and hide twelve characters but for the last four", [visible], (
    [text]
  ) => {
    // A property would find such a text once in a million.
    const key = text.replace(/^(?:CS-|csk_|admin_)/i, (meant) => "x".repeat(meant.length))
    assert.strictEqual(Credential.parseLicenseKey(key), key)
    assert.strictEqual(Credential.parseLicenseKey(` ${key}\n`), key)
    const shown = Credential.licenseKeyPrefix(key)
    assert.isTrue(key.startsWith(shown))
    assert.strictEqual(shown.length, Math.max(0, Math.min(8, key.length - 12)))
  })

  it("refuse what cannot be one", () => {
    const key = Credential.formatLicenseKey(new Uint8Array(15))
    const wrongs = ["", "CS", key.slice(0, -1), `${key}0`, key.replace("0", "U"), `CS-${"0".repeat(24)}1`, "csk_12345"]
    for (const wrong of [...wrongs, key.replace("-", " ".repeat(4000)), key.replace("0", "é")]) {
      assert.isUndefined(Credential.parseLicenseKey(wrong), wrong)
    }
    assert.throws(() => Credential.formatLicenseKey(new Uint8Array(16)), RangeError)
  })
})

describe("credentials of the test environment", () => {
  it.prop("are told by their form, and read as they were made", [bytes(32)], ([random]) => {
    const made = [
      [Credential.formatManagementToken(random, "test"), /^csk_test_/, Credential.isManagementToken],
      [Credential.formatLimitedToken(random.slice(1), "test"), /^csk_test_z/, Credential.isLimitedToken],
      [Credential.formatResellerToken(random.slice(2), "test"), /^csk_test_zz/, Credential.isResellerToken],
      [Credential.formatPublishableKey(random.slice(16), "test"), /^cpk_test_/, Credential.isPublishableKey],
      [Credential.formatBootstrapToken(random, "test"), /^admin_test_/, Credential.isBootstrapToken]
    ] as const
    for (const [text, form, is] of made) {
      assert.match(text, form)
      assert.isTrue(is(text), text)
      assert.strictEqual(environmentOf(text), "test")
    }
    assert.isFalse(Credential.isLimitedToken(made[0][0]))
    assert.isFalse(Credential.isResellerToken(made[1][0]))
    // A version that knows no resellers looks for it among limited keys, under their hash.
    assert.isTrue(Credential.isLimitedToken(made[2][0]))
    assert.isFalse(Credential.isResellerToken(Credential.formatLimitedToken(new Uint8Array(31).fill(255))))
    assert.throws(() => Credential.formatResellerToken(random), RangeError)
    const key = Credential.formatLicenseKey(random.slice(0, 15), "test")
    assert.match(key, /^CST(-[0-9A-HJKMNP-TV-Z]{5}){5}$/)
    assert.strictEqual(environmentOf(key), "test")
    for (
      const typed of [key, key.toLowerCase(), key.replaceAll("-", ""), `Your key: ${key}.`, key.replaceAll("-", " ")]
    ) {
      assert.strictEqual(Credential.parseLicenseKey(typed), key, typed)
    }
  })

  it.prop("are mistyped without their mark, and so are those of live with it", [bytes(15)], ([random]) => {
    const test = Credential.formatLicenseKey(random, "test")
    const live = Credential.formatLicenseKey(random)
    assert.isUndefined(Credential.parseLicenseKey(test.replace("CST-", "CS-")))
    assert.isUndefined(Credential.parseLicenseKey(live.replace("CS-", "CST-")))
    assert.strictEqual(environmentOf(live), "live")
  })
})
