// Which scopes open which operations, and what each built-in role may do.
import { assert, describe, it } from "@effect/vitest"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { productsOf, scopesOf } from "../../../src/api/ground/Operation.ts"
import { missingScopes } from "../../../src/domain/keys/security/ManagementKey.ts"
import type { Scope } from "../../../src/domain/keys/security/ManagementKey.ts"
import { builtInRoles } from "../../../src/domain/people/Role.ts"
import { neededScopes } from "../../fixtures/OperationScopes.ts"

/** Everybody may sign out, and save views; whose these are, the operation judges, and what somebody may approve. */
const isOwnAffair = (operationId: string): boolean =>
  ["endSession", "createPasskey", "renamePasskey", "deletePasskey"].includes(operationId) ||
  /^((request|approve|decline|cancel)Approval|(create|update|delete)LicenseView)$/.test(operationId)

const management = operations.filter(({ declaration }) => productsOf(declaration) !== undefined)

/** Some operations that each role may do and may not do, whatever the scopes are called. */
const duties: Readonly<Record<string, { readonly may: string; readonly mayNot: string }>> = {
  owner: {
    may: "createPerson createRole createAPIKey revokeAPIKey rotateSigningKey eraseCustomer deleteProduct revokeLicense",
    mayNot: ""
  },
  developer: {
    may:
      "createProduct updatePolicy createLicense createWebhookEndpoint createBillingConnection listEvents getCustomer " +
      "createPublishableKey resetLicenseDevice getWebhookHealth listActivities",
    mayNot:
      "createAPIKey listAPIKeys rotateSigningKey createPerson listPeople updateRole eraseCustomer updateCustomer " +
      "createReportExport"
  },
  support: {
    may: "suspendLicense revokeLicense renewLicense blacklistLicenseDevice updateCustomer getProduct listActivities " +
      "explainLicense issueOfflineFile",
    mayNot:
      "createProduct updatePolicy deleteProduct createAPIKey createPerson listPeople eraseCustomer rotateSigningKey " +
      "createWebhookEndpoint createBillingConnection createReportExport"
  },
  finance: {
    may: "listPurchases getPurchasesReport createReportExport downloadReportExport getCustomer getLicense",
    mayNot:
      "createLicense suspendLicense updateCustomer createProduct createPerson listPeople createAPIKey retryPurchase " +
      "resetLicenseDevice"
  },
  auditor: {
    may: "listPeople getPerson listRoles listEvents getEventProof listActivities getLicense getCustomer getProduct " +
      "getWebhookHealth",
    mayNot: "createReportExport createPerson updateRole suspendLicense createAPIKey eraseCustomer testWebhookEndpoint"
  }
}

const words = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

const may = (held: ReadonlyArray<Scope>, operationId: string): boolean => {
  const needed = neededScopes.get(operationId)
  assert.isDefined(needed, operationId)
  return missingScopes(held, needed!.scopes as ReadonlyArray<Scope>).length === 0
}

describe("the scopes of operations", () => {
  it("are those of the table, which has all operations and no other", () => {
    assert.sameMembers([...neededScopes.keys()], management.map(({ operationId }) => operationId))
    for (const { declaration, operationId } of management) {
      assert.deepStrictEqual(scopesOf(declaration), neededScopes.get(operationId)!.scopes, operationId)
    }
  })

  it("that read open nothing that changes something", () => {
    for (const [operationId, { changes, scopes }] of neededScopes) {
      if (changes && !isOwnAffair(operationId)) {
        assert.isFalse(scopes.every((scope) => scope.endsWith(":read")), operationId)
      }
    }
  })
})

describe("the built-in roles", () => {
  it("are five, each with a name of its own", () => {
    assert.deepStrictEqual(builtInRoles.map(({ id }) => id), Object.keys(duties))
    for (const { id, name } of builtInRoles) assert.strictEqual(name.toLowerCase(), id)
  })

  it.each(builtInRoles)("$id may do what is its duty, and not what is another's", ({ id, scopes }) => {
    const { may: duty, mayNot } = duties[id]!
    for (const operationId of words(duty)) assert.isTrue(may(scopes, operationId), operationId)
    for (const operationId of words(mayNot)) assert.isFalse(may(scopes, operationId), operationId)
  })

  it("lets the owner do everything, and the auditor change nothing", () => {
    const scopesOfRole = (id: string) => builtInRoles.find((role) => role.id === id)!.scopes
    for (const [operationId, { changes }] of neededScopes) {
      assert.isTrue(may(scopesOfRole("owner"), operationId), operationId)
      if (changes && !isOwnAffair(operationId)) assert.isFalse(may(scopesOfRole("auditor"), operationId), operationId)
    }
  })

  it("gives nobody but the owner what leads to more rights", () => {
    const leads = ["createAPIKey", "createPerson", "updatePerson", "createRole", "updateRole", "reinstatePerson"]
    for (const { id, scopes } of builtInRoles.slice(1)) {
      for (const operationId of leads) assert.isFalse(may(scopes, operationId), `${id}: ${operationId}`)
    }
  })
})
