import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileStore, fingerprint, memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { appWithoutBrowser, CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import { idToken } from "../../fixtures/LicenseUsers.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { signInSecretsOf } from "../../fixtures/MailUsers.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { installedPython, lendingPython } from "../../fixtures/Python.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { atEnd } from "../../fixtures/Session.ts"

// The suite of clients/python is Python's own. It runs here against a service, and without one against the published vectors.
const place = join(root, "clients/python")
const python = installedPython ?? lendingPython
const unless = python === undefined
  ? " (left out: this machine has no Python 3.9)"
  : python.cryptography === "lent"
  ? " (with what the auditor lends, because this machine has no `cryptography`)"
  : ""

const run = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  given = python!,
  cwd = place
) => {
  const path = [join(place, "src"), given.env["PYTHONPATH"]].filter((entry) => entry !== undefined).join(":")
  const env = { ...given.env, PYTHONPATH: path, ...environment }
  return new Promise<{ readonly status: unknown; readonly said: string }>((resolve) =>
    execFile(
      given.command,
      args,
      { cwd, env, timeout: 590_000 },
      (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : error.code ?? error.signal, said: stdout + stderr })
    )
  )
}

/** Runs the suite, or the files of it with such names; answers how many tests ran and how many were left out. */
const suite = async (environment: Readonly<Record<string, string>>, given = python!, names = "test*.py") => {
  const discover = ["-W", "error", "-m", "unittest", "discover", "-s", "tests", "-p", names]
  const { said, status } = await run(discover, environment, given)
  assert.strictEqual(status, 0, said)
  const [, ran] = /^Ran (\d+) tests in/m.exec(said) ?? assert.fail(said)
  const [, skipped = "0"] = /^OK(?: \(skipped=(\d+)\))?$/m.exec(said) ?? assert.fail(said)
  return { ran: Number(ran), skipped: Number(skipped) }
}

