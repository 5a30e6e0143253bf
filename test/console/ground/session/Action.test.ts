// A write of the console, rendered in memory: what it asks before it is sent, what is sent, and what becomes of an answer.
import { assert, describe, it } from "@effect/vitest"
import type { Approval, License } from "../../../../src/client/api/index.ts"
import { person, Refused, unreachable } from "../../../fixtures/ConsoleAnswers.ts"
import type { Answers } from "../../../fixtures/ConsoleAnswers.ts"
import { openTab, read } from "../../../fixtures/ConsoleTab.ts"
import { explanation, license } from "../../../fixtures/ConsoleVendor.ts"

const path = `/console/licenses/${license.id}`

const at = (of: License, more: Answers["licenses"] = {}): Answers => ({
  licenses: { explain: () => explanation(of), get: () => of, ...more }
})

const suspended: License = { ...license, status: "suspended" }

const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => headers["idempotency-key"]

const approval: Approval = {
  id: "apr_1",
  operation: "revokeLicense",
  params: { id: license.id },
  state: "pending",
  expires_at: "2031-01-15T00:00:00.000Z",
  created_at: "2026-03-01T10:00:00.000Z",
  requested_by: { type: "person", id: "per_1", name: "Jun Sato" }
}

describe("an action", () => {
  it("changes nothing before its dialog is confirmed, and shows its outcome before the page is loaded anew", async () => {
    let now: License = license
    const tab = await openTab(path, {
      answers: {
        licenses: {
          explain: () => explanation(now),
          get: () => now,
          suspend: () => {
            now = suspended
            return now
          }
        }
      }
    })
    await tab.press("Suspend")
    const dialog = await tab.dialog("Suspend")
    const text = read(dialog.element)
    assert.include(text, "The app stops at its next check-in, at most 24 h from now.")
    assert.include(text, "Devices keep their seats. To undo this, reinstate the license.")
    assert.lengthOf(tab.service.of("licenses.suspend"), 0)
    await tab.fill("Reason (optional)", "  Chargeback in_77 ", dialog)
    await tab.press("Suspend", "button", dialog)
    await tab.shows("License suspended.")
    const [sent] = tab.service.of("licenses.suspend")
    assert.deepStrictEqual([sent?.params, sent?.body], [[license.id], { reason: "Chargeback in_77" }])
    assert.match(keyOf(sent!) ?? "", /^[\w-]{20,}$/)
    assert.lengthOf(tab.service.of("licenses.explain"), 1, "the page stays until the outcome was read")
    await tab.press("Close", "button", dialog)
    await tab.role("button", "Reinstate")
    assert.isEmpty(tab.queryAllByRole("button", { name: "Suspend" }))
    assert.isEmpty(tab.queryAllByRole("dialog"))
  })

  it("sends nothing when it is cancelled, and keeps no reason then", async () => {
    const tab = await openTab(path, { answers: at(license) })
    await tab.press("Suspend")
    await tab.fill("Reason (optional)", "Prank call", await tab.dialog("Suspend"))
    await tab.press("Cancel", "button", await tab.dialog("Suspend"))
    await tab.press("Suspend")
    const dialog = await tab.dialog("Suspend")
    assert.deepInclude(dialog.getByLabelText("Reason (optional)"), { value: "" })
    assert.lengthOf(tab.service.of("licenses.suspend"), 0)
  })

  it("cannot be sent without the reason that the vendor requires, and offers the usual ones", async () => {
    const tab = await openTab(path, {
      answers: {
        ...at(license, { suspend: suspended }),
        settings: { get: { required_reasons: ["license.suspended"], suggested_reasons: ["Refund", "Chargeback"] } }
      }
    })
    await tab.press("Suspend")
    const dialog = await tab.dialog("Suspend")
    await tab.until("the reason is required", () => dialog.queryByLabelText("Reason"))
    const send = dialog.getByRole("button", { name: "Suspend" })
    assert.isTrue(send.hasAttribute("disabled"))
    await tab.fill("Reason", "   ", dialog)
    assert.isTrue(send.hasAttribute("disabled"), "blanks are no reason")
    await tab.press("Refund", "button", dialog)
    await tab.press("Chargeback", "button", dialog)
    await tab.until("it can be sent", () => !send.hasAttribute("disabled"))
    await tab.press("Suspend", "button", dialog)
    await tab.shows("License suspended.")
    assert.deepStrictEqual(tab.bodies("licenses.suspend"), [{ reason: "Chargeback" }])
    // Another action is not required to have one.
    await tab.press("Close", "button", dialog)
    await tab.press("Rotate key")
    assert.isNotNull((await tab.dialog("Rotate key")).queryByLabelText("Reason (optional)"))
  })

  it("that cannot be undone is sent once the end of the key is typed", async () => {
    const tab = await openTab(path, { answers: at(license, { revoke: { ...license, status: "revoked" } }) })
    await tab.press("Revoke")
    const dialog = await tab.dialog("Revoke")
    assert.include(read(dialog.element), "Ada Lovelace: ")
    const send = dialog.getByRole("button", { name: "Revoke" })
    for (const typed of ["", "0PM", "0PM3"]) {
      await tab.fill("Type 0PM2 to confirm", typed, dialog)
      assert.isTrue(send.hasAttribute("disabled"), typed)
      // The form is not sent by Enter either.
      send.closest("form")?.requestSubmit()
    }
    assert.lengthOf(tab.service.of("licenses.revoke"), 0)
    await tab.fill("Type 0PM2 to confirm", " 0PM2 ", dialog)
    await tab.press("Revoke", "button", dialog)
    await tab.shows("License revoked.")
    assert.deepStrictEqual(tab.bodies("licenses.revoke"), [undefined])
  })
})

