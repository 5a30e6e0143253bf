import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { refusalReasons } from "../../../../src/services/ground/admission/Admission.ts"
import { resources } from "../../../../src/services/ground/admission/FairShare.ts"
import { limitNames } from "../../../../src/services/ground/admission/RateLimits.ts"

const page = readFileSync(new URL("../../../../docs/development/limits.md", import.meta.url), "utf8")

it.each([
  ...refusalReasons,
  ...limitNames,
  ...resources
])("the page of limits says when %s refuses", (name) => {
  assert.include(page, `\`${name}\``)
})
