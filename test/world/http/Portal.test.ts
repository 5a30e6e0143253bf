// The portal of customers: how they get in, what they see and do there, and every way that must not lead in.
import { assert, describe, it } from "@effect/vitest"
import { decode } from "fast-png"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeQR } from "qr/decode.js"
import { verifyOffline } from "../../../src/client/verify/verifyOffline.ts"
import { qrCode } from "../../../src/http/portal/PortalOffline.ts"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

// Each caller comes from an address of its own, so that none is slowed down for what another one tried.
const environment = {
  COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8",
  COUNTERSIGN_LIMIT_FAILED_CREDENTIALS: "5",
  COUNTERSIGN_PORTAL: "on"
}
const service = await startService({ environment })
const closed = await startService({
  databaseUrl: service.databaseUrl,
  environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" }
})
const sql = await session(service.databaseUrl)

let callers = 0

type Headers = Readonly<Record<string, string>>

/** A request of a browser on a page of the portal. */
const ask = (method: string, path: string, headers: Headers = {}, form?: Headers | FormData): Promise<Response> =>
  fetch(`${service.url}/portal${path}`, {
    method,
    redirect: "manual",
    headers: {
      "x-forwarded-for": `198.51.${100 + (++callers >> 8)}.${callers & 255}`,
      "sec-fetch-site": "same-origin",
      ...headers
    },
    ...(form === undefined ? {} : { body: form instanceof FormData ? form : new URLSearchParams(form) })
  })

const signIn = (license_key: string, headers: Headers = {}) => ask("POST", "/sign-in", headers, { license_key })

const cookieOf = ({ headers }: Response): string => String(headers.get("set-cookie")).split(";")[0]!

const enter = async (key: string): Promise<Headers> => {
  const answer = await signIn(key)
  assert.strictEqual(answer.status, 303, await answer.text())
  return { cookie: cookieOf(answer) }
}

const withSelfService = (more: object = {}): Promise<Issued> =>
  service.issue({ policy: { max_activations: 3, self_service: true, ...more } })

/** The path of a license, behind that of the portal. */
const at = ({ license }: Pick<Issued, "license">): string => `/licenses/${license.id}`

const device = async ({ key }: Issued, hostname: string): Promise<string> =>
  (await service.license("activate", key, { fingerprint: hostname, hostname })).body.data.device_id

const page = async (headers: Headers, path = ""): Promise<string> => (await ask("GET", path, headers)).text()

/** Whether a page is that of somebody who is signed in. */
const isLicense = (html: string): boolean => html.includes("/portal/sign-out")

const eventOf = async (type: string, licenseId: string): Promise<Body> =>
  (await service.feed(`&event_type=${type}`)).findLast(({ data, resource_id }) =>
    data.license_id === licenseId || resource_id === licenseId
  )

/** The pixels of a screenshot, as a decoder of QR codes takes them. */
const pixelsOf = (png: Uint8Array) => {
  const { data, height, width } = decode(png)
  return { data: Uint8Array.from(data), height, width }
}

/** Opens a file, as the app on the machine "plant" does. */
const opensOnPlant = async ({ key, license }: Issued, envelope: string) => {
  const { data: publicKeys } = await (await fetch(`${service.url}/api/v1/system/public-keys`)).json()
  const opened = await verifyOffline({ envelope, licenseKey: key, fingerprint: "plant", publicKeys })
  assert.strictEqual(opened.data["license_id"], license.id)
}

