import { assert, it } from "@effect/vitest"
import { promptFor } from "../../../src/runtime/node/OpenIdClient.ts"

it.each<readonly [issuer: string, known: ReadonlyArray<string> | undefined, prompt: string | undefined]>([
  ["https://accounts.google.com", undefined, "select_account"],
  ["https://login.microsoftonline.com/tenant/v2.0", undefined, "select_account"],
  ["https://accounts.google.com.evil.example", undefined, "login"],
  ["https://login.example.com", undefined, "login"],
  ["https://login.example.com", ["none", "login"], "login"],
  ["https://login.example.com", ["login", "select_account"], "select_account"],
  ["https://login.example.com", ["none"], undefined]
])("%s, which says that it knows %j, is asked for the account by %s", (issuer, known, prompt) => {
  const metadata = known === undefined ? { issuer } : { issuer, prompt_values_supported: [...known] }
  assert.strictEqual(promptFor(metadata), prompt)
})