describe.skipIf(python === undefined)(`the package for Python${unless}`, () => {
  let service: Service

  let mails: MailServer

  beforeAll(async () => {
    mails = await new MailServer().start()
    service = await startService({
      environment: { COUNTERSIGN_SMTP_URL: mails.url, COUNTERSIGN_MAIL_FROM: "licenses@acme.example" }
    })
  })

  it("does what it says with a running service", async () => {
    const provider = await new IdentityForge().open()
    const certified = await new CertifiedProvider().open()
    certified.serve("https://app.example/callback", { ada: {} }, { account: "ada", denies: false })
    const postbox = createServer(async ({ url = "" }, response) => {
      const [mail] = await mails.to(decodeURIComponent(url.split("?")[1] ?? ""))
      response.end(JSON.stringify(signInSecretsOf(mail!)))
    })
    atEnd(() => new Promise<void>((resolve) => postbox.close(() => resolve())))
    await new Promise<void>((resolve) => postbox.listen(0, "127.0.0.1", resolve))
    const { ran, skipped } = await suite({
      COUNTERSIGN_TEST_MAILS: `http://127.0.0.1:${(postbox.address() as AddressInfo).port}`,
      COUNTERSIGN_TEST_DEVICE_ISSUER: certified.issuer,
      COUNTERSIGN_TEST_DEVICE_CLIENT: appWithoutBrowser,
      COUNTERSIGN_TEST_URL: service.url,
      COUNTERSIGN_TEST_TOKEN: adminToken,
      COUNTERSIGN_TEST_ISSUER: provider.issuer,
      COUNTERSIGN_TEST_AUDIENCE: client.id,
      COUNTERSIGN_TEST_ID_TOKEN: idToken(provider, { sub: "ada", name: "Ada", nonce: "mine" })
    })
    assert.strictEqual(skipped, 0)
    assert.isAbove(ran, 35)
  })

  // With the package of the machine they are judged beside the running service, as all else is.
  it("judges the published vectors as they say with what the auditor lends, too, and without a service", async () => {
    const { ran, skipped } = await suite({}, lendingPython!, "test_[kv]e*.py")
    assert.isAbove(ran, 25)
    assert.strictEqual(skipped, 0)
  })

  it("has a first program that works as it stands", async () => {
    const [, program] = /^```python\n([^]*?)^```$/m.exec(readFileSync(join(place, "README.md"), "utf8")) ?? []
    const { key, license, product } = await service.issue()
    const environment = { COUNTERSIGN_URL: service.url, LICENSE_KEY: key, PRODUCT_CODE: product.code }
    const { said, status } = await run(["-c", program!], environment)
    assert.strictEqual(status, 0, said)
    assert.match(said, /^runs: active until 20\d\d-/)
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    const again = await run(["-c", program!], environment)
    assert.match(again.said, /^refused: LICENSE_INACTIVE http\S+\/docs\/errors\/LICENSE_INACTIVE$/m)
    const away = await run(["-c", program!.replace("product_code=", "max_retries=0, product_code=")], {
      ...environment,
      COUNTERSIGN_URL: "http://127.0.0.1:9"
    })
    assert.strictEqual(away.said.trim(), "the service cannot be reached: NETWORK_ERROR")
  })

  it("has a program for an app that works as it stands, also without the service", async () => {
    const [, program] = [...readFileSync(join(place, "README.md"), "utf8").matchAll(/^```python\n([^]*?)^```$/gm)]
      .map(([, code]) => code!)
    const { key, license, product } = await service.issue()
    const environment = { COUNTERSIGN_URL: service.url, LICENSE_KEY: key, PRODUCT_CODE: product.code }
    const cwd = temporaryDirectory()
    const { said, status } = await run(["-c", program!], environment, python!, cwd)
    assert.strictEqual(status, 0, said)
    assert.match(said, /^active confirmed 20\d\d-/m)
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    const again = await run(["-c", program!], environment, python!, cwd)
    assert.match(again.said, /^False Your license is suspended/m)
    assert.match(again.said, /^suspended suspended None$/m)
  })

  it("keeps a license as apps in JavaScript do, on a machine that both name alike", async () => {
    const { key, product } = await service.issue()
    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const path = join(temporaryDirectory(), "license")
    const program = (then: string) => `
import json, os
from countersign.app import FileStore, MemoryStore, fingerprint, open_license
given = json.loads(os.environ["GIVEN"])
named = fingerprint(given["code"], keep=MemoryStore(given["id"]))
license = open_license(given["url"], product_code=given["code"], public_keys=given["keys"], store=FileStore(given["path"]), fingerprint=named)
${then}
print(named, license.standing.state, license.standing.reason, license.standing.data["device_id"])`
    const id = "0123456789abcdef0123456789abcdef"
    const inPython = async (then: string, url = service.url) => {
      const given = JSON.stringify({ url, path, code: product.code, keys: publicKeys, id })
      const { said, status } = await run(["-c", program(then)], { GIVEN: given })
      assert.strictEqual(status, 0, said)
      return said.trim()
    }
    const named = await fingerprint({ productCode: product.code, keep: memoryStore(id) })
    const inJavaScript = (baseUrl: string) =>
      openLicense({ baseUrl, productCode: product.code, publicKeys, store: fileStore(path), fingerprint: named })
    const said = await inPython(`license.activate("${key}")`)
    const away = "http://127.0.0.1:9"
    const { data, reason, state } = (await inJavaScript(away)).standing
    assert.strictEqual(said, `${named} ${state} ${reason} ${String(data?.["device_id"])}`)
    await (await inJavaScript(service.url)).check()
    assert.strictEqual(await inPython("", away), said)
  })

  it("is written for Python 3.9", async () => {
    const parse = "import ast, pathlib\n" +
      "for path in pathlib.Path('src').rglob('*.py'): ast.parse(path.read_text('utf-8'), feature_version=(3, 9))"
    assert.deepStrictEqual(await run(["-c", parse]), { status: 0, said: "" })
    assert.include(readFileSync(join(place, "pyproject.toml"), "utf8"), `requires-python = ">=3.9"`)
  })
})
