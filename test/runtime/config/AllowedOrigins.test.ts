import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { allowedOrigins } from "../../../src/runtime/config/ConfigTable.ts"

const problem = (value: string): string => Result.getOrElse(Result.flip(allowedOrigins(value)), () => "nothing")

describe("allowedOrigins", () => {
  it.each([
    "https://app.example.com",
    "https://app.example.com:8443",
    "http://localhost:5173",
    "http://127.0.0.1:3000",
    "http://[::1]:8080",
    "https://xn--bcher-kva.example",
    "http://tauri.localhost",
    "tauri://localhost",
    "capacitor://localhost",
    "app://acme",
    "app://-",
    "com.acme.studio://app",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai",
    "null",
    "*"
  ])("takes %s", (origin) => {
    assert.deepStrictEqual(Result.getOrThrow(allowedOrigins(origin)), [origin])
  })

  it.each([
    "https://a.example,app://acme,null",
    " https://a.example , app://acme  null,",
    "https://a.example\napp://acme\nnull"
  ])(
    "takes several: %j",
    (value) => {
      assert.deepStrictEqual(Result.getOrThrow(allowedOrigins(value)), ["https://a.example", "app://acme", "null"])
    }
  )

  it.each([
    ["https://app.example.com/", "write https://app.example.com"],
    ["https://app.example.com:443", "write https://app.example.com"],
    ["http://localhost:80", "write http://localhost"],
    ["https://App.Example.com/login?x=1", "write https://app.example.com"],
    ["HTTPS://app.example.com", "write https://app.example.com"],
    ["https://bücher.example", "write https://xn--bcher-kva.example"],
    ["https://user:secret@app.example.com", "write https://app.example.com"],
    ["https://", "this is no URL"],
    ["https://app.example.com:65536", "this is no URL"],
    ["app.example.com", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["localhost:5173", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["app:acme", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["\"https://app.example.com\"", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["//app.example.com", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["Null", "begin with the scheme, as in https://app.example.com or http://localhost:5173"],
    ["https://*.example.com", "name each host: patterns are not supported"],
    ["*://app.example.com", "name each host: patterns are not supported"],
    ["file://", "pages of file:// have the origin null; use a custom scheme for the app"],
    ["file:///opt/acme/index.html", "pages of file:// have the origin null; use a custom scheme for the app"],
    ["wss://app.example.com", "pages have no origin of wss://"],
    ["App://Acme", "write app://acme"],
    ["app://acme/index.html", "write app://acme"],
    ["app://", "write scheme://host in lower case, as in app://acme"],
    ["app://acme%20studio", "write scheme://host in lower case, as in app://acme"]
  ])("refuses %s, and says: %s", (origin, cure) => {
    assert.strictEqual(
      problem(`https://a.example,${origin}`),
      `must be origins separated by commas, or * alone; wrong: "${origin}" (${cure})`
    )
  })

  it("takes * alone only, and names all that is wrong", () => {
    assert.strictEqual(
      problem("*, https://a.example"),
      "must be origins separated by commas, or * alone; wrong: \"*\" (use * alone, without other origins)"
    )
    assert.strictEqual(
      problem("https://A.example,https://b.example,app:b"),
      "must be origins separated by commas, or * alone; wrong: \"https://A.example\" (write https://a.example), " +
        "\"app:b\" (begin with the scheme, as in https://app.example.com or http://localhost:5173)"
    )
  })
})
