// Addresses of pages: each has an environment, and no page is taken for one.
import { assert, describe, it } from "@effect/vitest"
import { pagePaths } from "../../../../src/console/composition/parts/PagePaths.ts"
import { listOf } from "../../../../src/console/composition/shell/Places.ts"
import { addressIn, environmentIn, environmentNames, pageIn } from "../../../../src/console/ground/addresses/Address.ts"
import { environmentNames as served } from "../../../../src/domain/ground/environments/EnvironmentName.ts"
import { returnPath } from "../../../../src/domain/people/SignInFlow.ts"
import { consolePartOf, consoleRouteOf } from "../../../../src/http/ground/pages/Markdown.ts"

const pages = ["/console", ...pagePaths].map((path) => path.replaceAll(/:\w+/g, "lic_1"))

describe("the address of a page", () => {
  it("knows the environments of the service", () => assert.deepStrictEqual(environmentNames, [...served]))

  it.each(pages)("%s has its environment, and is the same page in each", (page) => {
    for (const rest of ["", "?status=active&q=%2Fconsole%2Ftest", "#licenses"]) {
      for (const name of environmentNames) {
        const address = addressIn(name, page + rest)
        assert.strictEqual(environmentIn(address), name)
        assert.strictEqual(pageIn(address), page + rest)
        for (const other of environmentNames) {
          assert.strictEqual(addressIn(other, address), addressIn(other, page + rest))
        }
        assert.strictEqual(returnPath(address), address, "a sign-in returns to it")
      }
    }
    assert.strictEqual(addressIn("live", page), page, "those of live are as they were")
    const inTest = addressIn("test", page)
    assert.strictEqual(consoleRouteOf(inTest), "/console/*")
    if (page !== "/console") {
      assert.strictEqual(consolePartOf(inTest), consolePartOf(page), "its part is loaded with it")
    }
  })

  it("is only that of a page", () => {
    for (const other of ["/docs", "/consoles", "https://example.com/console", "#main", "/api/v1/licenses"]) {
      assert.strictEqual(addressIn("test", other), other)
    }
    assert.strictEqual(environmentIn("/console/tests"), "live")
    for (
      const elsewhere of [
        "//example.com",
        "/console/test//example.com",
        "/console/test/..//example.com",
        "/test/console"
      ]
    ) {
      assert.isUndefined(returnPath(elsewhere), elsewhere)
    }
  })

  it("leads to the list where another environment does not have the record", () => {
    const lists: ReadonlyArray<readonly [page: string, list: string]> = [
      ["/console/products/prod_1/policies/pol_1", "/console/products"],
      ["/console/products/prod_1/versions", "/console/products"],
      ["/console/licenses/new", "/console/licenses/new"],
      ["/console/licenses/jobs/job_1", "/console/licenses"],
      ["/console/purchases/connections/bil_1", "/console/purchases"],
      ["/console/people/roles", "/console/people/roles"],
      ["/console/people/per_1", "/console/people"],
      ["/console/reports/usage-summary", "/console/reports/usage-summary"],
      ["/console/nowhere/else", "/console"],
      ["/console", "/console"]
    ]
    for (const [page, list] of lists) assert.strictEqual(listOf(page), list)
  })
})
