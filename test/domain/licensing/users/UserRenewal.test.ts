import { assert, describe, it } from "@effect/vitest"
import { formatRenewal, readRenewal } from "../../../../src/domain/licensing/users/UserRenewal.ts"
import { sha256 } from "../../../fixtures/NaiveTree.ts"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

describe("a renewal", () => {
  const said = {
    licenseId: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    userId: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
    expiresAt: 1_796_000_000,
    machine: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA"
  }
  const renewal = formatRenewal(said, sha256)

  it("is read as it was written", () => {
    assert.deepInclude(readRenewal(renewal), said)
  })

  it("is read in one spelling alone: the last characters have bits that stand for nothing", () => {
    const [body, mac] = renewal.split(".") as [string, string]
    const others = (text: string) =>
      [...alphabet].map((last) => text.slice(0, -1) + last).filter((each) => each !== text)
    const read = [...others(body).map((each) => `${each}.${mac}`), ...others(mac).map((each) => `${body}.${each}`)]
      .map(readRenewal)
    // Another spelling of the same bytes is refused; that of other bytes is of another text, or has another hash.
    for (const one of read) {
      if (one !== undefined) {
        assert.notDeepEqual([one.text, Buffer.from(one.mac)], [
          readRenewal(renewal)!.text,
          Buffer.from(readRenewal(renewal)!.mac)
        ])
      }
    }
  })
})
