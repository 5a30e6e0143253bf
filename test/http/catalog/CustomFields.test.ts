import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued
let customer: Body

const fieldsPath = (product: Body): string => `/api/v1/products/${product.id}/custom-fields`

const define = (more: object = {}, product: Body = issued.product): Promise<Body> =>
  service.data("POST", fieldsPath(product), {
    resource_type: "license",
    code: `f-${randomUUID()}`,
    name: "Field",
    value_type: "string",
    ...more
  })

const valuePath = (field: Body, id: string = issued.license.id): string =>
  `/api/v1/${field.resource_type}s/${id}/custom-fields/${field.id}`

const put = (field: Body, body: object, id?: string) => service.call("PUT", valuePath(field, id), { body })

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
  customer = await service.data("POST", "/api/v1/customers", {
    name: "Beispiel GmbH",
    code: "beispiel",
    email: "it@beispiel.example"
  })
})

describe("definitions", () => {
  it("are created, read, changed and deleted, each change an event", async () => {
    const made = await define({ value_type: "enum", enum_options: ["eu", "us"], metadata: { a: 1 } })
    assert.match(made.id, /^fld_/)
    assert.deepStrictEqual(made, {
      id: made.id,
      product_id: issued.product.id,
      resource_type: "license",
      code: made.code,
      name: "Field",
      value_type: "enum",
      is_required: false,
      enum_options: ["eu", "us"],
      metadata: { a: 1 },
      created_at: made.created_at,
      updated_at: made.created_at
    })
    const path = `${fieldsPath(issued.product)}/${made.id}`
    assert.deepStrictEqual(await service.data("GET", path), made)
    const changed = await service.data("PATCH", path, { name: "Region", enum_options: ["eu", "us", "a,\"{}\\c"] })
    assert.deepStrictEqual(changed, {
      ...made,
      name: "Region",
      enum_options: ["eu", "us", "a,\"{}\\c"],
      updated_at: changed.updated_at
    })
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map((event) => `${event.event_type} ${event.resource_type}`), [
      "custom_field.created custom_field",
      "custom_field.updated custom_field",
      "custom_field.deleted custom_field"
    ])
    assert.deepStrictEqual(events[1].data, changed)
  })

  it("have options if and only if they are enums", async () => {
    const path = fieldsPath(issued.product)
    const body = { resource_type: "license", code: randomUUID(), name: "n" }
    const create = (more: object) => service.call("POST", path, { body: { ...body, ...more } })
    invalid(await create({ value_type: "enum" }), "enum_options", "required")
    invalid(await create({ value_type: "enum", enum_options: [] }), "enum_options", "required")
    invalid(await create({ value_type: "string", enum_options: ["a"] }), "enum_options", "enum_only")
    refused(await create({ value_type: "enum", enum_options: ["a", "a"] }), 422, "VALIDATION_ERROR")
    refused(await create({ value_type: "enum", enum_options: [""] }), 422, "VALIDATION_ERROR")
    const text = await define({ enum_options: [] })
    assert.deepStrictEqual(text.enum_options, [])
    invalid(
      await service.call("PATCH", `${path}/${text.id}`, { body: { enum_options: ["a"] } }),
      "enum_options",
      "enum_only"
    )
    const options = await define({ value_type: "enum", enum_options: ["a"] })
    invalid(
      await service.call("PATCH", `${path}/${options.id}`, { body: { enum_options: [] } }),
      "enum_options",
      "required"
    )
  })

  it("never change what they are for or their type", async () => {
    const made = await define()
    const path = `${fieldsPath(issued.product)}/${made.id}`
    for (const body of [{ resource_type: "customer" }, { value_type: "integer" }]) {
      refused(await service.call("PATCH", path, { body }), 400, "UNKNOWN_FIELD")
    }
    assert.deepStrictEqual(await service.data("GET", path), made)
  })

  it("have a code of their own per product and resource type", async () => {
    const made = await define()
    const path = fieldsPath(issued.product)
    const body = { resource_type: "license", code: made.code, name: "n", value_type: "string" }
    refused(await service.call("POST", path, { body }), 409, "CONFLICT")
    await define({ resource_type: "customer", code: made.code })
    const elsewhere = await service.issue()
    await define({ code: made.code }, elsewhere.product)
    const another = await define()
    refused(await service.call("PATCH", `${path}/${another.id}`, { body: { code: made.code } }), 409, "CONFLICT")
    refused(await service.call("POST", path, { body: { ...body, resource_type: "device" } }), 422, "VALIDATION_ERROR")
    refused(await service.call("POST", path, { body: { ...body, value_type: "float" } }), 422, "VALIDATION_ERROR")
  })

  it("are found under their own product only", async () => {
    const made = await define()
    const elsewhere = await service.issue()
    const path = `${fieldsPath(elsewhere.product)}/${made.id}`
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    refused(await service.call("PATCH", path, { body: { name: "x" } }), 404, "NOT_FOUND")
    refused(await service.call("DELETE", path), 404, "NOT_FOUND")
    assert.strictEqual((await service.data("GET", `${fieldsPath(issued.product)}/${made.id}`)).name, "Field")
  })

  it("are listed newest first, page by page, and keep their product from being deleted", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "Acme", code: randomUUID() })
    for (const code of ["a", "b", "c"]) await define({ code }, product)
    const first = await service.call("GET", `${fieldsPath(product)}?limit=2`)
    assert.deepStrictEqual(first.body.data.map(({ code }: Body) => code), ["c", "b"])
    const rest = await service.call("GET", `${fieldsPath(product)}?cursor=${first.body.page_info.next_cursor}`)
    assert.deepStrictEqual(rest.body.data.map(({ code }: Body) => code), ["a"])
    refused(await service.call("GET", fieldsPath({ id: "prod_none" })), 404, "NOT_FOUND")
    assert.include(
      refused(await service.call("DELETE", `/api/v1/products/${product.id}`), 409, "IN_USE").detail,
      "custom field definitions"
    )
  })
})

