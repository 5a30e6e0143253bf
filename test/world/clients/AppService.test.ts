import { assert, beforeAll, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { hostname } from "node:os"
import { join } from "node:path"
import type { AppClock, LicenseOptions, LicenseView, PublicKey } from "../../../src/client/app/index.ts"
import { fileStore, memoryStore, openLicense } from "../../../src/client/app/index.ts"
import { verifyReceipt } from "../../../src/client/verify/index.ts"
import { day, virtualClock } from "../../fixtures/AppVendor.ts"
import { appWithoutBrowser, CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { hostileProxy } from "../../fixtures/HostileProxy.ts"
import { client, IdentityForge } from "../../fixtures/IdentityForge.ts"
import { idToken } from "../../fixtures/LicenseUsers.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { launch, temporaryDirectory } from "../../fixtures/Program.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const mails = await new MailServer().start()
const service = await startService({
  altered: ["lease expires_at"],
  environment: { COUNTERSIGN_SMTP_URL: mails.url, COUNTERSIGN_MAIL_FROM: "licenses@acme.example" }
})
const proxy = await hostileProxy(service.url)
const directory = temporaryDirectory()
let publicKeys: ReadonlyArray<PublicKey>

beforeAll(async () => {
  publicKeys = await service.data("GET", "/api/v1/system/public-keys")
})

let machines = 0

/** A license, a machine with its file and its clock, and what opens the app on it. */
const place = async (given: Parameters<typeof service.issue>[0] = {}) => {
  const issued = await service.issue(given)
  const path = join(directory, `machine-${++machines}`, "license")
  const clock = virtualClock(Date.now())
  const options: LicenseOptions = {
    baseUrl: proxy.url,
    productCode: issued.product.code,
    publicKeys,
    store: fileStore(path),
    fingerprint: `machine-${machines}`,
    clock,
    transport: { maxRetries: 0 }
  }
  const open = (more: Partial<LicenseOptions> = {}) => openLicense({ ...options, store: fileStore(path), ...more })
  return { ...issued, clock, open, options, path }
}

const short = ({ mayRun, reason, state }: LicenseView) => `${state} ${reason} ${mayRun ? "runs" : "stops"}`
const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => "done", (error: unknown) => (error as { readonly code?: unknown }).code)

/** Gives a license a metered feature. */
const metered = async ({ license, product }: { readonly license: Body; readonly product: Body }, quota: number) => {
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Export",
    code: "export"
  })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
    feature_id: feature.id,
    max_consumptions: quota
  })
}

const consumedOf = async (license: Body): Promise<number> =>
  (await service.data("GET", `/api/v1/licenses/${license.id}`)).total_consumptions

describe("an app whose license is for people", () => {
  it("runs for the person who is signed in, with a floating seat too, until the person is removed", async () => {
    const provider = await new IdentityForge().open()
    const { key, license, open } = await place({
      policy: { max_users: 1, max_activations: 3, max_floating_users: 1 },
      license: { trusted_issuer: { issuer: provider.issuer, audience: client.id, admits: "anyone" } }
    })
    const app = await open()
    assert.strictEqual(await codeOf(app.activate(key)), "USER_SIGN_IN_REQUIRED")
    assert.strictEqual(short(app.standing), "unlicensed user_required stops")
    const token = (nonce?: string) => idToken(provider, { sub: "ada", name: "Ada", nonce })
    assert.strictEqual(
      await codeOf(app.signInUser({ idToken: token("theirs"), nonce: "mine", licenseKey: key })),
      "ID_TOKEN_INVALID"
    )
    assert.strictEqual(
      short(await app.signInUser({ idToken: token("mine"), nonce: "mine", licenseKey: key })),
      "active confirmed runs"
    )
    assert.strictEqual(app.user?.name, "Ada")
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
    const guest = await open({ store: memoryStore(), fingerprint: "guest" })
    assert.strictEqual(
      await codeOf(guest.signInUser({ idToken: idToken(provider, { sub: "bob" }), licenseKey: key })),
      "USER_LIMIT_EXCEEDED"
    )
    assert.strictEqual(short(guest.standing), "unlicensed no_license stops")
    const floating = await open({ store: memoryStore(), fingerprint: "floating" })
    await floating.signInUser({ idToken: token(), licenseKey: key, activate: false })
    assert.strictEqual(short(await floating.acquire()), "active confirmed runs")
    assert.strictEqual(short(await floating.check()), "active confirmed runs")
    const [user] = await service.data("GET", `/api/v1/licenses/${license.id}/users`)
    await service.data("POST", `/api/v1/licenses/${license.id}/users/${user.id}/remove`, {})
    assert.strictEqual(short(await app.check()), "unlicensed user_required stops")
    assert.strictEqual(await codeOf(app.signInUser({ idToken: token() })), "USER_NOT_ALLOWED")
  })
})

