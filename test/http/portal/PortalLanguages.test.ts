// The language of the portal: chosen by a reader, kept by the browser, and else that of the customer.
import { assert, describe, it } from "@effect/vitest"
import { startService } from "../../fixtures/Service.ts"

const service = await startService({ environment: { COUNTERSIGN_PORTAL: "on" } })

const own = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" }

const ask = async (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  form?: Readonly<Record<string, string>>
) => {
  const response = await fetch(`${service.url}${path}`, {
    method: form === undefined ? "GET" : "POST",
    redirect: "manual",
    headers: form === undefined ? headers : { ...own, ...headers },
    ...form === undefined ? {} : { body: new URLSearchParams(form).toString() }
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const choose = (language: string, to: string, headers: Readonly<Record<string, string>> = {}) =>
  ask("/portal/language", headers, { language, to })

const cookieOf = (headers: Headers): string => headers.get("set-cookie")!.split(";")[0]!

describe("a language that is chosen", () => {
  it("is kept, leads back to the page, and goes before that of the browser", async () => {
    const { headers, status } = await choose("ja", "/portal/link?token=cpl_x", { "accept-language": "de" })
    assert.deepStrictEqual([status, headers.get("location")], [303, "/portal/link?token=cpl_x"])
    const cookie = cookieOf(headers)
    assert.strictEqual(cookie, "countersign-portal-language=ja")
    const shown = await ask("/portal", { cookie, "accept-language": "de" })
    assert.include(shown.text, `<html lang="ja">`)
    assert.include(shown.text, `<span aria-current="true">日本語</span>`)
    assert.include(shown.text, `<button class="plain" name="language" value="de" lang="de">Deutsch</button>`)
    const lost = await ask("/portal/link?token=cpl_x&a=%22b", { cookie })
    assert.include(lost.text, `name="to" value="/portal/link?token=cpl_x&amp;a=%22b"`)
  })

  it("is that of the customer until another is chosen, also on what answers a form", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { code: "acme", name: "Acme", language: "fr" })
    const { key, license } = await service.issue({
      policy: { self_service: true },
      license: { customer_id: customer.id }
    })
    const entered = await ask("/portal/sign-in", {}, { license_key: key })
    const session = cookieOf(entered.headers)
    const path = `/portal/licenses/${license.id}`
    assert.include((await ask(path, { cookie: session, "accept-language": "de" })).text, `<html lang="fr">`)
    const chosen = cookieOf((await choose("es", path)).headers)
    const cookie = `${session}; ${chosen}`
    assert.include((await ask(path, { cookie })).text, `<html lang="es">`)
    const renamed = await ask(`${path}/devices/none/name`, { cookie }, { name: "x" })
    assert.include(renamed.text, `name="to" value="${path}"`)
  })

  it("is none of another site, no other word, and leads nowhere else", async () => {
    assert.strictEqual((await choose("de", "/portal", { "sec-fetch-site": "cross-site" })).status, 401)
    const unknown = await choose("<b>", "/portal")
    assert.isNull(unknown.headers.get("set-cookie"))
    for (
      const to of [
        "https://evil.example/portal",
        "//evil.example/portal",
        "/portal/../console",
        "/console",
        "javascript:1",
        ""
      ]
    ) {
      assert.strictEqual((await choose("de", to)).headers.get("location"), "/portal", to)
    }
  })
})