describe("values", () => {
  const samples: ReadonlyArray<readonly [string, object, object?]> = [
    ["string", { string_value: "" }],
    ["string", { string_value: "Größe ≥ 3 \"x\"" }],
    ["integer", { integer_value: -9007199254740991 }],
    ["integer", { integer_value: 0 }],
    ["boolean", { boolean_value: false }],
    ["datetime", { datetime_value: "2026-02-28T23:00:00-01:00" }, { datetime_value: "2026-03-01T00:00:00.000Z" }],
    ["enum", { enum_value: "us" }]
  ]

  for (const type of ["license", "customer"]) {
    it(`of a ${type} are set typed, answered with the members of the contract, and listed`, async () => {
      const owner = type === "license" ? issued.license : customer
      for (const [value_type, given, answered = given] of samples) {
        const field = await define({
          resource_type: type,
          value_type,
          ...(value_type === "enum" ? { enum_options: ["eu", "us"] } : {})
        })
        const { body, status } = await put(field, given, owner.id)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body.data, {
          definition_id: field.id,
          product_id: field.product_id,
          resource_type: type,
          resource_id: owner.id,
          code: field.code,
          name: field.name,
          value_type,
          is_required: false,
          enum_options: field.enum_options,
          metadata: {},
          ...answered,
          updated_at: body.data.updated_at
        })
        const [newest] = await service.data("GET", `/api/v1/${type}s/${owner.id}/custom-fields?limit=1`)
        assert.deepStrictEqual(newest, body.data)
      }
      const path = `/api/v1/${type}s/${owner.id}/custom-fields`
      const all = await service.data("GET", path)
      assert.strictEqual(all.length, samples.length)
      const first = await service.call("GET", `${path}?limit=5`)
      const rest = await service.call("GET", `${path}?limit=5&cursor=${first.body.page_info.next_cursor}`)
      assert.deepStrictEqual([...first.body.data, ...rest.body.data], all)
      refused(await service.call("GET", `/api/v1/${type}s/none/custom-fields`), 404, "NOT_FOUND")
    })
  }

  it("are replaced whole, and cleared with 204 as often as one likes", async () => {
    const field = await define()
    assert.strictEqual((await put(field, { string_value: "a" })).status, 200)
    assert.strictEqual((await put(field, { string_value: "b", clear: false })).body.data.string_value, "b")
    const list = async () =>
      (await service.data("GET", `/api/v1/licenses/${issued.license.id}/custom-fields`)).filter(
        (value: Body) => value.definition_id === field.id
      )
    assert.deepStrictEqual((await list()).map(({ string_value }: Body) => string_value), ["b"])
    for (let times = 0; times < 2; times++) {
      const cleared = await put(field, { clear: true })
      assert.strictEqual(cleared.status, 204)
      assert.isUndefined(cleared.body)
    }
    assert.deepStrictEqual(await list(), [])
  })

  it("need exactly one typed member, or clear", async () => {
    const field = await define()
    for (
      const body of [
        {},
        { clear: false },
        { string_value: "a", integer_value: 1 },
        { string_value: "a", clear: true },
        { string_value: null },
        { integer_value: 1.5 }
      ]
    ) refused(await put(field, body), 422, "VALIDATION_ERROR")
    refused(await put(field, { float_value: 1 }), 400, "UNKNOWN_FIELD")
  })

  it("have the type of their field, and an enum one of its options", async () => {
    const text = await define()
    invalid(await put(text, { integer_value: 1 }), "integer_value", "wrong_type")
    invalid(await put(text, { enum_value: "a" }), "enum_value", "wrong_type")
    const integer = await define({ value_type: "integer" })
    invalid(await put(integer, { string_value: "1" }), "string_value", "wrong_type")
    const options = await define({ value_type: "enum", enum_options: ["a", "b"] })
    invalid(await put(options, { enum_value: "c" }), "enum_value", "not_an_option")
    invalid(await put(options, { string_value: "a" }), "string_value", "wrong_type")
    const date = await define({ value_type: "datetime" })
    refused(await put(date, { datetime_value: "2026-02-30T00:00:00Z" }), 422, "VALIDATION_ERROR")
  })

  it("of a required field are not cleared", async () => {
    const field = await define({ is_required: true })
    invalid(await put(field, { clear: true }), "clear", "required_field")
    await put(field, { string_value: "a" })
    invalid(await put(field, { clear: true }), "clear", "required_field")
    await service.data("PATCH", `${fieldsPath(issued.product)}/${field.id}`, { is_required: false })
    assert.strictEqual((await put(field, { clear: true })).status, 204)
  })

  it("belong to fields of the right resource type and product", async () => {
    const ofLicense = await define()
    const ofCustomer = await define({ resource_type: "customer" })
    const elsewhere = await define({}, (await service.issue()).product)
    const set = (path: string) => service.call("PUT", path, { body: { string_value: "a" } })
    const license = `/api/v1/licenses/${issued.license.id}/custom-fields`
    const customers = `/api/v1/customers/${customer.id}/custom-fields`
    refused(await set(`${license}/${ofCustomer.id}`), 404, "NOT_FOUND")
    refused(await set(`${customers}/${ofLicense.id}`), 404, "NOT_FOUND")
    refused(await set(`${license}/${elsewhere.id}`), 404, "NOT_FOUND")
    refused(await set(`${license}/fld_none`), 404, "NOT_FOUND")
    refused(await put(ofLicense, { string_value: "a" }, "lic_none"), 404, "NOT_FOUND")
    refused(await put(ofCustomer, { string_value: "a" }, "cus_none"), 404, "NOT_FOUND")
  })

  it("keep their field, and the options they have, from going", async () => {
    const field = await define({ value_type: "enum", enum_options: ["a", "b", "c"] })
    const path = `${fieldsPath(issued.product)}/${field.id}`
    await put(field, { enum_value: "b" })
    assert.include(refused(await service.call("DELETE", path), 409, "IN_USE").detail, "custom field values")
    assert.include(
      refused(await service.call("PATCH", path, { body: { enum_options: ["a", "c"] } }), 409, "IN_USE").detail,
      "b"
    )
    assert.deepStrictEqual((await service.data("PATCH", path, { enum_options: ["b"] })).enum_options, ["b"])
    await put(field, { clear: true })
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
  })

  it("are answered again to a retry with the same Idempotency-Key, cleared ones too", async () => {
    const field = await define()
    const send = (body: object, key: string) =>
      service.call("PUT", valuePath(field), { body, headers: { "idempotency-key": key, "x-request-id": key } })
    const set = randomUUID()
    const first = await send({ string_value: "a" }, set)
    assert.strictEqual((await send({ string_value: "a" }, set)).text, first.text)
    const clear = randomUUID()
    assert.strictEqual((await send({ clear: true }, clear)).status, 204)
    await put(field, { string_value: "b" })
    const again = await send({ clear: true }, clear)
    assert.strictEqual(again.status, 204)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual((await put(field, { string_value: "c" })).status, 200)
  })

  it("are events of their license or customer, the value itself behind a commitment", async () => {
    const field = await define({ resource_type: "customer" })
    const mine = await service.data("POST", "/api/v1/customers", { name: "Muster AG", code: randomUUID() })
    await put(field, { string_value: "DE123456789" }, mine.id)
    await put(field, { clear: true }, mine.id)
    const [, set, cleared, ...more] = await service.feed(`&resource_id=${mine.id}`)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(set.event_type, "customer.updated")
    assert.deepStrictEqual(set.metadata, { field_id: field.id, field_code: field.code })
    assert.strictEqual(set.data.custom_field.string_value, "DE123456789")
    assert.isString(set.commitments["/data/custom_field/string_value"])
    assert.isString(set.commitments["/data/name"])
    assert.deepInclude(cleared.data.custom_field, { definition_id: field.id, cleared: true })
    const ofLicense = await define()
    await put(ofLicense, { string_value: "a" })
    const last = (await service.feed(`&resource_id=${issued.license.id}`)).at(-1)
    assert.strictEqual(last.event_type, "license.updated")
    assert.strictEqual(last.data.custom_field.definition_id, ofLicense.id)
  })

  it("go with their customer", async () => {
    const field = await define({ resource_type: "customer", is_required: true })
    const mine = await service.data("POST", "/api/v1/customers", { name: "Muster AG", code: randomUUID() })
    await put(field, { string_value: "a" }, mine.id)
    assert.strictEqual((await service.call("DELETE", `/api/v1/customers/${mine.id}`)).status, 204)
    assert.strictEqual(
      (await service.call("DELETE", `${fieldsPath(issued.product)}/${field.id}`)).status,
      204
    )
  })

  it("are never shown to the runtime", async () => {
    const field = await define({ code: `secret-${randomUUID()}` })
    await put(field, { string_value: "for-the-back-office" })
    const binding = { fingerprint: "f" }
    for (const operation of ["activate", "validate", "check"]) {
      const { status, text } = await service.license(operation, issued.key, binding)
      assert.strictEqual(status, 200, text)
      assert.notInclude(text, "for-the-back-office")
      assert.notInclude(text, field.code)
      assert.notInclude(text, "custom_field")
    }
  })

  it("need the scopes of the contract", async () => {
    const key = async (scope: string) =>
      (await service.data("POST", "/api/v1/api-keys", { name: scope, scopes: [scope] })).token
    const [reader, writer, products] = [
      await key("license:read"),
      await key("license:write"),
      await key("product:write")
    ]
    const field = await define()
    const ofCustomer = await define({ resource_type: "customer" })
    const list = `/api/v1/licenses/${issued.license.id}/custom-fields`
    const body = { string_value: "a" }
    assert.strictEqual((await service.call("GET", list, { token: reader })).status, 200)
    assert.strictEqual((await service.call("PUT", valuePath(field), { token: writer, body })).status, 200)
    refused(await service.call("PUT", valuePath(field), { token: reader, body }), 403, "TOKEN_SCOPE_DENIED")
    refused(await service.call("PUT", valuePath(field), { token: products, body }), 403, "TOKEN_SCOPE_DENIED")
    const customers = `/api/v1/customers/${customer.id}/custom-fields`
    assert.strictEqual((await service.call("GET", customers, { token: await key("customer:read") })).status, 200)
    const customerWriter = await key("customer:write")
    const written = await service.call("PUT", valuePath(ofCustomer, customer.id), { token: customerWriter, body })
    assert.strictEqual(written.status, 200)
    for (const token of [reader, writer, products]) {
      refused(await service.call("GET", customers, { token }), 403, "TOKEN_SCOPE_DENIED")
      refused(
        await service.call("PUT", valuePath(ofCustomer, customer.id), { token, body }),
        403,
        "TOKEN_SCOPE_DENIED"
      )
    }
  })
})