describe("an app on a device more than its person may have", () => {
  it("knows who signed in, lists the person's devices, and takes the seat of one", async () => {
    const provider = await new IdentityForge().open()
    const { key, open } = await place({
      policy: { max_users: 2, max_activations: 3, max_devices_per_user: 1, self_service: true },
      license: { trusted_issuer: { issuer: provider.issuer, audience: client.id, admits: "anyone" } }
    })
    const signsIn = { idToken: idToken(provider, { sub: "ada", name: "Ada" }), licenseKey: key }
    const old = await open()
    await old.signInUser(signsIn)
    const bobs = await open({ store: memoryStore(), fingerprint: "bob" })
    await bobs.signInUser({ idToken: idToken(provider, { sub: "bob" }), licenseKey: key })
    const fresh = await open({ store: memoryStore(), fingerprint: "fresh" })
    assert.strictEqual(await codeOf(fresh.signInUser(signsIn)), "USER_DEVICE_LIMIT_EXCEEDED")
    const [device, ...others] = await fresh.devices()
    assert.lengthOf(others, 0)
    assert.strictEqual(short(await fresh.takeSeat(device!)), "active confirmed runs")
    assert.strictEqual(fresh.user?.name, "Ada")
    assert.strictEqual(short(await old.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await bobs.check()), "active confirmed runs")
  })
})

describe("an app whose people have no identity provider", () => {
  it("signs a person in by the code of a mail, and renews that by itself", async () => {
    const { clock, key, license, open } = await place({ policy: { max_users: 1, max_activations: 3 } })
    const path = `/api/v1/licenses/${license.id}/users`
    const { id } = await service.data("POST", path, { email: "kit@example.com" })
    const app = await open()
    const prompt = await app.startMailSignIn({ email: "Kit@example.com", licenseKey: key })
    const raw = (await mails.to("kit@example.com"))[0]!.raw.replaceAll("=\r\n", "")
    assert.include(raw, prompt.reference)
    const [code = ""] = /\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/.exec(raw) ?? []
    assert.strictEqual(await codeOf(prompt.finish({ code: "0000-0000" })), "MAILBOX_NOT_PROVEN")
    assert.strictEqual(short(await prompt.finish({ code })), "active confirmed runs")
    const { renewal } = app.user!
    assert.match(renewal!.token, /^csr_/)
    await clock.pass(day - 60_000)
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    assert.isAbove(app.user!.renewal!.at, renewal!.at)
    await service.data("POST", `${path}/${id}/remove`, {})
    assert.strictEqual(short(await app.check()), "unlicensed user_required stops")
  })
})

