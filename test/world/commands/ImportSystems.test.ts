// Files as other systems export them: their real columns, with values that are made up.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readyMappings } from "../../../src/runtime/importing/MappedRows.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const systems = join(import.meta.dirname, "../../runtime/importing/systems")
const files = readdirSync(systems).toSorted()
const nameOf = (file: string) => file.replace(/\.\w+$/, "")
const many = 2_147_483_647

/** What stands of a license here: its status, its limit, its end, and of whom it is. */
type Shown = readonly [status: string, limit: number | undefined, end: string | undefined, who: string | undefined]

const expected: Readonly<
  Record<
    string,
    {
      readonly shown: ReadonlyArray<Shown>
      readonly skipped?: number
      readonly asked?: RegExp
      readonly noted?: ReadonlyArray<RegExp>
    }
  >
> = {
  cryptlex: {
    shown: [
      ["active", 3, "2031-01-02T03:04:05.000Z", "x1@crypt.example"],
      ["active", many, undefined, "x2@crypt.example"],
      ["suspended", 3, "2031-01-02T03:04:05.000Z", "x3@crypt.example"],
      ["revoked", 3, "2031-01-02T03:04:05.000Z", "x4@crypt.example"],
      ["expired", 3, "2020-01-02T03:04:05.000Z", "x5@crypt.example"]
    ],
    asked: /line \d+, expirationStrategy "delayed": is no status that the mapping knows/
  },
  edd: {
    shown: [
      ["active", 5, "2032-01-01T00:00:00.000Z", "c1@edd.example"],
      ["active", many, undefined, "c2@edd.example"],
      ["expired", 1, "2023-01-01T00:00:00.000Z", "c3@edd.example"],
      ["suspended", 1, "2032-01-01T00:00:00.000Z", "c4@edd.example"],
      ["revoked", 1, undefined, "c5@edd.example"]
    ]
  },
  gumroad: {
    shown: [
      ...(["active", "revoked", "active", "suspended", "active", "revoked", "suspended"] as const).map((status, n) =>
        [status, undefined, undefined, `buyer${n + 1}@shop.example`] as const
      ),
      ["expired", undefined, "2024-07-01T10:00:00.000Z", "buyer8@shop.example"],
      ["active", undefined, undefined, "giftee@shop.example"]
    ],
    skipped: 3,
    noted: [
      /^note: line 11, Quantity: more than one was bought .*"Quantity": "max_activations"/m,
      /^note: line 11, Giftee Email: a gift/m
    ]
  },
  keygen: {
    shown: [
      ["active", 5, "2031-03-15T19:27:50.440Z", undefined],
      ["active", many, undefined, undefined],
      ["suspended", 5, "2031-03-15T19:27:50.440Z", undefined],
      ["suspended", 5, "2031-03-15T19:27:50.440Z", undefined],
      ["expired", 5, "2020-03-15T19:27:50.440Z", undefined],
      ["active", 5, "2031-03-15T19:27:50.440Z", undefined]
    ]
  },
  lemonsqueezy: {
    shown: [
      ["active", 5, undefined, "l1@lemon.example"],
      ["active", many, "2031-01-31T10:00:00.000Z", "l2@lemon.example"],
      ["expired", 5, "2022-01-31T10:00:00.000Z", "l3@lemon.example"],
      ["suspended", 5, undefined, "l4@lemon.example"],
      ["suspended", 5, undefined, "l5@lemon.example"]
    ],
    skipped: 1
  },
  "woocommerce-license-manager": {
    shown: [
      ["active", 5, "2031-06-07T00:00:00.000Z", undefined],
      ["active", many, undefined, undefined],
      ["suspended", 1, undefined, undefined],
      ["expired", 1, "2021-06-07T00:00:00.000Z", undefined]
    ]
  },
  "woocommerce-software-add-on": {
    shown: [
      ["active", 3, undefined, "w1@woo.example"],
      ["active", many, undefined, "w2@woo.example"],
      ["revoked", many, undefined, "w3@woo.example"],
      ["suspended", 1, undefined, "w4@woo.example"]
    ]
  }
}

