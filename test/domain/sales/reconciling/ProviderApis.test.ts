import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { readEvents } from "../../../../src/domain/sales/providers/ReadEvents.ts"
import { providerApis } from "../../../../src/domain/sales/reconciling/ProviderApis.ts"

const at = Date.parse("2026-11-21T10:30:00Z")
const seconds = at / 1000

const read = (provider: Provider, path: string, json: unknown) => providerApis[provider].read(path, json, at)

/** What an answer tells: each event by its type, its instant, and what its facts are. */
const told = (provider: Provider, path: string, json: unknown): ReadonlyArray<string> =>
  (read(provider, path, json)?.bodies ?? []).flatMap((body, index) => {
    const events = readEvents(provider, body, `digest ${index}`)
    assert.isTrue(Result.isSuccess(events), JSON.stringify(body))
    return (Result.isSuccess(events) ? events.success : []).map(({ facts, occurred_at, type }) =>
      `${occurred_at.slice(0, 19)} ${type}: ${
        facts.filter(({ kind }) => kind !== "link").map(({ kind }) => kind).join()
      }`
    )
  })

describe("the APIs of payment providers", () => {
  it.each<readonly [Provider, string, string | undefined]>([
    ["stripe", "rk_live_1", "https://api.stripe.com"],
    ["paddle", "pdl_live_apikey_1", "https://api.paddle.com"],
    ["paddle", "pdl_sdbx_apikey_1", "https://sandbox-api.paddle.com"],
    ["lemon_squeezy", "k", "https://api.lemonsqueezy.com"],
    ["fastspring", "user:password", "https://api.fastspring.com"],
    ["fastspring", "user", undefined],
    ["chargebee", "acme-test:test_1", "https://acme-test.chargebee.com"],
    // A site is a part of a name, and leads nowhere else.
    ["chargebee", "test_1", undefined],
    ["chargebee", "evil.example/:k", undefined],
    ["chargebee", "evil.example#:k", undefined],
    ["chargebee", "user@evil:k", undefined]
  ])("of %s with the key %s is at %s", (provider, key, origin) => {
    assert.strictEqual(providerApis[provider].origin(key), origin)
  })

  it.each<readonly [Provider, string, boolean | undefined]>([
    ["stripe", "rk_live_1", true],
    ["stripe", "sk_test_1", false],
    ["paddle", "pdl_live_apikey_1", true],
    ["paddle", "pdl_sdbx_apikey_1", false],
    ["lemon_squeezy", "k", undefined],
    ["fastspring", "user:password", undefined],
    ["chargebee", "acme:live_1", true],
    ["chargebee", "acme:test_1", false],
    ["chargebee", "acme-test:k", false],
    ["chargebee", "acme:k", undefined]
  ])("of %s with the key %s is of real money: %s", (provider, key, isLive) => {
    assert.strictEqual(providerApis[provider].isLive(key), isLive)
  })

  it.each<readonly [Provider, unknown]>([
    ["stripe", { object: "event" }],
    ["stripe", []],
    ["paddle", { data: "x" }],
    ["paddle", []],
    ["lemon_squeezy", { errors: [] }],
    ["fastspring", { action: "subscription.getall", result: "error" }],
    ["fastspring", []],
    ["chargebee", { message: "no" }]
  ])("of %s: %j is no answer to a list, or says nothing", (provider, json) => {
    for (const path of providerApis[provider].lists) {
      for (const answer of [json, undefined, null, "text", 7]) {
        const found = read(provider, path, answer)
        assert.deepStrictEqual(found?.bodies ?? [], [])
        assert.deepStrictEqual(found?.follow ?? [], [])
      }
    }
  })

  it("go on with the page after the last object, number or offset", () => {
    const paddlePage = (next: string) => ({ data: [], meta: { pagination: { has_more: true, next } } })
    const cases: ReadonlyArray<readonly [Provider, string, unknown, ReadonlyArray<string>]> = [
      [
        "stripe",
        "/v1/refunds?limit=100&starting_after=re_1",
        { object: "list", has_more: true, data: [{ id: "re_2" }, { id: "re_3" }] },
        ["/v1/refunds?limit=100&starting_after=re_3"]
      ],
      ["stripe", "/v1/refunds?limit=100", { object: "list", has_more: true, data: [] }, []],
      [
        "paddle",
        "/customers?per_page=100",
        paddlePage("https://api.paddle.com/customers?after=ctm_1"),
        ["/customers?after=ctm_1"]
      ],
      // The host of an answer is not believed, and neither is another path.
      ["paddle", "/customers?per_page=100", paddlePage("https://evil.example/customers?after=ctm_1"), [
        "/customers?after=ctm_1"
      ]],
      ["paddle", "/customers?per_page=100", paddlePage("https://api.paddle.com/api-keys?after=1"), []],
      [
        "lemon_squeezy",
        "/v1/orders?page[size]=100&page[number]=1",
        { data: [], meta: { page: { currentPage: 1, lastPage: 3 } } },
        ["/v1/orders?page[size]=100&page[number]=2"]
      ],
      [
        "fastspring",
        "/orders?limit=50&page=1",
        { orders: ["a/b", "c"], nextPage: 2 },
        ["/orders/a%2Fb,c", "/orders?limit=50&page=2"]
      ],
      ["fastspring", "/orders?limit=50&page=9", { orders: [], nextPage: null }, []],
      [
        "fastspring",
        "/orders/a,b",
        { orders: [{ order: "a", completed: true, returns: [{ return: "r1" }] }, { order: "b", completed: true }] },
        ["/returns/r1"]
      ],
      // A single purchase names its buyer, and what was given back, by their ids alone.
      ["fastspring", "/subscriptions/a", { id: "a", account: "b/c" }, ["/accounts/b%2Fc"]],
      ["fastspring", "/subscriptions/a", { id: "a", account: { id: "b", contact: {} } }, []],
      [
        "fastspring",
        "/subscriptions/a,b",
        { subscriptions: [{ id: "a", account: "c" }, { id: "b", account: "c" }] },
        []
      ],
      [
        "fastspring",
        "/orders/a",
        { order: "a", completed: true, account: "b", returns: [{ return: "r1" }] },
        ["/returns/r1", "/accounts/b"]
      ],
      [
        "chargebee",
        "/api/v2/subscriptions/a",
        { subscription: { id: "a b", status: "active" } },
        ["/api/v2/credit_notes?limit=100&subscription_id[is]=a%20b"]
      ],
      ["chargebee", "/api/v2/subscriptions?limit=100", { list: [{ subscription: { id: "a", status: "active" } }] }, []],
      [
        "chargebee",
        "/api/v2/invoices?limit=100",
        { list: [], next_offset: "[\"1\",\"2\"]" },
        ["/api/v2/invoices?limit=100&offset=%5B%221%22%2C%222%22%5D"]
      ]
    ]
    for (const [provider, path, json, follow] of cases) {
      assert.deepStrictEqual(read(provider, path, json)?.follow, follow, path)
    }
  })

  it("of Stripe tell a subscription at the instant of reading, and what was paid at its own", () => {
    const invoice = {
      id: "in_1",
      object: "invoice",
      status: "paid",
      created: 100,
      status_transitions: { paid_at: 200 }
    }
    const subscription = {
      id: "sub_1",
      object: "subscription",
      status: "active",
      customer: { id: "cus_1", object: "customer", email: "ada@example.com" },
      latest_invoice: invoice,
      items: { data: [{ id: "si_1", price: { id: "p" }, quantity: 1 }] }
    }
    const list = (...data: ReadonlyArray<object>) => ({ object: "list", has_more: false, data })
    assert.deepStrictEqual(told("stripe", "/v1/subscriptions?limit=100", list(subscription)), [
      "2026-11-21T10:29:59 customer.subscription.updated: subscription",
      "2026-11-21T10:29:59 customer.updated: customer",
      "1970-01-01T00:03:20 invoice.paid: payment"
    ])
    assert.deepStrictEqual(
      told("stripe", "/v1/subscriptions/sub_1", { ...subscription, status: "canceled" })[0],
      [
        "2026-11-21T10:29:59 customer.subscription.deleted: subscription"
      ].join()
    )
    const refund = (status: string) => ({ id: "re_1", object: "refund", status, created: 300, payment_intent: "pi_1" })
    assert.deepStrictEqual(told("stripe", "/v1/refunds?limit=100", list(refund("succeeded"), refund("failed"))), [
      "1970-01-01T00:05:00 refund.updated: refund",
      "2026-11-21T10:29:59 refund.updated: refund"
    ])
    const open = { ...invoice, status: "open", attempt_count: 1 }
    assert.deepStrictEqual(
      told(
        "stripe",
        "/v1/invoices?limit=100",
        list(open, { ...open, attempt_count: 0 }, { ...invoice, status: "draft" })
      ),
      ["1970-01-01T00:01:40 invoice.payment_failed: payment"]
    )
    const session = { id: "cs_1", object: "checkout.session", mode: "payment", payment_status: "paid", created: 50 }
    assert.deepStrictEqual(
      told(
        "stripe",
        "/v1/checkout/sessions?limit=100",
        list({ ...session, status: "complete" }, {
          ...session,
          status: "expired"
        })
      ),
      ["2026-11-21T10:29:59 checkout.session.completed: order"]
    )
  })

  it("of Paddle, Lemon Squeezy and Chargebee tell each object as its event would", () => {
    const updated = "2026-11-01T00:00:00.000Z"
    assert.deepStrictEqual(
      told("paddle", "/transactions?per_page=30", {
        data: [
          { id: "txn_1", status: "completed", origin: "web", subscription_id: "sub_1", billed_at: updated },
          { id: "txn_2", status: "draft" }
        ]
      }),
      ["2026-11-01T00:00:00 transaction.completed: payment"]
    )
    assert.deepStrictEqual(
      told("lemon_squeezy", "/v1/orders?page[size]=100", {
        data: [
          { type: "orders", id: "1", attributes: { status: "refunded", updated_at: updated } },
          { type: "discounts", id: "2", attributes: {} }
        ]
      }),
      ["2026-11-01T00:00:00 order_refunded: order,refund"]
    )
    const [body] = read("lemon_squeezy", "/v1/subscriptions/1", {
      data: { type: "subscriptions", id: "1", attributes: { status: "active", urls: { customer_portal: "https://x" } } }
    })!.bodies
    assert.notInclude(JSON.stringify(body), "customer_portal")
    assert.deepStrictEqual(
      told("chargebee", "/api/v2/invoices?limit=100", {
        list: [
          { invoice: { id: "1", subscription_id: "s", status: "paid", paid_at: 200, updated_at: 300 } },
          {
            invoice: {
              id: "2",
              subscription_id: "s",
              status: "payment_due",
              dunning_status: "in_progress",
              updated_at: 300
            }
          },
          { invoice: { id: "3", subscription_id: "s", status: "payment_due" } }
        ]
      }),
      ["1970-01-01T00:03:20 payment_succeeded: payment", "1970-01-01T00:05:00 payment_failed: payment"]
    )
    const note = { id: "1", subscription_id: "s", reference_invoice_id: "1", refunded_at: 400, updated_at: 500 }
    const linked_refunds = [{ txn_id: "t", txn_status: "success", applied_amount: 5 }]
    assert.deepStrictEqual(
      told("chargebee", "/api/v2/credit_notes?limit=100", {
        list: [
          { credit_note: { ...note, status: "refunded", linked_refunds } },
          { credit_note: { ...note, status: "refunded", linked_refunds, deleted: true } },
          { credit_note: { ...note, status: "refund_due", linked_refunds: [] } }
        ]
      }),
      [
        "1970-01-01T00:06:40 credit_note_updated: refund",
        "1970-01-01T00:08:20 credit_note_updated: refund",
        "1970-01-01T00:08:20 credit_note_updated: note"
      ]
    )
    assert.deepStrictEqual(
      told("fastspring", "/accounts/a", { accounts: [{ account: "a", contact: { email: "ada@example.com" } }] }),
      ["2026-11-21T10:29:59 account.updated: customer"]
    )
    assert.deepStrictEqual(told("fastspring", "/accounts/a", { accounts: [{ account: "a", result: "error" }] }), [])
    assert.deepStrictEqual(
      told("fastspring", "/subscriptions/1,2", {
        subscriptions: [{ id: "1", state: "active", changed: (seconds - 60) * 1000 }, { id: "2", state: "active" }]
      }),
      ["2026-11-21T10:29:00 subscription.read: subscription", "2026-11-21T10:30:00 subscription.read: subscription"]
    )
  })
})
