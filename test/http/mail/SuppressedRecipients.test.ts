// A mail that the vendor asks for, to an address that gets none: the answer says so, and nothing was done.
import { assert, it } from "@effect/vitest"
import { MailServer } from "../../fixtures/MailServer.ts"
import { refused, startService } from "../../fixtures/Service.ts"

const server = await new MailServer().start()
const service = await startService({
  environment: {
    COUNTERSIGN_PORTAL: "on",
    COUNTERSIGN_SMTP_URL: server.url,
    COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
  }
})

const suppress = (address: string) => service.data("POST", "/api/v1/settings/mail/suppressions", { address })

it("is refused for a link into the portal with the reason, and made once the suppression has ended, or in the answer", async () => {
  const email = "ada@example.com"
  const { id } = await service.data("POST", "/api/v1/customers", { code: "ada", name: "Ada", email })
  const links = `/api/v1/customers/${id}/portal-links`
  const suppression = await suppress(email)
  const error = refused(await service.call("POST", links, { body: {} }), 409, "STATE_CONFLICT")
  assert.strictEqual(error.detail, "by_hand")
  assert.include(error.message, `DELETE /api/v1/settings/mail/suppressions/${suppression.id}`)
  assert.strictEqual((await service.call("POST", links, { body: { delivery: "response" } })).status, 200)
  assert.deepStrictEqual(
    (await service.feed("&event_type=customer.portal_link_created")).map(({ data }) => data.delivery),
    ["response"]
  )
  assert.strictEqual((await service.call("DELETE", `/api/v1/settings/mail/suppressions/${suppression.id}`)).status, 204)
  assert.strictEqual((await service.data("POST", links, {})).recipient, email)
})

it("is refused for an invitation, which invites nobody; one without a mail is made", async () => {
  const { license } = await service.issue({ policy: { max_users: 3 } })
  const users = `/api/v1/licenses/${license.id}/users`
  const invite = (email: string, delivery: string) => service.call("POST", users, { body: { email, delivery } })
  await suppress("bob@example.com")
  refused(await invite("bob@example.com", "mail"), 409, "STATE_CONFLICT")
  assert.deepStrictEqual(await service.data("GET", users), [])
  assert.strictEqual((await invite("bob@example.com", "none")).status, 201)
  assert.strictEqual((await invite("cleo@example.com", "mail")).status, 201)
})