describe("signed fields", () => {
  it("are in signed responses, offline files and leases with the values of the license, and no others", async () => {
    const sold = await service.issue()
    const check = async () => (await service.license("validate", sold.key, { fingerprint: "a" })).body.data
    await service.license("activate", sold.key, { fingerprint: "a" })
    assert.notProperty(await check(), "custom_fields")
    const cases = [
      ["string", { string_value: "PO-4711" }, "PO-4711"],
      ["integer", { integer_value: -12 }, -12],
      ["boolean", { boolean_value: false }, false],
      ["datetime", { datetime_value: "2026-12-01T10:00:00+01:00" }, "2026-12-01T09:00:00.000Z"],
      ["enum", { enum_value: "eu" }, "eu"]
    ] as const
    for (const [value_type, body] of cases) {
      const enum_options = value_type === "enum" ? { enum_options: ["eu"] } : {}
      const field = await define({ code: value_type, value_type, is_signed: true, ...enum_options }, sold.product)
      assert.isTrue(field.is_signed)
      assert.strictEqual((await put(field, body, sold.license.id)).status, 200)
    }
    const inner = await define({ code: "inner" }, sold.product)
    await put(inner, { string_value: "for us" }, sold.license.id)
    const told = Object.fromEntries(cases.map(([code, , value]) => [code, value]))
    assert.deepStrictEqual((await check()).custom_fields, told)
    const path = `${fieldsPath(sold.product)}/${inner.id}`
    await service.data("PATCH", path, { is_signed: true })
    assert.deepStrictEqual((await check()).custom_fields, { ...told, inner: "for us" })
    await service.data("PATCH", path, { is_signed: false })
    assert.deepStrictEqual((await check()).custom_fields, told)
  })

  it("are of licenses, short and few", async () => {
    const { license, product } = await service.issue()
    const body = { resource_type: "license", code: "long", name: "Long", value_type: "string" }
    const made = await define(body, product)
    const long = { string_value: "x".repeat(256) }
    const sign = (field: Body, is_signed = true) =>
      service.call("PATCH", `${fieldsPath(product)}/${field.id}`, { body: { is_signed } })
    for (const string_value of [long.string_value, "Müller", "a\\b", "a&b", "[", ""]) {
      assert.strictEqual((await put(made, { string_value }, license.id)).status, 200)
      if (string_value === "[") assert.strictEqual((await sign(made)).status, 200)
      else invalid(await sign(made), "is_signed", "unfit_values")
      assert.strictEqual((await sign(made, false)).status, 200)
    }
    assert.strictEqual((await put(made, { string_value: "short" }, license.id)).status, 200)
    assert.strictEqual((await sign(made)).status, 200)
    for (const string_value of [long.string_value, "Müller", ""]) {
      invalid(await put(made, { string_value }, license.id), "string_value", "unfit")
    }
    const options = { value_type: "enum", enum_options: ["a", "ä"], is_signed: true }
    invalid(
      await service.call("POST", fieldsPath(product), { body: { ...body, ...options } }),
      "is_signed",
      "unfit_values"
    )
    invalid(
      await service.call("POST", fieldsPath(product), {
        body: { ...body, resource_type: "customer", is_signed: true }
      }),
      "is_signed",
      "licenses_only"
    )
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) =>
          service.call("POST", fieldsPath(product), { body: { ...body, code: `f${index}`, is_signed: true } })
      )
    )
    assert.lengthOf(answers.filter(({ status }) => status === 201), 19)
    invalid(answers.find(({ status }) => status === 422)!, "is_signed", "too_many")
  })
})
