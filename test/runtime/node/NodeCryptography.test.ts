import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeCryptography from "../../../src/runtime/node/NodeCryptography.ts"
import { Cryptography } from "../../../src/services/ground/platform/Cryptography.ts"

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"))
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const empty = new Uint8Array(0)

layer(NodeCryptography.layer)("NodeCryptography", (it) => {
  it.effect("SHA-256: FIPS 180-2 appendix B.1", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      assert.strictEqual(toHex(crypto.sha256("abc")), digest)
      assert.strictEqual(crypto.sha256Hex("abc"), digest)
      assert.strictEqual(toHex(crypto.sha256(hex("616263"))), digest)
      assert.strictEqual(toHex(crypto.sha256("a", hex("6263"))), digest)
    }))

  it.effect("HMAC-SHA-256: RFC 4231 test case 2", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const mac = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      assert.strictEqual(toHex(crypto.hmacSha256("Jefe", "what do ya want for nothing?")), mac)
      assert.strictEqual(toHex(crypto.hmacSha256(hex("4a656665"), "what do ya want for nothing?")), mac)
    }))

  it.effect("HMAC-SHA-256: RFC 4231 test case 6, a key longer than a block", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const mac = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      const key = new Uint8Array(131).fill(0xaa)
      assert.strictEqual(toHex(crypto.hmacSha256(key, "Test Using Larger Than Block-Size Key - Hash Key First")), mac)
    }))

  it.effect("HKDF-SHA-256: RFC 5869 test cases 1 and 3", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const key = new Uint8Array(22).fill(0x0b)
      assert.strictEqual(
        toHex(crypto.hkdfSha256({
          key,
          salt: hex("000102030405060708090a0b0c"),
          info: hex("f0f1f2f3f4f5f6f7f8f9"),
          length: 42
        })),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      )
      assert.strictEqual(
        toHex(crypto.hkdfSha256({ key, salt: empty, info: empty, length: 42 })),
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
      )
    }))

  it.effect("AES-256-GCM: test case 16 of the GCM specification", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const options = {
        key: hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
        nonce: hex("cafebabefacedbaddecaf888"),
        aad: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
      }
      const plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525" +
          "b16aedf5aa0de657ba637b39"
      )
      const ciphertext = crypto.aes256GcmEncrypt({ ...options, plaintext })
      assert.strictEqual(
        toHex(ciphertext),
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838" +
          "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
      )
      assert.deepStrictEqual(crypto.aes256GcmDecrypt({ ...options, ciphertext }), plaintext)
      assert.isUndefined(crypto.aes256GcmDecrypt({ ...options, ciphertext, aad: empty }))
      assert.isUndefined(crypto.aes256GcmDecrypt({ ...options, ciphertext: ciphertext.subarray(0, 15) }))
      assert.isUndefined(crypto.aes256GcmDecrypt({ ...options, ciphertext: ciphertext.subarray(1) }))
    }))

  it.effect("Ed25519: RFC 8032 section 7.1 test 2", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
      const publicKey = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
      const message = hex("72")
      const signature = yield* crypto.ed25519Signer(seed)(message)
      assert.strictEqual(
        toHex(signature),
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c" +
          "387b2eaeb4302aeeb00d291612bb0c00"
      )
      assert.isTrue(crypto.ed25519Verify(publicKey, message, signature))
      assert.isFalse(crypto.ed25519Verify(publicKey, hex("73"), signature))
      assert.isFalse(crypto.ed25519Verify(publicKey, message, signature.subarray(1)))
      assert.isFalse(crypto.ed25519Verify(publicKey.subarray(1), message, signature))
      assert.throws(() => crypto.ed25519Signer(seed.subarray(1)), RangeError)
    }))

  it.effect("makes key pairs that sign and verify", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const [one, two] = [crypto.ed25519Generate(), crypto.ed25519Generate()]
      assert.lengthOf(one.privateKey, 32)
      assert.lengthOf(one.publicKey, 32)
      const signature = yield* crypto.ed25519Signer(one.privateKey)(empty)
      assert.isTrue(crypto.ed25519Verify(one.publicKey, empty, signature))
      assert.isFalse(crypto.ed25519Verify(two.publicKey, empty, signature))
    }))

  it.effect("compares and draws bytes", () =>
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      assert.isTrue(crypto.timingSafeEqual(hex("0102"), hex("0102")))
      assert.isFalse(crypto.timingSafeEqual(hex("0102"), hex("0103")))
      assert.isFalse(crypto.timingSafeEqual(hex("0102"), hex("01")))
      assert.lengthOf(crypto.randomBytes(20), 20)
      assert.notDeepEqual(crypto.randomBytes(20), crypto.randomBytes(20))
    }))
})