describe("countersign import of what another system has exported", () => {
  let service: Service
  let environment: Readonly<Record<string, string>>
  const post = (path: string, body: unknown) =>
    service.data("POST", `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })

  beforeAll(async () => {
    service = await startService()
    environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
  })

  it("has a file of each system", () => {
    assert.sameMembers(files.map(nameOf), Object.keys(readyMappings))
  })

  it.each(files)("%s goes in as it is, and nothing of it comes to life", async (name) => {
    const system = nameOf(name)
    const product = await post("products", { name: system, code: system })
    await post(`products/${product.id}/policies`, { name: "Std", code: "std", license_type: "perpetual" })
    const { asked, noted = [], shown, skipped = 0 } = expected[system]!
    const args = [
      "import",
      join(systems, name),
      "--mapping",
      system,
      "--set",
      `product=${system}`,
      "--set",
      "policy=std"
    ]
    const whole = await runCommand(args, environment)
    assert.strictEqual(whole.status, asked === undefined ? 0 : 1, whole.errors)
    for (const note of noted) assert.match(whole.errors, note)
    if (asked !== undefined) {
      assert.match(whole.errors, asked)
      await runCommand([...args, "--skip-invalid"], environment)
    }
    const again = JSON.parse((await runCommand([...args, "--dry-run", "--json"], environment)).output)
    assert.deepInclude(again, { rows: shown.length + (asked === undefined ? 0 : 1), already: shown.length, skipped })
    const found = (await service.call("GET", `/api/v1/licenses?limit=200&product_id=${product.id}`)).body.data as Array<
      Body
    >
    assert.deepStrictEqual(
      found.toReversed().map(({ customer_email, expires_at, overrides, status }): Shown => [
        status,
        overrides?.max_activations,
        expires_at,
        customer_email
      ]),
      shown
    )
    const kept = found.at(-1)!.metadata
    assert.isTrue(Object.keys(kept).some((key) => key.startsWith(`${system.split("-")[0]}_`)), JSON.stringify(kept))
  })

  it("asks of each system what its status is, where no mapping says it", async () => {
    for (const name of files) {
      const ended = await runCommand(["import", join(systems, name)], environment)
      assert.strictEqual(ended.status, 1, name)
      assert.match(
        ended.errors,
        /may say that a license is refunded, disabled or expired|is not a field of a license|product: is required/,
        name
      )
      assert.include(ended.errors, `: --mapping ${nameOf(name)} knows what they are here`, name)
    }
  })

  it("is told apart by products and policies with a mapping that extends a ready one", async () => {
    const mapping = join(temporaryDirectory(), "acme.json")
    writeFileSync(
      mapping,
      JSON.stringify({
        extends: "gumroad",
        constants: { product: "gumroad" },
        columns: { Variants: { to: "policy", values: { "(Standard)": "studio" }, also: "metadata.variant" } }
      })
    )
    const { id } = (await service.call("GET", "/api/v1/products?limit=200")).body.data
      .find(({ code }: Body) => code === "gumroad")
    await post(`products/${id}/policies`, { name: "Studio", code: "studio", license_type: "perpetual" })
    const text = readFileSync(join(systems, "gumroad.csv"), "utf8").replaceAll("8F7E0C1D", "9F7E0C1D")
    const path = join(temporaryDirectory(), "sales.csv")
    writeFileSync(path, text)
    const ended = await runCommand(["import", path, "--mapping", mapping], environment)
    assert.match(ended.output, /^9 licenses created/, ended.errors)
    assert.include(ended.output, "3 lines no license by the mapping (Recurring Charge? is \"1\": 1, ")
    const [newest] = (await service.call("GET", "/api/v1/licenses?limit=1")).body.data
    assert.strictEqual(newest.metadata.variant, "(Standard)")
  })
})
