import { snapshotSchema } from "../../domain/evidence/exports/ExportSeal.ts"
import { chainStates, statementEvidenceSchemas } from "../../domain/evidence/exports/StatementEvidence.ts"
import { parseInstant } from "../../domain/ground/parsing/Instant.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import type { Shape } from "./memberShapes.ts"
import { integer, integerWord, list, members, record, shapeFault, text, textWord } from "./memberShapes.ts"
import type { Figures } from "./statementFigures.ts"
import { figureNames } from "./statementFigures.ts"

const oneOf = (...all: ReadonlyArray<string>): Shape => text((value) => all.includes(value))

const isInstant = (value: string): boolean => parseInstant(value) !== undefined

/** The figures that are absent where they are 0. */
const absentWhereNothing = ["told_before", "told_after", "overage"] as const

const figures = Object.fromEntries(
  figureNames.filter((name) => !absentWhereNothing.some((absent) => absent === name)).map((name) => [name, integer()])
)

/** A feature as rows and sums name it, and its figures. */
const named = { product_id: textWord(), feature_code: text() }
const beside = {
  decimals: integerWord(0),
  ...Object.fromEntries(absentWhereNothing.map((name) => [name, integer(1)]))
}

/**
 * The closed schema of a frozen statement (docs/reference/exports.md, "From what each member follows"). A member follows from the
 * events in the evidence, or it is the vendor's word: then a verifier says so, by its name.
 */
export const statementShape: Shape = members({
  as_of_sequence: integerWord(0),
  evidence: members({
    schema: oneOf(...Object.values(statementEvidenceSchemas)),
    note: text(),
    features: list(members({ id: text(), product_id: textWord(), code: text() })),
    events: text(),
    hashes: text()
  }, { chain: oneOf(...chainStates) }),
  filters: members({ from: text(isInstant), to: text(isInstant) }, {
    customer_id: textWord(),
    license_id: text(),
    feature_code: text(),
    group_by: textWord(),
    product_ids: list(textWord())
  }),
  frozen_at: textWord(isInstant),
  report_kind: oneOf("statement"),
  report_schema: oneOf("countersign/report/statement/v1"),
  row_count: integer(0),
  schema: oneOf(snapshotSchema),
  summary: members({ licenses: integerWord(0), features: list(members({ ...named, ...figures }, beside)) }, {
    customer: members({ id: textWord(), name: textWord(), code: textWord(), created_at: textWord(isInstant) }, {
      email: textWord()
    }),
    license: members({
      id: text(),
      product_id: textWord(),
      policy_id: textWord(),
      license_key_prefix: textWord(),
      license_key_last4: textWord()
    }, { customer_id: textWord() }),
    groups: list(
      members({ product_id: textWord(), feature_code: textWord(), uses: integerWord(0), amount: integerWord() }, {
        decimals: integerWord(0),
        group: textWord(),
        overage: integerWord(1)
      })
    ),
    total_groups: integerWord(0)
  }),
  table: members({
    columns: list(members({ key: text(), title: text(), type: text() })),
    rows: list(members({ license_id: text(), key: textWord(), ...named, ...figures }, beside))
  })
}, {
  checkpoint: members({
    tree_size: integerWord(0),
    root_hash: textWord((value) => decodeHex(value, 32) !== undefined)
  }),
  presentation: members({}, {
    logo: textWord(),
    names: record(textWord()),
    time_zone: members({
      name: textWord(),
      offsets: list(members({ minutes: integerWord(), since: textWord(isInstant) }))
    }),
    vendor: textWord()
  })
})

/** The identity of figures: of a row, with the license; of a sum, without. */
export interface FigureKey {
  readonly license_id?: string
  readonly product_id: string
  readonly feature_code: string
}

/** The figures of a row, or of a sum. */
export type StatedFigures = FigureKey & Partial<Figures> & { readonly decimals?: number; readonly key?: string }

/** A statement whose members have been found to be those of its schema. */
export interface Statement {
  readonly as_of_sequence: number
  readonly checkpoint?: { readonly tree_size: number; readonly root_hash: string }
  readonly filters: {
    readonly from: string
    readonly to: string
    readonly customer_id?: string
    readonly license_id?: string
    readonly feature_code?: string
    readonly group_by?: string
    readonly product_ids?: ReadonlyArray<string>
  }
  readonly row_count: number
  readonly evidence: object
  readonly summary: {
    readonly licenses: number
    readonly features: ReadonlyArray<StatedFigures>
    readonly customer?: { readonly id: string }
    readonly license?: { readonly id: string; readonly license_key_prefix: string; readonly license_key_last4: string }
    readonly groups?: ReadonlyArray<object>
    readonly total_groups?: number
  }
  readonly table: {
    readonly columns: ReadonlyArray<{ readonly key: string; readonly title: string; readonly type: string }>
    readonly rows: ReadonlyArray<StatedFigures>
  }
}

/** Whether a value has the members of a statement, each of its type, and no other. */
export const isStatement = (value: unknown): value is Statement => shapeFault(value, statementShape) === undefined

/** The name of figures in sentences. */
export const nameOf = ({ feature_code, license_id, product_id }: FigureKey): string =>
  `${feature_code} of product ${product_id}${license_id === undefined ? "" : `, license ${license_id}`}`
