import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import { insertTransferRequest } from "../../../src/services/licensing/lifecycle/TransferRequestSql.ts"
import { insertCustomerMail, insertTransferMail } from "../../../src/services/mail/CustomerMailSql.ts"
import { claimMail, deleteMailsOf } from "../../../src/services/mail/MailSql.ts"
import { Workers } from "../../fixtures/Workers.ts"

const queue = (sql: Database, customerId: string, onlyTo?: ReadonlyArray<string>) =>
  insertCustomerMail(sql, {
    eventId: `evt_${customerId}`,
    kind: "portal_link",
    customerId,
    secret: new Uint8Array([1]),
    secretHash: new Uint8Array([2])
  }, onlyTo)

describe("the statements of mails to customers", () => {
  layer(Workers.layer)((it) => {
    it.effect("a mail goes to the address of the customer, where allowed alone, and holds while its link does", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`INSERT INTO customers (id, name, code, email, language, metadata) VALUES
          ('cus_a', 'Ada', 'a', 'Ada@Example.com', 'de', '{}'), ('cus_b', 'Bob', 'b', NULL, NULL, '{}')`
        assert.lengthOf(yield* queue(first, "cus_b"), 0, "has no address")
        assert.lengthOf(yield* queue(first, "cus_a", ["qa@example.com"]), 0)
        assert.lengthOf(yield* queue(first, "cus_a", ["ada@example.com"]), 1)
        const [over] = yield* claimMail(first, "awaited")
        assert.deepInclude(over, {
          license_id: null,
          customer_id: "cus_a",
          recipient: "Ada@Example.com",
          language: "de",
          state: "active",
          is_recipient_same: true,
          is_key_same: true,
          holds: false
        })
        yield* first`INSERT INTO portal_links (address_hash, token_hash, customer_ids, expires_at)
          VALUES ('\\x01', '\\x02', ARRAY['cus_a'], now() + interval '1 minute')`
        yield* first`UPDATE mails SET due_at = now()`
        assert.isTrue((yield* claimMail(first, "awaited"))[0]!.holds)
        yield* first`UPDATE customers SET email = 'new@example.com' WHERE id = 'cus_a'`
        yield* first`UPDATE mails SET due_at = now()`
        assert.isFalse((yield* claimMail(first, "awaited"))[0]!.is_recipient_same)
        assert.lengthOf(yield* deleteMailsOf(first, "cus_a"), 1)
      }))

    it.effect("a mail that offers a license goes to the address of the offer, where allowed alone", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const tokenHash = new Uint8Array([7])
        const hashes = { tokenHash, keyHash: new Uint8Array([1]), addressHash: new Uint8Array([2]) }
        const offered = { licenseId: "lic_a", customerId: "cus_c", recipient: "Next@example.com", hours: 72, ...hashes }
        yield* insertTransferRequest(first, offered)
        const offer = (secretHash: Uint8Array, onlyTo?: ReadonlyArray<string>) =>
          insertTransferMail(first, {
            eventId: "evt_offer",
            licenseId: "lic_a",
            secret: new Uint8Array([1]),
            secretHash,
            details: { owner_email: "ada@example.com" }
          }, onlyTo)
        assert.lengthOf(yield* offer(new Uint8Array([8])), 0, "of another offer")
        assert.lengthOf(yield* offer(tokenHash, ["qa@example.com"]), 0)
        assert.lengthOf(yield* offer(tokenHash, ["next@example.com"]), 1)
        const [claimed] = yield* claimMail(first, "awaited")
        assert.deepInclude(claimed, {
          recipient: "Next@example.com",
          is_recipient_same: true,
          is_key_same: true,
          holds: true
        })
        yield* insertTransferRequest(first, {
          ...offered,
          recipient: "other@example.com",
          tokenHash: new Uint8Array([9])
        })
        yield* first`UPDATE mails SET due_at = now()`
        assert.deepInclude((yield* claimMail(first, "awaited"))[0], { is_recipient_same: false, holds: false })
        assert.lengthOf(yield* deleteMailsOf(first, "cus_c"), 1)
      }))
  })
})