describe("the portal", () => {
  it("is not there until it is switched on", async () => {
    for (const path of ["/portal", "/portal/portal.css"]) {
      assert.strictEqual((await fetch(closed.url + path)).status, 404)
    }
    const { id } = await service.data("POST", "/api/v1/customers", { code: "off", name: "Off", email: "o@example.com" })
    const off = [[closed, "The portal is off: COUNTERSIGN_PORTAL switches it on."], [service, "Mails are off"]] as const
    for (const [{ url }, reason] of off) {
      const refused = await runCommand(["portal", "link", id], { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: adminToken })
      assert.deepStrictEqual([refused.status, refused.output], [1, ""])
      assert.include(refused.errors, reason)
    }
  })

  it("loads nothing but its own style, runs no script and is in no frame", async () => {
    const answer = await ask("GET", "")
    const policy = answer.headers.get("content-security-policy")
    assert.include(policy, "default-src 'none'; script-src 'none'; style-src 'self'")
    assert.include(policy, "form-action 'self'; frame-ancestors 'none'")
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    const html = await answer.text()
    assert.notInclude(html, "<script")
    const loaded = html.length + (await (await ask("GET", "/portal.css")).text()).length
    assert.isBelow(loaded, 12_000)
  })

  it("speaks the language of the customer, else that of the browser", async () => {
    assert.include(await page({ "accept-language": "de-DE,en;q=0.5" }), "Lizenzschlüssel")
    assert.include(await page({ "accept-language": "ja" }), "<html lang=\"ja\">")
    const customer = await service.data("POST", "/api/v1/customers", { code: "ada", name: "Ada", language: "fr" })
    const { key } = await service.issue({ license: { customer_id: customer.id } })
    assert.include(await page({ ...(await enter(key)), "accept-language": "de" }), "La licence est active.")
  })
})

describe("a customer", () => {
  it("signs in by the license key, in a cookie that no script and no other site gets, and signs out", async () => {
    const { key, license } = await withSelfService()
    const answer = await signIn(` ${key.toLowerCase()} `)
    assert.match(
      String(answer.headers.get("set-cookie")),
      /^countersign-portal=csp_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/
    )
    const headers = { cookie: cookieOf(answer) }
    const html = await page(headers)
    assert.isTrue(isLicense(html))
    assert.include(html, `The key ends with ${license.license_key_last4}.`)
    assert.notInclude(html, key)
    const out = await ask("POST", "/sign-out", headers)
    assert.deepStrictEqual([out.status, out.headers.get("location")], [303, "/portal"])
    assert.isFalse(isLicense(await page(headers)))
  })

  it("is answered alike for a key that is unknown, mistyped, replaced or nothing", async () => {
    const { key, license } = await withSelfService()
    const other = await withSelfService()
    await service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, { overlap_minutes: 60 })
    assert.strictEqual((await service.license("activate", key, { fingerprint: "f" })).status, 200)
    const unknown = other.key.replace(/.$/, (last) => last === "0" ? "1" : "0")
    const answers = await Promise.all([key, unknown, "x", ""].map(async (text) => {
      const answer = await signIn(text)
      return { status: answer.status, cookie: answer.headers.get("set-cookie"), html: await answer.text() }
    }))
    for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
    assert.strictEqual(answers[0]!.status, 401)
    assert.isNull(answers[0]!.cookie)
  })

  it("cannot guess keys from one network: attempts are limited", async () => {
    const from = { "x-forwarded-for": "203.0.113.77" }
    const statuses: Array<number> = []
    for (let attempt = 0; attempt < 10; attempt++) statuses.push((await signIn("x", from)).status)
    assert.strictEqual(statuses.at(-1), 429)
    assert.isTrue(Number((await signIn("x", from)).headers.get("retry-after")) > 0)
  })

  it("is not signed in by a form of another site, nor changes anything from one", async () => {
    const issued = await withSelfService()
    const id = await device(issued, "studio")
    const headers = await enter(issued.key)
    for (const site of ["cross-site", "same-site", "none"]) {
      assert.strictEqual((await signIn(issued.key, { "sec-fetch-site": site })).status, 401)
      const released = await ask("POST", `${at(issued)}/devices/${id}/release`, { ...headers, "sec-fetch-site": site })
      assert.strictEqual(released.status, 401)
    }
    assert.include(await page(headers), "studio")
  })

  it("stays signed in until the session ends: by time, unused, or with the key", async () => {
    const { key, license } = await withSelfService()
    const aged = async (change: string): Promise<boolean> => {
      const headers = await enter(key)
      await sql.query(`UPDATE portal_sessions SET ${change} WHERE license_id = '${license.id}'`)
      return isLicense(await page(headers))
    }
    assert.isTrue(await aged("last_used_at = now() - interval '59 minutes'"))
    assert.isFalse(await aged("last_used_at = now() - interval '61 minutes'"))
    assert.isFalse(await aged("expires_at = now() - interval '1 second'"))
    const headers = await enter(key)
    await service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, { overlap_minutes: 60 })
    assert.isFalse(isLicense(await page(headers)))
    const stored = await sql.query(
      "SELECT count(*)::int AS n FROM portal_sessions WHERE token_hash::text LIKE '%csp_%'"
    )
    assert.deepStrictEqual(stored, [{ n: 0 }])
  })
})

