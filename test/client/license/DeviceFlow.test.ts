import { assert, it } from "@effect/vitest"
import { startDeviceFlow } from "../../../src/client/license/DeviceFlow.ts"
import type { AppClock } from "../../../src/client/license/Store.ts"

const issuer = "https://login.example.com"

const description = {
  issuer,
  device_authorization_endpoint: `${issuer}/device`,
  token_endpoint: `${issuer}/token`
}
const begun = {
  device_code: "secret",
  user_code: "ABCD-EFGH",
  verification_uri: `${issuer}/activate`,
  verification_uri_complete: `${issuer}/activate?user_code=ABCD-EFGH`,
  expires_in: 600
}
const pending = { error: "authorization_pending" }

/** What a provider answers: members, with 200 or with 400 where they have an error; or nothing. */
type Said = object | "away" | "broken"

/** A provider that answers as it is told, and a clock that passes by waiting alone; both keep account. */
const scripted = (
  answers: { readonly about?: object; readonly device?: object; readonly tokens?: ReadonlyArray<Said> }
) => {
  const waited: Array<number> = []
  const sent: Array<string> = []
  const tokens = [...answers.tokens ?? []]
  const clock: AppClock = {
    now: () => 0,
    monotonic: () => waited.reduce((sum, ms) => sum + ms, 0),
    after: (ms, action) => {
      waited.push(ms)
      const timer = setImmediate(action)
      return () => clearImmediate(timer)
    }
  }
  const reply = (said: Said): Response => {
    if (said === "away") throw new TypeError("fetch failed")
    if (said === "broken") return new Response("<html>", { status: 502 })
    return Response.json(said, { status: "error" in said ? 400 : 200 })
  }
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const path = String(input).slice(issuer.length)
    if (init?.body instanceof URLSearchParams) sent.push(`${path} ${init.body.toString()}`)
    if (path.startsWith("/.well-known")) return reply({ ...description, ...answers.about })
    return reply(path === "/device" ? { ...begun, ...answers.device } : tokens.shift() ?? pending)
  }
  const start = () => startDeviceFlow({ clock, send }, { issuer, clientId: "app", scope: "openid" })
  return { sent, start, waited }
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => "done", (error: unknown) => (error as { readonly code?: unknown }).code)

it("a sign-in by another device asks as the provider says, slower when told, or until it answers again, and takes the ID token", async () => {
  const { sent, start, waited } = scripted({
    tokens: [pending, { error: "slow_down" }, "away", "broken", pending, { id_token: "e.y.J" }]
  })
  const { idToken, shown } = await start()
  assert.deepStrictEqual(shown, {
    userCode: "ABCD-EFGH",
    verificationUri: `${issuer}/activate`,
    verificationUriComplete: `${issuer}/activate?user_code=ABCD-EFGH`
  })
  assert.strictEqual(await idToken(undefined), "e.y.J")
  assert.deepStrictEqual(waited.map((ms) => ms / 1000), [5, 5, 10, 20, 40, 10])
  assert.deepStrictEqual(sent.slice(0, 2), [
    "/device client_id=app&scope=openid",
    "/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=secret&client_id=app"
  ])
})

it("a sign-in by another device ends when it is refused, too late, or given up", async () => {
  const ends = async (tokens: ReadonlyArray<Said>, device = {}) => {
    const { start, waited } = scripted({ tokens, device })
    const code = await codeOf((await start()).idToken(undefined))
    return [code, waited.length]
  }
  assert.deepStrictEqual(await ends([pending, { error: "access_denied" }]), ["SIGN_IN_DENIED", 2])
  assert.deepStrictEqual(await ends([{ error: "expired_token" }]), ["SIGN_IN_EXPIRED", 1])
  assert.deepStrictEqual(await ends([{ error: "invalid_grant" }]), ["SIGN_IN_FAILED", 1])
  const noSecret = { error: "invalid_request", error_description: "client_secret is missing." }
  assert.deepStrictEqual(await ends([noSecret]), ["SIGN_IN_UNSUPPORTED", 1])
  assert.deepStrictEqual(await ends([{ error: "invalid_client" }]), ["SIGN_IN_UNSUPPORTED", 1])
  assert.deepStrictEqual(await ends([{ access_token: "without openid" }]), ["SIGN_IN_FAILED", 1])
  assert.deepStrictEqual(await ends([], { expires_in: 60 }), ["SIGN_IN_EXPIRED", 12])
  // However long a provider says that it is, and however often it is to be asked.
  assert.deepStrictEqual(await ends([], { expires_in: 1e9, interval: 3600 }), ["SIGN_IN_EXPIRED", 30])
  assert.deepStrictEqual(await ends([], { expires_in: 20, interval: 0 }), ["SIGN_IN_EXPIRED", 20])
  const { start } = scripted({})
  const { idToken } = await start()
  const stopped = AbortSignal.abort(Object.assign(new Error("closed"), { code: "closed" }))
  assert.strictEqual(await codeOf(idToken(stopped)), "closed")
})

it("a provider that names its page by a draft of the standard is used, and one that wants a secret is said to", async () => {
  const { verification_uri: verification_url, ...named } = begun
  const { shown } = await scripted({ device: { ...named, verification_uri: undefined, verification_url } }).start()
  assert.strictEqual(shown.verificationUri, `${issuer}/activate`)
  const refusal = await scripted({ device: { error: "invalid_client" } }).start().then(() => "", String)
  assert.include(refusal, "wants a client secret, which no app can keep")
})

it.each([
  ["a page of a draft that is a script", {
    device: { verification_uri: undefined, verification_url: "javascript:alert(1)" }
  }],
  ["no sign-in of this kind", { about: { device_authorization_endpoint: undefined } }, "SIGN_IN_UNSUPPORTED"],
  ["no such client", { device: { error: "unauthorized_client" } }, "SIGN_IN_UNSUPPORTED"],
  ["the description of another issuer", { about: { issuer: "https://other.example.com" } }],
  ["tokens without TLS", { about: { token_endpoint: "http://login.example.com/token" } }],
  ["a page that is a script", { device: { verification_uri: "javascript:alert(1)" } }],
  ["a code that writes on terminals", { device: { user_code: "AB\u001b[2JCD" } }],
  ["no end", { device: { expires_in: "soon" } }]
])("a provider with %s is not used", async (_, answers, code = "IDENTITY_PROVIDER_UNAVAILABLE") => {
  assert.strictEqual(await codeOf(scripted(answers).start()), code)
})
