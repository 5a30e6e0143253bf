import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { holderRights, mayHolder } from "../../../src/domain/portal/HolderRights.ts"
import type { PortalAct } from "../../../src/domain/portal/HolderRights.ts"

/** What who has the key may do: of a license with named users, and of one without. */
const table: Readonly<Record<PortalAct, readonly [withUsers: boolean, alone: boolean]>> = {
  see: [true, true],
  releaseDevice: [true, true],
  renameDevice: [false, true],
  changeKey: [false, true],
  issueFile: [false, true],
  askTransfer: [false, false],
  cancelTransfer: [false, false],
  inviteUser: [false, false],
  resendInvitation: [false, false],
  removeUser: [false, false]
}

describe("who has a license key in the portal", () => {
  it.each(Struct.keys(table))("may %s as the table says", (act) => {
    assert.deepStrictEqual([mayHolder(act, true), mayHolder(act, false)], [...table[act]])
  })

  it("has a right or none for each act", () => {
    assert.sameMembers(Struct.keys(holderRights), Struct.keys(table))
  })
})
