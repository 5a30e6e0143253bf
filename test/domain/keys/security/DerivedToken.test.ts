import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { isBootstrapToken } from "../../../../src/domain/keys/security/Credential.ts"
import { environmentOfCredential } from "../../../../src/domain/keys/security/CredentialHint.ts"
import { derivedBootstrapToken } from "../../../../src/domain/keys/security/DerivedToken.ts"

const tokenOf = (turn: number, fill = 7) =>
  derivedBootstrapToken({
    environment: "test",
    turn,
    masterKey: new Uint8Array(32).fill(fill),
    hmacSha256: (key, text) => createHmac("sha256", key).update(text).digest()
  })

describe("a derived admin token", () => {
  it("is the same wherever it is derived, another one with each turn and each key, and says its environment", () => {
    const tokens = [tokenOf(0), tokenOf(1), tokenOf(2), tokenOf(10), tokenOf(0, 8), tokenOf(1, 8)]
    assert.strictEqual(new Set(tokens).size, tokens.length)
    for (const token of tokens) {
      assert.isTrue(isBootstrapToken(token))
      assert.strictEqual(environmentOfCredential(token), "test")
    }
    // Nodes of a version before know it, too: what was derived stays valid over an upgrade.
    assert.strictEqual(
      tokenOf(0),
      `admin_test_${
        createHmac("sha256", new Uint8Array(32).fill(7)).update("bootstrap token of test").digest("base64url")
      }`
    )
  })
})
