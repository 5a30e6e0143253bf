// Each value of the contract that people see has one label (src/client/api/Labels.ts), and no second one.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { parseSync } from "oxc-parser"
import { openApiDocument } from "../src/api/composition/docs/OpenApi.ts"
import { labelOf, labels, titleOf } from "../src/client/api/Labels.ts"
import { childrenOf } from "./fixtures/SourceTree.ts"
import type { Node } from "./fixtures/SourceTree.ts"

const root = join(import.meta.dirname, "..")

/** Schemas whose values people see as codes, or do not see. The list only shrinks. */
const withoutLabels: Readonly<Record<string, ReadonlyArray<string>>> = {
  "codes, which documents and searches name": ["ErrorCode", "EventSubscription", "ManagementScope"],
  "shown by no screen": [
    "ActivitySource",
    "CustomFieldValueType",
    "DeviceBindingKind",
    "LicenseType",
    "LicenseUserRemoval",
    "PasskeyAlgorithm",
    "LicenseUserInviteDelivery",
    "PortalLinkDelivery",
    "ReportExportExpiredReason"
  ],
  "words already, shown as they are": ["LeaseUnit"],
  "shown in forms that say each value in a sentence of their own": [
    "ApprovableOperation",
    "BillingProvider",
    "LicenseJobAction",
    "MatchedBy",
    "QuantityMeaning",
    "RehearsalUnknownReason",
    "TrustedIssuerAdmission"
  ]
}

/** The closed lists of strings that have a name in the document, with more than one value; one with two names is one list. */
const named = Object.entries(
  (openApiDocument("https://licenses.example", "0") as unknown as {
    components: { schemas: Record<string, { enum?: ReadonlyArray<string> }> }
  }).components.schemas
).flatMap(([name, { enum: values = [] }]) => values.length > 1 ? [[name, values] as const] : [])
  .filter(([, values], at, all) => all.findIndex((other) => isDeepStrictEqual(other[1], values)) === at)

const maps = Object.values(labels).map((of): ReadonlyArray<string> => Object.keys(of))
const isLabelled = (values: ReadonlyArray<string>) =>
  maps.some((labelled) => values.every((value) => labelled.includes(value)))

/** A map from values to their labels, in an object or in pairs: two values or more, most of its entries. */
const isMap = (node: Node): boolean => {
  const entries = node.type === "ObjectExpression"
    ? (node["properties"] as ReadonlyArray<Node>).map((property) => [property["key"], property["value"]])
    : node.type === "ArrayExpression"
    ? (node["elements"] as ReadonlyArray<Node>).map((pair) =>
      pair?.type === "ArrayExpression" ? pair["elements"] as ReadonlyArray<Node> : []
    )
    : []
  const said = entries.flatMap(([key, value]) => {
    const name = (key as Node | undefined)?.["name"] ?? (key as Node | undefined)?.["value"]
    const text = (value as Node | undefined)?.["value"]
    return typeof name === "string" && typeof text === "string" && /\p{L}/u.test(text) ? [[name, text] as const] : []
  })
  return maps.some((values) => {
    const labelled = said.filter(([name]) => values.includes(name)).length
    return labelled > 1 && labelled > said.length / 2
  })
}

/** Maps from values to something that is not their label. The list only shrinks. */
const notLabels: Readonly<Record<string, string>> = {
  "src/console/log/ActivityFilter.ts": "the names of filters in the address",
  "src/console/log/ActivityWords.ts": "sentences about what was done",
  "src/console/log/Undoing.ts": "what undoes an action",
  "src/console/catalog/CustomFieldsTab.tsx": "types of fields in a form",
  "src/console/ground/charts/ChartOptions.ts": "options of a format of dates",
  "src/console/ground/design/Badge.tsx": "tones",
  "src/console/evidence/finance/FigureTable.tsx": "the words for rows without a group",
  "src/console/evidence/exports/ExportView.ts": "the usual period of each report",
  "src/console/evidence/exports/Sheet.tsx": "what each format is for",
  "src/console/ground/period/Period.ts": "options of a format of dates",
  "src/console/catalog/policies/PolicyGroups.ts": "when each mail is sent",
  "src/runtime/rendering/report/tableLayout.ts": "the column with the name of an id",
  "src/runtime/rendering/report/reportOpening.ts": "what members of a summary are about",
  "src/runtime/rendering/report/reportWords.ts": "labels of former editions, as they were signed"
}

describe("labels", () => {
  it("are there for every list of values of the OpenAPI document that people see", () => {
    const without = named.filter(([, values]) => !isLabelled(values)).map(([name]) => name)
    assert.sameMembers(without, Object.values(withoutLabels).flat(), "give it labels, or a reason to have none")
  })

  it("are said once: no program has a second map of them", () => {
    const files = globSync("src/{console,runtime/{cli,terminal,rendering}}/**/*.{ts,tsx}", { cwd: root }).toSorted()
    const found = files.filter((path) => {
      const visit = (node: Node): boolean => isMap(node) || childrenOf(node).some(visit)
      return visit(parseSync(path, readFileSync(join(root, path), "utf8")).program as unknown as Node)
    })
    assert.deepStrictEqual(found, Object.keys(notLabels).toSorted())
  })

  it("begin with a capital where they begin a line, and say a value of a newer service by its words", () => {
    assert.strictEqual(labelOf("state", "blacklisted"), "blocked")
    assert.strictEqual(titleOf("state", "grace_period"), "Grace period")
    assert.strictEqual(labelOf("state", "some_new_state"), "some new state")
    assert.strictEqual(labelOf("state", "constructor"), "constructor")
  })
})