describe("a customer with a browser", () => {
  it("goes through the portal by the keyboard alone, and every page of it is accessible", async () => {
    const issued = await withSelfService()
    await device(issued, "studio-with-a-name-that-is-longer-than-a-telephone-is-wide.example.com")
    const browser = await openBrowser()
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      colorScheme: "light",
      locale: "en-US"
    })
    // A photo of a code: askew, and with something around it.
    const folder = mkdtempSync(join(tmpdir(), "portal-"))
    const drawn = await (await browser.newContext({ viewport: { width: 600, height: 844 }, colorScheme: "light" }))
      .newPage()
    const html =
      `<body style="margin:0;padding:90px;background:#c9b79c"><div style="transform:perspective(900px) rotateY(24deg)
      rotateX(14deg) rotate(8deg);width:420px">${
        qrCode(JSON.stringify({ fingerprint: "plant", hostname: "plant-7" }), "request")
      }</div></body>`
    await drawn.goto(`data:text/html,${encodeURIComponent(html)}`)
    await drawn.screenshot({ path: join(folder, "photo.png") })
    await drawn.goto("data:text/html,nothing")
    await drawn.screenshot({ path: join(folder, "nothing.png") })
    await drawn.close()
    const shown = await context.newPage()
    const pressed = async (keys: ReadonlyArray<string>) => {
      for (const key of keys) await shown.keyboard.press(key)
    }
    const judged = async (name: string) => {
      for (const [colorScheme, width] of [["light", 390], ["dark", 1280]] as const) {
        await shown.setViewportSize({ width, height: 844 })
        await shown.emulateMedia({ colorScheme })
        assert.deepStrictEqual(await axeFindings(context, shown, ["minor", "moderate", "serious", "critical"]), [])
        assert.isTrue(await shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name}: too wide`)
        const folder = process.env["PORTAL_PICTURES"]
        if (folder !== undefined) await shown.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
      }
    }
    await shown.goto(`${service.url}/portal`)
    await judged("sign-in")
    await pressed(["Tab"])
    await shown.keyboard.type(issued.key)
    await pressed(["Enter"])
    await shown.getByRole("button", { name: /^Release studio/ }).waitFor()
    await judged("license")
    // Sign out, the button of the device, its name, and the way to the page of a machine without a network.
    await pressed(["Tab", "Tab", "Tab", "Tab", "Enter"])
    await shown.getByLabel("Request or fingerprint").waitFor()
    await judged("machine")
    const choose = (name: string) =>
      shown.locator("#request-photo").setInputFiles({
        name,
        mimeType: "image/png",
        buffer: readFileSync(join(folder, name))
      })
    await choose("nothing.png")
    await shown.getByText("No QR code was found").waitFor()
    await choose("photo.png")
    rmSync(folder, { recursive: true })
    await shown.getByText("The code was read into the field above.").waitFor()
    assert.deepStrictEqual(JSON.parse(await shown.locator("#request").inputValue()), {
      fingerprint: "plant",
      hostname: "plant-7"
    })
    await judged("photo")
    await shown.locator("#request").focus()
    // Two files, the name, and whose seat is taken.
    await pressed(["Tab", "Tab", "Tab", "Tab", "Tab"])
    await shown.keyboard.type(issued.key)
    await pressed(["Tab", "Tab", "Enter"])
    await shown.getByRole("img", { name: "QR code with the license for the machine" }).waitFor()
    await judged("code")
    // A camera of the machine sees the page of a phone, too.
    await shown.setViewportSize({ width: 390, height: 844 })
    await opensOnPlant(issued, decodeQR(pixelsOf(await shown.screenshot({ fullPage: true }))))
    // Sign out, the file, and the way back.
    await pressed(["Tab", "Tab", "Tab", "Enter"])
    await shown.getByRole("button", { name: /^Release studio/ }).waitFor()
    // Sign out, then the button of the first device, the machine.
    await pressed(["Tab", "Tab", "Enter"])
    await shown.getByRole("status").waitFor()
    await judged("released")
    // Sign out, the other device, its name, the page of a machine without a network, when the old key ends, and the button.
    await pressed(["Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Enter"])
    await shown.getByText("This is the new key.").waitFor()
    await judged("new-key")
    await pressed(["Tab", "Enter"])
    await shown.getByLabel("License key", { exact: true }).waitFor()
    await browser.close()
  })
})

describe("a license in the portal", () => {
  it("is shown with its state, its end, its devices and what was used of quotas", async () => {
    const issued = await withSelfService({ license_type: "subscription", grace_period_days: 0 })
    const { key, license } = issued
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { expires_at: "2031-05-01T00:00:00Z" })
    const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "Render",
      code: "render"
    })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 5000
    })
    await device(issued, "Büro <1>")
    for (const version of ["4.1", "4.2"]) {
      await service.data("POST", `/api/v1/products/${issued.product.id}/versions`, {
        version,
        released_at: "2026-02-03T00:00:00Z",
        links: version === "4.1" ? [] : [
          { label: "Windows <x64>", url: "https://downloads.example.com/?v=4.2&os=win", sha256: "ab".repeat(32) },
          { label: "Linux", url: "https://downloads.example.com/4.2" }
        ]
      })
    }
    await service.license("consume", key, {
      fingerprint: "Büro <1>",
      feature_code: "render",
      event_id: "one",
      amount: 1200
    })
    const html = await page(await enter(key))
    assert.include(html, "The license is active. Valid until May 1, 2031.")
    assert.include(html, "Seats in use: 1 of 3.")
    assert.include(html, "Büro &lt;1&gt;")
    assert.match(html, /Last seen [A-Z][a-z]{2} \d+, 20\d\d, \d+:\d\d.[AP]M UTC/)
    assert.include(html, "<td>1,200 of 5,000</td>")
    assert.match(html, /4\.2<[^]*released on February 3, 2026[^]*4\.1</)
    assert.include(
      html,
      "<a href=\"https://downloads.example.com/?v=4.2&amp;os=win\" aria-label=\"Windows &lt;x64&gt;, 4.2\">Windows &lt;x64&gt;</a>"
    )
    assert.include(html, `<code>${"ab".repeat(32)}</code>`)
    const perpetual = await withSelfService({ license_type: "perpetual" })
    await service.data("POST", `/api/v1/products/${perpetual.product.id}/versions`, {
      version: "5.0",
      released_at: "2026-02-03T00:00:00Z",
      links: [{ label: "Linux", url: "https://downloads.example.com/5.0" }]
    })
    const headers = await enter(perpetual.key)
    assert.include(await page(headers), "downloads.example.com/5.0")
    await service.data("PATCH", `/api/v1/licenses/${perpetual.license.id}`, {
      maintenance_expires_at: "2026-02-01T00:00:00Z"
    })
    assert.notInclude(await page(headers), "downloads.example.com")
  })

  it("has no devices and no changes where its policy allows no self-service", async () => {
    const { key, license } = await service.issue()
    const headers = await enter(key)
    const html = await page(headers)
    assert.include(html, "Ask the vendor")
    assert.notInclude(html, "/license-key")
    const last4 = license.license_key_last4
    const changed = await ask("POST", `${at({ license })}/license-key`, headers, { last4, old_key: "now" })
    assert.strictEqual(changed.status, 403)
  })

  it("gives a seat back once, as who has the key, within the limit of its policy", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { code: "grace", name: "Grace" })
    const issued = await service.issue({
      policy: { max_activations: 3, self_service: true, max_self_service_resets: 1 },
      license: { customer_id: customer.id }
    })
    const [a, b] = [await device(issued, "a"), await device(issued, "b")]
    const headers = await enter(issued.key)
    const release = async (id: string) => {
      const answer = await ask("POST", `${at(issued)}/devices/${id}/release`, headers)
      return { status: answer.status, html: await answer.text() }
    }
    const released = await release(a)
    assert.strictEqual(released.status, 200)
    assert.include(released.html, "<p role=\"status\">a was released.")
    assert.strictEqual((await release(a)).status, 200)
    const refused = await release(b)
    assert.strictEqual(refused.status, 403)
    assert.include(refused.html, "No more devices can be released at present.")
    const event = await eventOf("device.reset", issued.license.id)
    assert.deepInclude(event, { actor_type: "license_holder", actor_id: issued.license.id, resource_id: a })
    assert.deepInclude(event.metadata, { self_service: true, self_service_resets: 1 })
  })

  it("has its devices named by the customer: for support too, until it is another's", async () => {
    const [ada, next] = [
      await service.data("POST", "/api/v1/customers", { code: "named", name: "Ada" }),
      await service.data("POST", "/api/v1/customers", { code: "next", name: "Next" })
    ]
    const issued = await service.issue({
      policy: { max_activations: 3, self_service: true },
      license: { customer_id: ada.id }
    })
    const id = await device(issued, "dev-0815")
    const headers = await enter(issued.key)
    const named = (name: string) => ask("POST", `${at(issued)}/devices/${id}/name`, headers, { name })
    const answer = await named("Anna's <laptop> ")
    assert.strictEqual(answer.status, 200)
    assert.include(await answer.text(), "<p role=\"status\">The device is now called Anna's &lt;laptop&gt;.")
    assert.strictEqual((await named("Anna's <laptop>")).status, 200)
    for (const wrong of ["x".repeat(256), "\u200b"]) assert.strictEqual((await named(wrong)).status, 422)
    const path = `/api/v1/licenses/${issued.license.id}/devices`
    assert.strictEqual(await device(issued, "dev-0815"), id)
    const shown = await service.data("GET", `${path}?q=anna`)
    assert.deepInclude(shown[0], { id, name: "Anna's <laptop>", hostname: "dev-0815" })
    const { body: { data: own } } = await service.call("GET", "/api/v1/license/devices", { licenseKey: issued.key })
    assert.strictEqual(own[0].name, "Anna's <laptop>")
    const events = (await service.feed("&event_type=device.renamed")).filter(({ resource_id }) => resource_id === id)
    assert.lengthOf(events, 1)
    assert.deepInclude(events[0], { actor_type: "license_holder", actor_id: issued.license.id })
    assert.includeMembers(Object.keys(events[0].commitments), ["/data/name", "/data/hostname", "/ip_address"])
    const story = await service.data(
      "GET",
      `/api/v1/activities?license_id=${issued.license.id}&action=device.renamed&include_names=true`
    )
    assert.include(Object.values(story[0].names), "Anna's <laptop>")
    assert.strictEqual((await named("")).status, 200)
    assert.include(await page(headers), "<span>dev-0815</span>")
    await named("Anna's laptop")
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/transfer`, { customer_id: next.id }, {
      headers: { "idempotency-key": issued.license.id }
    })
    assert.notProperty((await service.data("GET", path))[0], "name")
    await service.data("POST", `/api/v1/customers/${ada.id}/erase`)
    assert.notInclude(JSON.stringify(await service.feed("&event_type=device.renamed")), "Anna")
    const kept = await sql.query(
      "SELECT personal FROM event_records WHERE resource_id = $1 AND actor_type = 'license_holder'",
      [
        id
      ]
    )
    assert.deepStrictEqual([...new Set(kept.map(({ personal }) => personal))], [null], "the network went with the rest")
  })

  it("gets a new key once for a page that is sent twice; the old one works for a day, or ends at once", async () => {
    const { key, license } = await withSelfService()
    const works = async (text: string) =>
      (await service.license("activate", text, { fingerprint: "machine" })).status === 200
    const headers = await enter(key)
    const tabs = await enter(key)
    const path = `${at({ license })}/license-key`
    const form = { last4: license.license_key_last4, old_key: "day" }
    const changed = await ask("POST", path, headers, form)
    const [, newKey = ""] = /<p class="key">([^<]+)</.exec(await changed.text()) ?? []
    assert.isTrue(await works(key))
    assert.isTrue(await works(newKey))
    const goesOn = { cookie: cookieOf(changed) }
    assert.isTrue(isLicense(await page(goesOn)))
    assert.isFalse(isLicense(await page(headers)))
    assert.isFalse(isLicense(await page(tabs)))
    assert.strictEqual((await ask("POST", path, goesOn, form)).status, 409)
    assert.strictEqual((await ask("POST", path, goesOn, { ...form, old_key: "never" })).status, 422)
    const event = await eventOf("license.key_rotated", license.id)
    assert.deepInclude(event, { actor_type: "license_holder", actor_id: license.id })
    const last = await ask("POST", path, goesOn, { last4: newKey.slice(-4), old_key: "now" })
    assert.strictEqual(last.status, 200)
    assert.isFalse(await works(key))
    assert.isFalse(await works(newKey))
  })

  it("is named by its route in metrics, and never by what a caller wrote", async () => {
    const { license } = await withSelfService()
    await ask("GET", at({ license }))
    await ask("GET", "/nothing/of/it")
    const { text } = await service.call("GET", "/metrics")
    assert.include(text, "http_route=\"/portal/licenses/{license_id}\"")
    assert.notInclude(text, "/portal/nothing")
  })

  it("is changed by nobody who is signed in to another one: its devices are not found", async () => {
    const [mine, theirs] = [await withSelfService(), await withSelfService()]
    const id = await device(theirs, "theirs")
    const headers = await enter(mine.key)
    assert.strictEqual((await ask("POST", `${at(mine)}/devices/${id}/release`, headers)).status, 404)
    assert.strictEqual((await ask("POST", `${at(mine)}/devices/dev_0/release`, headers)).status, 404)
    assert.strictEqual((await ask("POST", `${at(theirs)}/devices/${id}/release`, headers)).status, 404)
    assert.strictEqual((await ask("GET", at(theirs), headers)).status, 404)
    const last4 = theirs.license.license_key_last4
    for (const path of [at(mine), at(theirs)]) {
      const changed = await ask("POST", `${path}/license-key`, headers, { last4, old_key: "now" })
      assert.strictEqual(changed.status, path === at(mine) ? 409 : 404)
    }
    assert.include(await page(await enter(theirs.key)), "theirs")
  })
})

