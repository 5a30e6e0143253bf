import type { ComponentChildren } from "preact"
import { Button } from "../../ground/design/Button.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { useKept } from "../../ground/session/Kept.ts"
import "./finance.css"

/** A column of figures or of their subjects. */
export interface FigureColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  /** The cells below it, one for each line of totals. */
  readonly totals?: ReadonlyArray<ComponentChildren>
}

/** How many rows are drawn at first. */
const first = 100

interface FigureTableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<FigureColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Whether all rows are drawn, because they arrive page by page. */
  readonly isWhole?: boolean
}

/** A cell. On a phone an empty one is left out, with its name. */
const Cell = ({ children, isNumber = false, name }: {
  readonly name: string
  readonly isNumber?: boolean | undefined
  readonly children?: ComponentChildren
}) => {
  const isBlank = children === undefined || children === null || children === ""
  return <td data-name={name} class={`${isNumber ? "num" : ""} ${isBlank ? "blank" : ""}`}>{children}</td>
}

/** Rows of figures, with totals below. On a phone each row is a block with a name beside each figure. */
export function FigureTable<Row>({ columns, isWhole = false, keyOf, label, rows }: FigureTableProps<Row>) {
  const [isAll, setAll] = useKept(`all rows of ${label}`, false)
  const shown = isAll || isWhole ? rows : rows.slice(0, first)
  const lines = Math.max(0, ...columns.map(({ totals = [] }) => totals.length))
  return (
    <div class="table sums">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ isNumber, name }) => (
              <th key={name} scope="col" class={isNumber === true ? "num" : ""}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ cell, isNumber, name }) => (
                <Cell key={name} name={name} isNumber={isNumber}>{cell(row)}</Cell>
              ))}
            </tr>
          ))}
        </tbody>
        {lines === 0 ? null : (
          <tfoot>
            {Array.from({ length: lines }, (_, line) => (
              <tr key={line}>
                {columns.map(({ isNumber, name, totals = [] }) => (
                  <Cell key={name} name={name} isNumber={isNumber}>{totals[line]}</Cell>
                ))}
              </tr>
            ))}
          </tfoot>
        )}
      </table>
      {shown.length === rows.length ? null : (
        <div class="rest">
          <Button small weight="bare" onClick={() => setAll(true)}>
            {`Show all ${count(rows.length)} rows`}
          </Button>
        </div>
      )}
    </div>
  )
}