describe("an app without a browser", () => {
  /** Waits a hundredth as long. */
  const hurried = (): AppClock => ({
    now: () => Date.now(),
    monotonic: () => performance.now() * 100,
    after: (ms, action) => {
      const timer = setTimeout(action, ms / 100)
      return () => clearTimeout(timer)
    }
  })
  const certified = async (denies: boolean) => {
    const provider = await new CertifiedProvider().open()
    provider.serve("https://app.example/callback", { ada: {} }, { account: "ada", denies })
    return provider
  }
  const trusting = (issuer: string) => ({
    policy: { max_users: 1 },
    license: { trusted_issuer: { issuer, audience: appWithoutBrowser, admits: "anyone" } }
  })

  it("has a person sign in by another device at a certified provider, and may be refused there", async () => {
    const { key, license, open } = await place(trusting((await certified(false)).issuer))
    const app = await open({ clock: hurried() })
    const prompt = await app.startUserSignIn({ licenseKey: key })
    assert.match(prompt.userCode, /^[A-Z]{4}-[A-Z]{4}$/)
    assert.include(prompt.verificationUriComplete, prompt.userCode)
    assert.isAbove(prompt.expiresAt.getTime(), Date.now())
    assert.strictEqual(short(await prompt.finish()), "active confirmed runs")
    const [user] = await service.data("GET", `/api/v1/licenses/${license.id}/users`)
    assert.strictEqual(user.subject, "ada")
    const denied = await place(trusting((await certified(true)).issuer))
    const refusing = await (await denied.open({ clock: hurried() })).startUserSignIn({ licenseKey: denied.key })
    assert.strictEqual(await codeOf(refusing.finish()), "SIGN_IN_DENIED")
  })

  it("is told where the identity provider has no such sign-in, or the license no identity provider", async () => {
    const { issuer } = await new IdentityForge().open()
    const { key, open } = await place(trusting(issuer))
    assert.strictEqual(await codeOf((await open()).startUserSignIn({ licenseKey: key })), "SIGN_IN_UNSUPPORTED")
    const without = await place({ policy: { max_users: 1 } })
    const asked = (await without.open()).startUserSignIn({ licenseKey: without.key })
    assert.strictEqual(await codeOf(asked), "USER_NOT_ALLOWED")
  })
})

