import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { load, settings } from "../../../src/runtime/config/Config.ts"

const read = (environment: Record<string, string>) =>
  load({ cwd: "/nonexistent", isRoot: false, isTerminal: false, variables: Object.keys(environment) }).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
      COUNTERSIGN_ADMIN_TOKEN: "0123456789-abcdefghij-KLMNOP",
      ...environment
    })))
  )

const whole = {
  COUNTERSIGN_OIDC_ISSUER: "https://login.example.com/realm/",
  COUNTERSIGN_OIDC_CLIENT_ID: "countersign",
  COUNTERSIGN_OIDC_CLIENT_SECRET: "hush-hush",
  COUNTERSIGN_OIDC_ROLES: "groups=admins:owner"
}

describe("the settings of the identity provider", () => {
  it.effect("know by the issuer which claims are omitted where they are empty, unless they are named", () =>
    Effect.gen(function*() {
      const emptyAt = (environment: Record<string, string>) =>
        Effect.map(read({ ...whole, ...environment }), ({ openIdConnect }) => openIdConnect?.emptyClaims)
      const keycloak = { COUNTERSIGN_OIDC_ISSUER: "https://sso.example.com/realms/acme" }
      assert.deepStrictEqual(yield* emptyAt({}), [])
      assert.deepStrictEqual(yield* emptyAt(keycloak), ["groups"])
      assert.deepStrictEqual(yield* emptyAt({ ...keycloak, COUNTERSIGN_OIDC_EMPTY_CLAIMS: "none" }), [])
      assert.deepStrictEqual(yield* emptyAt({ COUNTERSIGN_OIDC_EMPTY_CLAIMS: " groups " }), ["groups"])
      const signsOutThere = Effect.map(read(whole), ({ openIdConnect }) => openIdConnect?.signsOutThere)
      assert.isTrue(yield* signsOutThere)
    }))

  it.effect("are read as they are written", () =>
    Effect.gen(function*() {
      const { openIdConnect } = settings(yield* read(whole), 1)
      assert.deepInclude(openIdConnect, {
        issuer: "https://login.example.com/realm/",
        clientId: "countersign",
        rules: [{ claim: "groups", value: "admins", role: "owner" }]
      })
      assert.strictEqual(Redacted.value(openIdConnect!.clientSecret), "hush-hush")
      assert.isUndefined(settings(yield* read({}), 1).openIdConnect)
      const { COUNTERSIGN_OIDC_ROLES: _roles, ...without } = whole
      assert.deepStrictEqual(settings(yield* read(without), 1).openIdConnect?.rules, [])
      assert.isDefined((yield* read({ ...whole, COUNTERSIGN_OIDC_ISSUER: "http://127.0.0.1:9" })).openIdConnect)
    }))

  it.effect.each(
    [
      [
        { COUNTERSIGN_OIDC_ISSUER: "http://login.example.com" },
        "COUNTERSIGN_OIDC_ISSUER must be an absolute https URL"
      ],
      [{ COUNTERSIGN_OIDC_ISSUER: "https://login.example.com?a=b" }, "COUNTERSIGN_OIDC_ISSUER must"],
      [{ COUNTERSIGN_OIDC_ISSUER: "login.example.com" }, "COUNTERSIGN_OIDC_ISSUER must"],
      [{ COUNTERSIGN_OIDC_ISSUER: "" }, "COUNTERSIGN_OIDC_ROLES does nothing without COUNTERSIGN_OIDC_ISSUER"],
      [{ COUNTERSIGN_OIDC_CLIENT_ID: "" }, "COUNTERSIGN_OIDC_CLIENT_ID is required with COUNTERSIGN_OIDC_ISSUER"],
      [{ COUNTERSIGN_OIDC_CLIENT_ID: "a\u00e4" }, "COUNTERSIGN_OIDC_CLIENT_ID must be printable ASCII"],
      [
        { COUNTERSIGN_OIDC_CLIENT_SECRET: "" },
        "COUNTERSIGN_OIDC_CLIENT_SECRET is required with COUNTERSIGN_OIDC_ISSUER"
      ],
      [{ COUNTERSIGN_OIDC_CLIENT_SECRET: "hush-hush\u00e4" }, "COUNTERSIGN_OIDC_CLIENT_SECRET must be printable ASCII"],
      [{ COUNTERSIGN_OIDC_ROLES: "admins=owner" }, "COUNTERSIGN_OIDC_ROLES must be claim=value:role"],
      [{ COUNTERSIGN_OIDC_EMPTY_CLAIMS: "," }, "COUNTERSIGN_OIDC_EMPTY_CLAIMS must be names of claims"],
      [{ COUNTERSIGN_OIDC_EMPTY_CLAIMS: "roles" }, "COUNTERSIGN_OIDC_EMPTY_CLAIMS names roles, which no rule has"],
      [{ COUNTERSIGN_OIDC_SIGN_OUT: "nowhere" }, "COUNTERSIGN_OIDC_SIGN_OUT must be provider or service"],
      [{ COUNTERSIGN_OIDC_ROLES: "groups=admins:boss" }, "is neither a built-in role nor the ID of a role"]
    ] as const
  )("are refused in words: %j", ([changed, words]) =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(read({ ...whole, ...changed }))
      assert.include(message, words)
      assert.notInclude(message, "hush-hush")
    }))
})
