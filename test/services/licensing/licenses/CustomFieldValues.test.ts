import { assert, it } from "@effect/vitest"
import { startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { hold } from "../../../fixtures/Session.ts"

const service = await startService({ altered: ["license metadata", "customer metadata"] })

it("a value's event shows its owner as the change before left it, which it waits for", async () => {
  const { license, product } = await service.issue()
  const customer = await service.data("POST", "/api/v1/customers", { name: "C", code: "c" })
  for (const [type, owner] of [["license", license], ["customer", customer]] as const) {
    const field = await service.data("POST", `/api/v1/products/${product.id}/custom-fields`, {
      resource_type: type,
      code: "f",
      name: "F",
      value_type: "boolean"
    })
    const change = await hold(service.databaseUrl, `UPDATE ${type}s SET metadata = '{"a":1}' WHERE id = $1`, [owner.id])
    const put = service.data("PUT", `/api/v1/${type}s/${owner.id}/custom-fields/${field.id}`, { boolean_value: true })
    await change.blocked(1)
    await change.release()
    await put
    const [event] = (await service.feed(`&event_type=${type}.updated&resource_id=${owner.id}`)) as Array<Body>
    assert.deepStrictEqual(event.data.metadata, { a: 1 })
    assert.strictEqual(event.data.custom_field.boolean_value, true)
  }
})
