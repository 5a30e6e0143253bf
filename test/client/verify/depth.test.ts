import { assert, describe, it } from "@effect/vitest"
import {
  ExportError,
  verifyEnvelope,
  verifyExport,
  verifyOffline,
  verifyRefusal
} from "../../../src/client/verify/index.ts"
import { parseAnswer } from "../../../src/client/verify/verifyEnvelope.ts"
import { manifestSchema } from "../../../src/domain/evidence/exports/ExportSeal.ts"
import { vectors as envelopes } from "../../vectors/makeEnvelopes.ts"
import { vectors as offline } from "../../vectors/makeOffline.ts"
import { vectors as refusals } from "../../vectors/makeRefusals.ts"

const publicKeys = [...envelopes.keys.data, ...envelopes.keys.revoked]
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
const depths = [101, 800, 5000, 100_000]
const question = { nonce: "", licenseKey: "", method: "POST", path: "", body: "" }

const codeOf = (action: () => Promise<unknown>): Promise<unknown> =>
  action().then(() => "verified", (error) => `${error.name} ${error.code}`)

describe("what is nested too deep", () => {
  it.each(depths)("is no answer: %i levels", async (levels) => {
    const body = envelopes.cases[0]!.body.replace("\"data\":{", `"data":{"about":${nested(levels)},`)
    for (const bytes of ["raw", "canonical"] as const) {
      assert.strictEqual(await codeOf(() => verifyEnvelope({ body, publicKeys, bytes })), "EnvelopeError malformed")
    }
    assert.strictEqual(
      await codeOf(() => verifyEnvelope({ body: JSON.parse(body), publicKeys })),
      "EnvelopeError malformed"
    )
  })

  it.each(depths)("is no refusal: %i levels", async (levels) => {
    const body = refusals.cases[0]!.body.replace("\"data\":{", `"data":{"about":${nested(levels)},`)
    assert.include(body, "about")
    assert.strictEqual(await codeOf(() => verifyRefusal({ body, publicKeys, question })), "EnvelopeError malformed")
    assert.strictEqual(
      await codeOf(() => verifyRefusal({ body: JSON.parse(body), publicKeys, question })),
      "EnvelopeError malformed"
    )
  })

  it.each(depths)("is no offline file: %i levels", async (levels) => {
    const { license_key: licenseKey } = offline
    const envelope = JSON.stringify(offline.envelope).replace("{", `{"about":${nested(levels)},`)
    const verdict = await codeOf(() => verifyOffline({ envelope, licenseKey, publicKeys, fingerprint: "one" }))
    assert.strictEqual(verdict, "OfflineError malformed")
  })

  it("is no manifest of an export, nor is what holds itself", async () => {
    const endless: { about?: unknown } = {}
    endless.about = endless
    const data = {
      schema: manifestSchema,
      digest: "",
      artifact_digest: "",
      artifact_size: 0,
      snapshot_size: 0,
      about: endless
    }
    const manifest = { data, signature: JSON.parse(envelopes.cases[0]!.body).signature }
    const refused = await verifyExport({ manifest, file: [], publicKeys }).catch((error) => error)
    assert.instanceOf(refused, ExportError)
    assert.strictEqual(refused.code, "malformed")
  })

  it("is an answer up to 100 levels", () => {
    assert.isArray(parseAnswer(nested(100)))
  })
})