describe("an action that failed", () => {
  it("is sent again with its key while nobody knows what became of it, and with another once it was refused", async () => {
    const answers = [unreachable, unreachable, new Refused("STATE_CONFLICT"), suspended]
    const tab = await openTab(path, { answers: at(license, { suspend: () => answers.shift() ?? suspended }) })
    await tab.press("Suspend")
    const dialog = await tab.dialog("Suspend")
    const again = () => tab.press("Suspend", "button", dialog)
    await again()
    // The client has tried twice.
    await tab.shows("Cannot reach the service.")
    assert.include(tab.text(), "Check your connection and try again.")
    await again()
    await tab.shows("STATE_CONFLICT")
    await again()
    await tab.shows("License suspended.")
    const keys = tab.service.of("licenses.suspend").map(keyOf)
    assert.lengthOf(keys, 4)
    assert.strictEqual(new Set(keys.slice(0, 3)).size, 1)
    assert.notStrictEqual(keys[3], keys[0])
  })

  it("says what was refused beside its field, keeps what was entered, and shows the request as a command", async () => {
    const fields = [{ path: "overlap_minutes", message: "Must be at most 10" }]
    const tab = await openTab(path, {
      answers: at(license, { rotateKey: new Refused("VALIDATION_ERROR", { fields }) })
    })
    await tab.press("Rotate key")
    const dialog = await tab.dialog("Rotate key")
    await tab.fill("Overlap (hours)", "2", dialog)
    await tab.press("Rotate key", "button", dialog)
    await tab.shows("Correct the fields above and try again. Your input is kept.")
    assert.deepInclude(dialog.getByLabelText("Overlap (hours)"), { value: "2" })
    assert.include(read(dialog.element), "request req_of_a_test")
    const link = dialog.getByRole("link", { name: "VALIDATION_ERROR", hidden: true })
    assert.isNotNull(link)
    const command = dialog.getByLabelText("curl command").textContent ?? ""
    assert.include(command, `-X POST 'http://console.test/api/v1/licenses/${license.id}/rotate-key'`)
    assert.include(command, `--data '{"overlap_minutes":120}'`)
    assert.include(command, "Bearer $COUNTERSIGN_TOKEN")
    assert.notInclude(tab.document.body.innerHTML, "cmk_of_a_test")
  })
})