describe("a machine without a network", () => {
  const plant = { allow_offline_activation: true, max_activations: 1, offline_grace_days: 30 }
  const fields = (form: Headers): FormData => {
    const data = new FormData()
    for (const [name, value] of Object.entries({ request: "", as: "file", ...form })) data.append(name, value)
    return data
  }
  const file = (issued: Issued, headers: Headers, form: FormData) =>
    ask("POST", `${at(issued)}/offline-files`, headers, form)

  it("gets a file that opens with the license key, where the policy allows it", async () => {
    const issued = await withSelfService(plant)
    const { key } = issued
    const headers = await enter(key)
    const other = await withSelfService()
    const wrong = await file(issued, headers, fields({ request: "plant", license_key: other.key }))
    assert.strictEqual(wrong.status, 422)
    assert.include(await wrong.text(), "This is not the key of this license.")
    const given = await file(issued, headers, fields({ request: "plant", hostname: "plant-3", license_key: key }))
    assert.match(String(given.headers.get("content-disposition")), /^attachment; filename="[\w.-]+\.lic"$/)
    const { device_id } = JSON.parse(await given.text())
    const event = await eventOf("offline_file.issued", issued.license.id)
    assert.deepInclude(event, { actor_type: "license_holder", actor_id: issued.license.id })
    assert.strictEqual(event.data.device_id, device_id)
    assert.include(await page(headers), "plant-3")
    const full = await file(issued, headers, fields({ request: "another", license_key: key }))
    assert.strictEqual(full.status, 403)
    assert.include(await full.text(), "Every seat is in use.")
    const without = await withSelfService({ allow_offline_activation: false })
    const none = await enter(without.key)
    assert.notInclude(await page(none), "/offline-files")
    assert.strictEqual((await ask("GET", `${at(without)}/offline-files`, none)).status, 403)
    assert.strictEqual((await file(without, none, fields({ request: "plant", license_key: without.key }))).status, 403)
  })

  it("is asked for by a request that is pasted or in a file; what is none is told on the page of the form", async () => {
    const issued = await withSelfService({ ...plant, max_activations: 2 })
    const { key, license } = issued
    const headers = await enter(key)
    const pasted = JSON.stringify({ fingerprint: "mill-1", hostname: "mill", os: "linux", more: [1] })
    assert.strictEqual((await file(issued, headers, fields({ request: ` ${pasted} `, license_key: key }))).status, 200)
    const withFile = (content: string | Uint8Array<ArrayBuffer>): FormData => {
      const form = fields({ license_key: key })
      form.append("request_file", new File([content], "mill.json"))
      return form
    }
    const uploaded = await file(issued, headers, withFile(`\uFEFF${JSON.stringify({ fingerprint: "mill-2" })}\r\n`))
    assert.strictEqual(uploaded.status, 200)
    const devices = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    assert.deepInclude(devices.find(({ hostname }: Body) => hostname === "mill"), { os: "linux" })
    const bad = [
      fields({ license_key: key }),
      fields({ request: "{\"hostname\": \"x\"}", license_key: key }),
      fields({ request: "x".repeat(300), license_key: key }),
      fields({ request: "plant", license_key: key, as: "mail" }),
      withFile("x".repeat(100_000)),
      withFile(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff))
    ]
    for (const form of bad) {
      const answer = await file(issued, headers, form)
      assert.strictEqual(answer.status, 422)
      assert.include(await answer.text(), "This is not a valid request.")
    }
    const asText = await ask("POST", `${at(issued)}/offline-files`, headers, { request: "plant", license_key: key })
    assert.strictEqual(asText.status, 422)
  })

  it("takes the seat of another device when none is free, as a release within the limit, or neither is done", async () => {
    const issued = await withSelfService({ ...plant, max_self_service_resets: 1 })
    const { key, license } = issued
    const old = await device(issued, "old")
    const headers = await enter(key)
    assert.include(await page(headers, `${at(issued)}/offline-files`), `<option value="${old}">old</option>`)
    const taking = (request: string, take_seat_of: string, license_key = key) =>
      file(issued, headers, fields({ request, take_seat_of, license_key }))
    const other = await withSelfService()
    assert.strictEqual((await taking("new", old, other.key)).status, 422)
    assert.strictEqual((await taking("new", await device(other, "theirs"))).status, 404)
    assert.include(await page(headers), "old")
    assert.strictEqual((await taking("new", old)).status, 200)
    assert.notInclude(await page(headers), "Release old")
    const event = await eventOf("device.reset", license.id)
    assert.deepInclude(event, { actor_type: "license_holder", resource_id: old })
    assert.deepInclude(event.metadata, { self_service: true, self_service_resets: 1 })
    const machines = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    const refused = await taking("third", machines.find(({ status }: Body) => status === "active").id)
    assert.strictEqual(refused.status, 403)
    assert.include(await refused.text(), "No more devices can be released at present.")
  })

  it("gets a QR code, and the same file as a link, or the file alone where it is too long for a camera", async () => {
    const issued = await withSelfService(plant)
    const headers = await enter(issued.key)
    const code = async () => {
      const answer = await file(issued, headers, fields({ request: "plant", license_key: issued.key, as: "code" }))
      assert.strictEqual(answer.status, 200)
      assert.notInclude(String(answer.headers.get("content-security-policy")), "script-src 'self'")
      const html = await answer.text()
      const [, content = ""] = /href="data:application\/octet-stream;base64,([^"]+)"/.exec(html) ?? []
      return { html, envelope: Buffer.from(content, "base64").toString() }
    }
    const { envelope, html } = await code()
    assert.include(html, "<svg class=\"qr\" role=\"img\"")
    await opensOnPlant(issued, envelope)
    for (let n = 0; n < 8; n++) {
      const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
        name: `Feature ${n}`,
        code: `feature-with-a-long-code-${n}-${"x".repeat(60)}`
      })
      await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: feature.id })
    }
    const long = await code()
    assert.notInclude(long.html, "<svg")
    assert.include(long.html, "too long for a code")
    assert.include(long.html, "Save as a file")
  })
})
