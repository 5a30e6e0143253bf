// Every kind of event under a second look, and every operation, page and job that leads to it: each of these asks.
import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import { JobAction, singleOperations } from "../../../src/domain/jobs/LicenseJob.ts"
import { families, familyOf, kinds } from "../../../src/domain/log/EventKind.ts"
import type { EventKind } from "../../../src/domain/log/EventKind.ts"
import { isApprovable, SecondLookAction, secondLookOf, secondLooks } from "../../../src/domain/log/SecondLook.ts"
import { lookedAt, lookOf } from "../../../src/domain/log/SecondPerson.ts"
import { holderRights } from "../../../src/domain/portal/HolderRights.ts"
import { licenseActions, portalActions } from "../../../src/http/portal/pages/SignInWords.ts"
import type { LicenseAction, PortalAction } from "../../../src/http/portal/pages/SignInWords.ts"

/** The events of these families give somebody rights, secrets or an end: each is under a look, or says here why not. */
const watched = ["person", "role", "api_key", "signing_key", "passkey"] as const
const unseen: Readonly<Partial<Record<EventKind, string>>> = {
  "api_key.updated": "the end of a key that was rotated, whose successor is api_key.created",
  "api_key.revoked": "ends access, and gives none",
  "api_key.signed_in": "changes nothing",
  "signing_key.retired": "comes with signing_key.created",
  "passkey.created": "an own way in, of who is signed in or was invited",
  "passkey.updated": "a name"
}

/** What an operation leads to beside the kind that it declares. */
const beside: Readonly<Record<string, EventKind>> = {
  // It writes api_key.created, whose second look each person has who has this one.
  rotateAPIKey: "api_key.rotated",
  updateWebhookEndpoint: "webhook.secret_rotated",
  rotateLicenseKey: "license.key_rotated",
  // By the mailbox of the owner, in the portal.
  updateCustomer: "license.key_rotated",
  updateLicense: "license.key_rotated",
  putCustomer: "license.key_rotated",
  createPortalLink: "license.key_rotated"
}

/** How a door asks that is no approvable operation. */
const otherwise: Readonly<Record<string, string>> = {
  putCustomer: "is refused with APPROVAL_REQUIRED, and asked for as updateCustomer",
  createPortalLink: "the session that the link opens is refused with APPROVAL_REQUIRED"
}

/** What each act in the portal leads to, of the kinds under a look. All of them are judged for who opened the session. */
const pages: Readonly<Record<LicenseAction | PortalAction, EventKind | undefined>> = {
  signIn: undefined,
  askLink: undefined,
  spendLink: undefined,
  enterCode: undefined,
  signOut: undefined,
  widen: undefined,
  choose: undefined,
  setNotices: undefined,
  // Without a session: whoever reads the mailbox that an owner named accepts.
  acceptTransfer: undefined,
  chooseLanguage: undefined,
  releaseDevice: undefined,
  renameDevice: undefined,
  changeKey: "license.key_rotated",
  issueFile: undefined,
  askTransfer: "license.transfer_requested",
  cancelTransfer: undefined,
  inviteUser: undefined,
  resendInvitation: undefined,
  removeUser: undefined
}

const isLookedAt = (kind: string): kind is keyof typeof lookedAt => Object.hasOwn(lookedAt, kind)

describe("what happens under a second look", () => {
  it("is each event that gives somebody rights", () => {
    for (const kind of kinds.filter((each) => watched.some((family) => family === familyOf(each)))) {
      assert.notStrictEqual(isLookedAt(kind), kind in unseen, kind)
    }
    assert.includeMembers([...families], [...watched])
  })

  it("has an operation that a second person is asked for, and each such action an event", () => {
    const asked = new Set<string>(Object.values(secondLooks))
    for (const action of SecondLookAction.literals) {
      assert.isTrue(asked.has(action), action)
      assert.isTrue(Object.values(lookedAt).some((one) => one === action), action)
    }
  })

  it.each(operations.filter(({ method }) => method !== "GET"))(
    "$operationId asks where it leads there",
    (operation) => {
      const { declaration: { action = "none" }, operationId } = operation
      const kind = beside[operationId] ?? action
      if (!isLookedAt(kind)) return
      // Nobody acts in the operations of apps and of whoever signs in.
      if (!("products" in operation.declaration)) return
      if (operationId in otherwise) return
      assert.isTrue(isApprovable(operationId), `${operationId} leads to ${kind}, and nobody is asked`)
      if (isApprovable(operationId)) assert.strictEqual(secondLooks[operationId], lookedAt[kind])
    }
  )

  it.each(JobAction.literals)("a job that does %s asks as its operation does", (action) => {
    const single = singleOperations[action]
    const isAsked = isApprovable(single) && secondLookOf(single, {}) !== undefined
    assert.strictEqual(secondLookOf("createLicenseJob", { action }) !== undefined, isAsked)
  })

  it("has a word of each page of the portal, whose acts have a right of who has the key", () => {
    assert.sameMembers(Struct.keys(pages), [...Struct.keys(licenseActions), ...Struct.keys(portalActions)])
    assert.sameMembers(Struct.keys(holderRights), ["see", ...Struct.keys(licenseActions)])
    for (const kind of Object.values(pages)) if (kind !== undefined) assert.isTrue(isLookedAt(kind), kind)
  })

  it("is told by an event itself where its kind does not say", () => {
    assert.strictEqual(lookOf({ type: "job.created", look: "revoke_license" }), "revoke_license")
    assert.isUndefined(lookOf({ type: "job.created" }))
    assert.isUndefined(lookOf({ type: "person.updated", look: "none" }))
    assert.strictEqual(lookOf({ type: "person.updated" }), "change_people")
  })
})
