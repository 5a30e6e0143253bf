// What may need a second person, as the console knows it: each operation by its request, and each form that sends one.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { Api } from "../../../../src/api/composition/Api.ts"
import { operations } from "../../../../src/client/api/operations.gen.ts"
import { operationOf } from "../../../../src/console/ground/requests/SentOperation.ts"
import { isApprovable, secondLooks } from "../../../../src/domain/log/SecondLook.ts"

const declared = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints)).flatMap(
  ({ identifier, method, path }) =>
    isApprovable(identifier) ? [{ operation: identifier, method, path: path.replaceAll(/:(\w+)/g, "{$1}") }] : []
)

const root = "src/console"
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx")).map(
  (name) => ({ name, text: readFileSync(`${root}/${name}`, "utf8") })
)

/** How the console calls an operation. */
const callOf = (method: string, path: string): string => {
  const [call] = Object.entries(operations).flatMap(([group, methods]) =>
    Object.entries(methods).flatMap(([name, line]) =>
      line.startsWith(`${method} ${path} `) ? [`client.${group}.${name}(`] : []
    )
  )
  return call!
}

/** Operations that no page of the console has a form for. */
const formless = new Set(["revokeSigningKey"])

/** Calls about what nobody else is asked for: one's own passkey, and members of a license that do not say whose it is. */
const alone = new Set([
  "people/account/MePage.tsx deletePasskey",
  "licensing/changes/EditTerms.tsx updateLicense",
  "licensing/users/UsersPanel.tsx updateLicense",
  "people/notes/TagsPanel.tsx updateLicense"
])

/** Forms of many members, of which one needs a second person: the dialog says so once the service does. */
const sometimes = new Set([
  "licensing/changes/AddCredits.tsx updateLicense",
  "customers/CustomerForms.tsx updateCustomer"
])

describe("an operation that may need a second person", () => {
  for (const { method, operation, path } of declared) {
    it(`${operation} is known by its request, with the parameters of its path`, () => {
      const url = `https://licenses.example.com/test${path.replaceAll(/\{\w+\}/g, "a%2Fb")}?x=1`
      const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => [name, "a/b"])
      assert.deepStrictEqual(operationOf({ method, url }), { operation, params: Object.fromEntries(names) })
    })

    it(`${operation} says in each of its forms that a second person may be needed`, () => {
      const calling = files.filter(({ text }) => text.includes(callOf(method, path)))
      assert.strictEqual(calling.length === 0, formless.has(operation), `forms of ${operation}`)
      for (const { name, text } of calling) {
        if (alone.has(`${name} ${operation}`) || name === "people/team/ApprovalsPage.tsx") continue
        if (sometimes.has(`${name} ${operation}`)) {
          assert.include(text, "<EditAction", `${name}: only an Action asks for approvals`)
          continue
        }
        const asks = text.includes(`secondLook="${secondLooks[operation]}"`) ||
          text.includes(`{ secondLook: "${secondLooks[operation]}" }`) ||
          operation === "createRole" && name === "people/team/Invite.tsx"
        assert.isTrue(asks, `${name}: an Action that calls ${operation} needs secondLook="${secondLooks[operation]}"`)
        assert.include(text, "<Action", `${name}: only an Action asks for approvals`)
      }
    })
  }

  it("is no other request", () => {
    for (const url of ["/api/v1/people", "/api/v1/people/per_1/sessions", "/healthz"]) {
      assert.isUndefined(operationOf({ method: "GET", url }), url)
    }
  })
})