describe("a secret", () => {
  it("is shown once, and its dialog is closed by nothing but its own button", async () => {
    const secret = "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
    const tab = await openTab(path, {
      answers: at(license, { rotateKey: { license, license_key: secret, previous_key_expires_at: license.created_at } })
    })
    await tab.press("Rotate key")
    const dialog = await tab.dialog("Rotate key")
    await tab.fill("Overlap (hours)", "0", dialog)
    await tab.press("Rotate key", "button", dialog)
    await tab.shows(secret)
    assert.deepStrictEqual(tab.bodies("licenses.rotateKey"), [{ overlap_minutes: 0 }])
    tab.key("Escape")
    assert.include(read((await tab.dialog()).element), secret)
    assert.notInclude(JSON.stringify(tab.kept()), secret)
    await tab.press("I saved it")
    await tab.until("the dialog is closed", () => tab.queryAllByRole("dialog").length === 0)
    assert.notInclude(tab.document.documentElement.outerHTML, secret)
  })
})

describe("an action that needs a second person", () => {
  it("says so, needs a reason, and is asked for with the request that was refused", async () => {
    const tab = await openTab(path, {
      who: person({ scopes: ["license:read", "license:write"], second_look: ["revoke_license"] }),
      answers: {
        ...at(license, { revoke: new Refused("APPROVAL_REQUIRED") }),
        approvals: { list: [], request: approval }
      }
    })
    await tab.press("Revoke")
    const dialog = await tab.dialog("Revoke")
    assert.include(read(dialog.element), "Your role needs a second person for this.")
    const send = dialog.getByRole("button", { name: "Ask for approval" })
    await tab.fill("Type 0PM2 to confirm", "0PM2", dialog)
    assert.isTrue(send.hasAttribute("disabled"), "the second person needs a reason")
    await tab.fill("Reason", "Chargeback of order 4711", dialog)
    await tab.press("Ask for approval", "button", dialog)
    await tab.shows(/Waiting for a second person, until/)
    assert.deepStrictEqual(tab.bodies("approvals.request"), [{
      operation: "revokeLicense",
      params: { id: license.id },
      reason: "Chargeback of order 4711",
      body: { reason: "Chargeback of order 4711" }
    }])
  })

  it("is found out by the refusal where the role began to ask for it while the page was open", async () => {
    const tab = await openTab(path, {
      who: person({ scopes: ["license:read", "license:write"] }),
      answers: {
        ...at(license, { rotateKey: new Refused("APPROVAL_REQUIRED") }),
        approvals: { list: [], request: { ...approval, operation: "rotateLicenseKey" } }
      }
    })
    await tab.press("Rotate key")
    const dialog = await tab.dialog("Rotate key")
    await tab.press("Rotate key", "button", dialog)
    await tab.role("button", "Ask for approval", dialog)
    assert.lengthOf(tab.service.of("approvals.request"), 0, "nobody is asked without a reason")
    assert.notInclude(read(dialog.element), "APPROVAL_REQUIRED")
    await tab.fill("Reason", "Leaked", dialog)
    await tab.press("Ask for approval", "button", dialog)
    await tab.shows(/Waiting for a second person/)
    assert.deepInclude(tab.bodies("approvals.request")[0], {
      operation: "rotateLicenseKey",
      body: { overlap_minutes: 1440, reason: "Leaked" }
    })
  })
})

describe("what a token may not do", () => {
  it("is not offered", async () => {
    const tab = await openTab(path, {
      who: { kind: "management_key", id: "key_1", scopes: ["license:read"], allowed_cidrs: [] },
      answers: at(license)
    })
    await tab.shows("Ada Lovelace")
    for (const name of ["Suspend", "Revoke", "Rotate key", "Renew", "Transfer", "Change policy"]) {
      assert.isEmpty(tab.queryAllByRole("button", { name }), name)
    }
  })
})
