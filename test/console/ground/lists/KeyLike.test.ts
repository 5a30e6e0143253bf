import { assert, describe, it } from "@effect/vitest"
import { mayBeKey } from "../../../../src/console/ground/lists/KeyLike.ts"
import vectors from "../../../vectors/keys.json" with { type: "json" }

const key = "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"

describe("what may be a license key", () => {
  it("is each of ours, however it was pasted", () => {
    const ours = vectors.cases.filter(({ key }: { key?: string }) => key?.startsWith("CS-") === true)
    assert.isAbove(ours.length, 30)
    assert.deepStrictEqual(ours.filter(({ pasted }) => !mayBeKey(pasted)), [])
  })

  it.each([
    key,
    key.slice(0, -1),
    `${key}8`,
    key.replace("7", "8"),
    key.replaceAll("-", " "),
    key.replaceAll("-", "–").toLowerCase(),
    `My key is ${key}, and it does not work.`,
    key.slice(0, 20),
    "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "ABCD-EFGH-IJKL",
    "abcd-1234-efgh",
    "key/eyJhY2NvdW50Ijp7ImlkIjoiMSJ9fQ==.c2ln",
    "b8e1c6f2d4a09317",
    "csk_0123456789abcdefghijklmnopqrstuvwxyzABCDEF"
  ])("is %s", (text) => assert.isTrue(mayBeKey(text)))

  it.each([
    "ada@example.com",
    "ada.lovelace1815@computing.example",
    "Ada Lovelace",
    "ACME GmbH",
    "van der Berg",
    "Anne-Marie Müller-Lüdenscheidt",
    "山田太郎",
    "Studio 54",
    "m2xc",
    "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    "req_01m8ae09g3ewhbpvbka5mzvf5v",
    "12345678",
    ""
  ])("is not %s", (text) => assert.isFalse(mayBeKey(text)))

  it("is a word with digits and letters of 8 characters or more", () => {
    assert.isTrue(mayBeKey("b8e1c6f2"))
    assert.isFalse(mayBeKey("b8e1c6f"))
  })
})
