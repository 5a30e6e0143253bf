import type { ReportColumn } from "../../domain/evidence/reports/Report.ts"
import { statementColumns } from "../../domain/evidence/reports/StatementColumns.ts"
import { groupedBy } from "../../domain/ground/parsing/Grouped.ts"
import type { StatementLeaves } from "../statements/statementLeaves.ts"
import type { Statement } from "../statements/statementShape.ts"
import { nameOf } from "../statements/statementShape.ts"
import type { Finding } from "./FileReport.ts"
import { wrong } from "./FileReport.ts"

const isSame = (columns: Statement["table"]["columns"], expected: ReadonlyArray<ReportColumn>): boolean =>
  columns.length === expected.length &&
  columns.every(({ key, title, type }, at) =>
    key === expected[at]!.key && title === expected[at]!.title && type === expected[at]!.type
  )

/** Whether what stands beside the figures is one with them. */
export const judgeBeside = (statement: Statement, { chain, chained }: StatementLeaves): ReadonlyArray<Finding> => {
  const { checkpoint, filters, row_count, summary, table: { columns, rows } } = statement
  const decimals = new Map(summary.features.map((sums) => [nameOf(sums), sums.decimals]))
  const hint = summary.license && `${summary.license.license_key_prefix}\u2026${summary.license.license_key_last4}`
  const expected = statementColumns(summary.features)
  const licenses = new Set(chained.map(({ licenseId }) => licenseId)).size
  const isOne = filters.license_id !== undefined
  const keys = groupedBy(rows, ({ license_id }) => license_id!)
  const faults: ReadonlyArray<readonly [isRight: boolean, fault: string]> = [
    [row_count === rows.length, "The number of rows is another."],
    [isSame(columns, expected), "The columns are not those of a statement."],
    [
      rows.every(({ feature_code, product_id, ...row }) =>
        row.decimals === decimals.get(nameOf({ feature_code, product_id }))
      ),
      "A row has other decimal places than its sum."
    ],
    [
      (filters.customer_id === undefined) === isOne && (summary.customer === undefined) === isOne &&
      (summary.license === undefined) === !isOne && summary.license?.id === filters.license_id &&
      summary.customer?.id === filters.customer_id,
      "The statement is of another license or customer than it was asked for."
    ],
    [
      isOne
        ? summary.licenses === 1
        : chain === "complete"
        ? summary.licenses === licenses
        : summary.licenses >= licenses,
      "The number of licenses is another."
    ],
    [hint === undefined || rows.every(({ key }) => key === hint), "A row shows another license key."],
    [[...keys.values()].every((of) => of.every(({ key }) => key === of[0]!.key)), "A license has two keys."],
    [
      filters.feature_code === undefined ||
      (chain !== "complete" && rows.every(({ feature_code }) => feature_code === filters.feature_code)),
      "A row is of another feature than was asked for."
    ],
    [
      filters.product_ids === undefined || rows.every(({ product_id }) => filters.product_ids!.includes(product_id)),
      "A row is of another product than was asked for."
    ],
    [
      (filters.group_by !== undefined) === (summary.groups !== undefined) &&
      (summary.groups !== undefined) === (summary.total_groups !== undefined) &&
      (summary.groups?.length ?? 0) <= (summary.total_groups ?? 0),
      "The groups are not those that were asked for."
    ],
    [(checkpoint?.tree_size ?? 0) <= statement.as_of_sequence, "The checkpoint is later than the statement."]
  ]
  return faults.flatMap(([isRight, fault]) => isRight ? [] : [wrong(fault)])
}