describe("an app whose license has no free seat", () => {
  const selfService = { max_activations: 1, self_service: true, max_self_service_resets: 2 }

  it("lists the devices that have one, by name, and takes the seat that a person chooses; that device stays out", async () => {
    const { key, open } = await place({ policy: selfService })
    const old = await open({ device: { app_version: "1" } })
    await old.activate(key)
    const fresh = await open({ store: memoryStore(), fingerprint: "fresh", device: { hostname: "new laptop" } })
    assert.strictEqual(await codeOf(fresh.devices()), "NO_LICENSE")
    assert.strictEqual(await codeOf(fresh.activate(`License key: ${key}.`)), "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(short(fresh.standing), "over-limit no_free_seat stops")
    const [device, ...others] = await fresh.devices()
    assert.lengthOf(others, 0)
    assert.deepInclude(device, { name: hostname(), kind: "hardware", isThis: false })
    assert.isAtMost(Math.abs(device!.lastSeenAt.getTime() - Date.now()), 600_000)
    assert.strictEqual(short(await fresh.takeSeat(device!)), "active confirmed runs")
    assert.strictEqual(short(await old.check()), "unlicensed device_released stops")
    assert.deepStrictEqual(
      (await fresh.devices()).map(({ isThis, name }) => ({ isThis, name })),
      [{ isThis: true, name: "new laptop" }]
    )
    // By hand it comes back, and then nobody's may be taken any more.
    assert.strictEqual(await codeOf(old.activate(key)), "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(short(await old.takeSeat((await old.devices())[0]!.id)), "active confirmed runs")
    assert.strictEqual(short(await fresh.check()), "unlicensed device_released stops")
    const [back] = await fresh.devices()
    assert.strictEqual(await codeOf(fresh.takeSeat(back!)), "SELF_SERVICE_LIMIT_EXCEEDED")
  })

  it("is told where the terms leave that to the vendor", async () => {
    const { key, open } = await place({ policy: { max_activations: 1 } })
    await (await open()).activate(key)
    const fresh = await open({ store: memoryStore(), fingerprint: "fresh" })
    assert.strictEqual(await codeOf(fresh.activate(key)), "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(await codeOf(fresh.devices()), "SELF_SERVICE_NOT_ALLOWED")
  })

  it("lists all of many, without a name where the app tells none", async () => {
    const { key, open } = await place({ policy: { ...selfService, max_activations: 104 } })
    const app = await open({ nameDevice: false })
    await app.activate(key)
    for (let device = 0; device < 103; device++) {
      const answer = await service.license("activate", key, { fingerprint: `device-${device}`, hostname: `d${device}` })
      assert.strictEqual(answer.status, 200, answer.text)
    }
    const devices = await app.devices()
    assert.lengthOf(devices, 104)
    assert.deepStrictEqual(devices.filter(({ isThis }) => isThis).map(({ name }) => name), [undefined])
    assert.lengthOf(new Set(devices.map(({ id }) => id)), 104)
  })

  it("calls what is no list of the service what it is", async () => {
    const { key, open } = await place({ policy: selfService })
    const app = await open()
    await app.activate(key)
    proxy.next({ status: 200, body: "<html>Please log in</html>" })
    assert.strictEqual(await codeOf(app.devices()), "INVALID_ANSWER")
    proxy.next("drop")
    assert.strictEqual(await codeOf(app.devices()), "NETWORK_ERROR")
  })
})

describe("an app and the service, behind a network that comes and goes", () => {
  it("runs, survives the loss of the service, and stops when the license is revoked", async () => {
    const { clock, key, license, open } = await place()
    const app = await open()
    assert.strictEqual(short(await app.activate(key)), "active confirmed runs")
    proxy.next("drop", { status: 403 }, { status: 502 })
    for (let time = 0; time < 3; time++) assert.strictEqual(short(await app.check()), "active confirmed runs")
    await clock.pass(3 * day)
    proxy.next("drop")
    assert.strictEqual(short(await app.check()), "grace unreachable runs")
    assert.strictEqual(short((await open()).standing), "grace unreachable runs")
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    assert.strictEqual(short(await app.check()), "suspended suspended stops")
    await service.data("POST", `/api/v1/licenses/${license.id}/reinstate`)
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    assert.strictEqual(short(await app.check()), "revoked revoked stops")
    proxy.next("drop")
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
  })

  it("goes on behind what takes its key away, leads elsewhere, or refuses by itself, also without a network later", async () => {
    const { clock, key, license, open } = await place()
    await (await open()).activate(key)
    const refusal = { error: { code: "LICENSE_INACTIVE", message: "", detail: "revoked" }, meta: {} }
    const interposed = createServer(({ headers, url = "" }, response) => {
      const fate = headers["x-fate"]
      if (fate === "redirect") {
        const location = `${service.url.replace("127.0.0.1", "localhost")}${url}`
        response.writeHead(308, { location }).end()
      } else if (fate === "refuse") {
        response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify(refusal))
      } else {
        const authorization = fate === "strip" ? "" : "Basic YTpi"
        void fetch(`${service.url}${url}`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization },
          body: JSON.stringify({ fingerprint: "x" })
        }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      }
    })
    interposed.listen(0, "127.0.0.1")
    await once(interposed, "listening")
    const { port } = interposed.address() as AddressInfo
    try {
      for (const fate of ["strip", "replace", "redirect", "refuse"]) {
        const app = await open({
          baseUrl: `http://127.0.0.1:${port}`,
          transport: { maxRetries: 0, headers: { "x-fate": fate } }
        })
        const standing = await app.check()
        assert.strictEqual(short(standing), "active confirmed runs", fate)
        assert.include(["LICENSE_KEY_INVALID", "LICENSE_INACTIVE", "NETWORK_ERROR"], standing.error?.code)
        proxy.next("drop")
        assert.strictEqual(short(await (await open()).check()), "active confirmed runs", fate)
      }
    } finally {
      interposed.close()
    }
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
    await clock.pass(day)
    proxy.next("drop")
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
  })

  it("takes one seat, and gives it back", async () => {
    const { key, open } = await place({ policy: { max_activations: 1 } })
    const other = await place()
    const app = await open()
    await app.activate(key)
    assert.strictEqual(
      await codeOf((await open({ store: fileStore(`${other.path}-2`), fingerprint: "x" })).activate(key)),
      "ACTIVATION_LIMIT_EXCEEDED"
    )
    assert.strictEqual(await codeOf((await other.open()).activate(key)), "PRODUCT_MISMATCH")
    await app.deactivate()
    assert.strictEqual(short((await open()).standing), "unlicensed given_back stops")
    assert.strictEqual(short(await app.activate(key)), "active confirmed runs")
  })

  it("leaves the seat that a person took from it to the next machine, until its key is typed anew", async () => {
    const { key, license, open, path } = await place({ policy: { max_activations: 1 } })
    const app = await open()
    await app.activate(key)
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    await service.data("POST", `/api/v1/licenses/${license.id}/devices/${device.id}/reset`)
    assert.strictEqual(short(await app.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await (await open()).check()), "unlicensed device_released stops")
    const laptop = await open({ store: fileStore(`${path}-laptop`), fingerprint: "laptop" })
    assert.strictEqual(short(await laptop.activate(key)), "active confirmed runs")
    await laptop.deactivate()
    assert.strictEqual(short(await app.activate(key)), "active confirmed runs")
  })

  it("trusts a key of the service that it does not ship, as one fetched from this machine", async () => {
    const { key, open } = await place()
    const app = await open()
    await app.activate(key)
    await service.data("POST", "/api/v1/signing-keys/rotate")
    const standing = await app.check()
    assert.isUndefined(standing.error)
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
    assert.strictEqual((await (await open({ keyRotation: "pinned" })).check()).error?.code, "unknown_key")
  })
})

describe("uses", () => {
  it("count once, whatever becomes of their answers", async () => {
    const issued = await place()
    await metered(issued, 10)
    const app = await issued.open()
    await app.activate(issued.key)
    assert.deepInclude(await app.consume("export", 2), { state: "counted" })
    proxy.next("lose")
    assert.deepInclude(await app.consume("export", 3, "use-3", { model: "large" }), { state: "pending" })
    proxy.next("drop")
    assert.deepInclude(await app.consume("export", 4, "use-4", { model: "small" }), { state: "pending" })
    assert.strictEqual(await consumedOf(issued.license), 5)
    await (await issued.open()).check()
    await app.check()
    assert.strictEqual(await consumedOf(issued.license), 9)
    const ledger = await service.data("GET", `/api/v1/reports/usage-ledger?license_id=${issued.license.id}`)
    assert.deepStrictEqual(ledger.map((use: Body) => use["dimensions"]), [
      { model: "small" },
      { model: "large" },
      undefined
    ])
    assert.strictEqual(await codeOf(app.consume("export", 2)), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(app.standing.data?.["status"], "active")
    assert.strictEqual(app.feature("export")?.remaining, 1)
  })

  it("are refunded by the service alone, as the terms of the license say", async () => {
    const issued = await place({ policy: { refund_window_minutes: 5 } })
    await metered(issued, 10)
    const app = await issued.open()
    await app.activate(issued.key)
    proxy.next("drop")
    assert.deepInclude(await app.consume("export", 4, "job"), { state: "pending" })
    proxy.next("drop")
    assert.strictEqual(await codeOf(app.refund("export", "job")), "NETWORK_ERROR")
    // The use that waits is sent before.
    assert.deepStrictEqual(await app.refund("export", "job", "1"), { eventId: "job", amount: 1, refunded: 1 })
    assert.deepInclude(await app.refund("export", "job"), { amount: 3, refunded: 4 })
    assert.strictEqual(app.feature("export")?.remaining, 10)
    assert.strictEqual(await codeOf(app.refund("export", "job")), "STATE_CONFLICT")
    assert.strictEqual(await codeOf(app.refund("export", "none")), "NOT_FOUND")
    assert.strictEqual(await codeOf(app.receipt("none")), "NOT_FOUND")
    const receipt = await eventually("a checkpoint covers the use", async () => {
      const found = await app.receipt("job", "export").then((one) => one, String)
      if (typeof found === "string") assert.match(found, /checkpoint/)
      return typeof found === "string" ? undefined : found
    })
    assert.strictEqual(receipt.eventId, "job")
    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const again = await verifyReceipt({ receipt: receipt.text, publicKeys, expected: { eventId: "job" } })
    assert.deepStrictEqual(again.event, receipt.event)
    await service.data("PATCH", `/api/v1/policies/${issued.policy.id}`, { refund_window_minutes: null })
    assert.strictEqual(await codeOf(app.refund("export", "job")), "REFUND_NOT_ALLOWED")
    assert.strictEqual(short(app.standing), "active confirmed runs")
  })

  it.each(["hang", "lose"] as const)(
    "count once where the app is killed before it hears of them (%s)",
    async (fate) => {
      const issued = await place()
      await metered(issued, 10)
      await (await issued.open()).activate(issued.key)
      const { fingerprint, productCode } = issued.options
      const program = `
      import { fileStore, openLicense } from ${
        JSON.stringify(join(import.meta.dirname, "../../../src/client/app/index.ts"))
      }
      const { path, ...options } = JSON.parse(process.env.OPTIONS)
      const license = await openLicense({ ...options, store: fileStore(path), transport: { maxRetries: 0 } })
      await license.consume("export", 2).catch(() => {})
      setInterval(() => {}, 1000)`
      const from = proxy.seen.length
      proxy.next(fate)
      const child = launch(["--input-type=module", "-e", program], {
        OPTIONS: JSON.stringify({ baseUrl: proxy.url, path: issued.path, fingerprint, productCode, publicKeys })
      })
      await eventually("the use was sent", () => proxy.seen.length > from)
      await child.kill()
      const license = await issued.open()
      await license.check()
      assert.strictEqual(await consumedOf(issued.license), 2)
      await license.check()
      assert.strictEqual(await consumedOf(issued.license), 2)
    }
  )
})

describe("without a network", () => {
  const terms = { policy: { allow_offline_activation: true, offline_grace_days: 30 } }

  it("the app runs by its envelope, on its own machine, until that is too old", async () => {
    const { clock, key, open, path } = await place(terms)
    const app = await open({ graceDays: 0 })
    await app.activate(key)
    await app.goOffline()
    await app.goOffline()
    const away = { graceDays: 0, baseUrl: "http://127.0.0.1:1" }
    await clock.pass(20 * day)
    assert.strictEqual(short((await open(away)).standing), "offline offline_envelope runs")
    const offline = await (await open(away)).check()
    assert.strictEqual(short(offline), "offline offline_envelope runs")
    assert.isAbove(offline.until!.getTime(), clock.truth() + 9 * day)
    const copied = await open({ ...away, store: fileStore(path), fingerprint: "another" })
    assert.strictEqual(short(copied.standing), "unlicensed other_device stops")
    await clock.pass(11 * day)
    assert.strictEqual(short(await (await open(away)).check()), "expired grace_over stops")
  })

  it("is refused where the terms do not allow it, and the license goes on", async () => {
    const { key, open } = await place({ policy: { allow_offline_activation: false } })
    const app = await open()
    await app.activate(key)
    assert.strictEqual(await codeOf(app.goOffline()), "OFFLINE_NOT_ALLOWED")
    assert.strictEqual(short(await app.check()), "active confirmed runs")
  })
})

describe("floating seats", () => {
  const terms = { policy: { max_floating_users: 1, floating_timeout_minutes: 10 } }
  const minute = 60_000

  it("are taken, kept by heartbeats, shared by windows, and given back", async () => {
    const { clock, key, open, path } = await place(terms)
    const app = await open()
    assert.strictEqual(short(await app.acquire(key)), "active confirmed runs")
    const rival = await open({ store: fileStore(`${path}-2`), fingerprint: "rival" })
    assert.strictEqual(await codeOf(rival.acquire(key)), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(short(rival.standing), "over-limit no_floating_seat stops")
    const beats = () => proxy.seen.filter(({ url }) => url.endsWith("/heartbeat")).length
    const before = beats()
    const stop = app.watch()
    for (let step = 0; step < 4; step++) await clock.pass(5 * minute)
    stop()
    assert.isAtLeast(beats() - before, 3)
    const window = await open()
    assert.strictEqual(short(await window.acquire()), "active confirmed runs")
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    await app.release()
    assert.strictEqual(await codeOf(rival.acquire(key)), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(short(await window.release()), "unlicensed given_back stops")
    assert.strictEqual(short(await rival.acquire(key)), "active confirmed runs")
    assert.strictEqual(await codeOf(app.acquire()), "FLOATING_LIMIT_EXCEEDED")
  })

  it("are of each process where the terms say so, and it has a name", async () => {
    const { key, license, open } = await place({ policy: { max_floating_users: 2, lease_unit: "process" } })
    const [one, two, three] = [
      await open({ processId: "one" }),
      await open({ processId: "two" }),
      await open({ processId: "three" })
    ]
    assert.strictEqual(short(await one.acquire(key)), "active confirmed runs")
    assert.strictEqual(short(await two.acquire(key)), "active confirmed runs")
    const live = (): Promise<Array<Body>> => service.data("GET", `/api/v1/licenses/${license.id}/leases?is_live=true`)
    assert.sameMembers((await live()).map(({ process_id }) => process_id), ["one", "two"])
    // One that has none stops none that has.
    assert.strictEqual(await codeOf(three.acquire()), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(short(three.standing), "over-limit no_floating_seat stops")
    for (const app of [one, two, one]) assert.strictEqual(short(await app.check()), "active confirmed runs")
    assert.strictEqual(short(await three.check()), "over-limit no_floating_seat stops")
    // The same name has its seat back, as after a crash.
    assert.strictEqual(short(await (await open({ processId: "one" })).check()), "active confirmed runs")
    assert.strictEqual(short(await one.release()), "unlicensed given_back stops")
    assert.strictEqual(short(await one.check()), "unlicensed given_back stops")
    assert.strictEqual(short(await two.check()), "active confirmed runs")
    assert.strictEqual(short(await three.check()), "active confirmed runs")
    const lease = (await live()).find(({ process_id }) => process_id === "two")!
    await service.data("POST", `/api/v1/licenses/${license.id}/leases/${lease["id"]}/release`)
    assert.strictEqual(short(await two.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await three.check()), "active confirmed runs")
    assert.strictEqual(short(await three.release()), "unlicensed given_back stops")
    assert.strictEqual(short(await one.acquire()), "active confirmed runs")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    assert.strictEqual(short(await one.check()), "revoked revoked stops")
  })

  it("that a person took away are taken anew on purpose alone", async () => {
    const { key, license, open } = await place({ policy: { max_floating_users: 1 } })
    const app = await open()
    await app.acquire(key)
    const [device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    await service.data("POST", `/api/v1/licenses/${license.id}/devices/${device.id}/reset`)
    assert.strictEqual(short(await app.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await app.acquire(key)), "active confirmed runs")
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    const [lease] = await service.data("GET", `/api/v1/licenses/${license.id}/leases?is_live=true`)
    await service.data("POST", `/api/v1/licenses/${license.id}/leases/${lease.id}/release`)
    assert.strictEqual(short(await app.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await app.check()), "unlicensed device_released stops")
    assert.strictEqual(short(await app.acquire(key)), "active confirmed runs")
  })

  it("that were lost are taken anew, or the app stops", async () => {
    const { key, license, open, path } = await place(terms)
    const database = await session(service.databaseUrl)
    const runOut = () =>
      database.query("UPDATE leases SET expires_at = expires_at - interval '1 day' WHERE license_id = $1", [license.id])
    const app = await open()
    await app.acquire(key)
    await runOut()
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    await runOut()
    const rival = await open({ store: fileStore(`${path}-2`), fingerprint: "rival" })
    await rival.acquire(key)
    assert.strictEqual(short(await app.check()), "over-limit no_floating_seat stops")
    await rival.release()
    assert.strictEqual(short(await app.check()), "active confirmed runs")
  })
})

describe("a trial", () => {
  it("is opened with the key that the app ships, and there is one", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "Studio", code: crypto.randomUUID() })
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Trial",
      code: "trial",
      license_type: "trial",
      duration: "P14D"
    })
    const publishable = await service.data("POST", `/api/v1/products/${product.id}/publishable-keys`, {
      name: "app",
      policy_id: policy.id
    })
    const { open } = await place()
    const app = await open({ productCode: product.code })
    assert.strictEqual(short(await app.startTrial(publishable.key)), "active confirmed runs")
    assert.strictEqual(short(await app.startTrial(publishable.key)), "active confirmed runs")
    assert.strictEqual(app.standing.data?.["license_type"], "trial")
    await service.data("POST", `/api/v1/licenses/${String(app.standing.data?.["license_id"])}/revoke`)
    assert.strictEqual(short(await app.check()), "revoked revoked stops")
    assert.strictEqual(await codeOf(app.startTrial(publishable.key)), "LICENSE_INACTIVE")
  })
})
