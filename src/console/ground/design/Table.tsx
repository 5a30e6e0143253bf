import type { ComponentChildren, TargetedMouseEvent } from "preact"
import { useLocation } from "preact-iso"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { RowName } from "./Button.tsx"
import { Tick } from "./Field.tsx"
import { onKey } from "./Keys.ts"

/** A cell of two lines, each in the direction of its script; the second may be absent. */
export const TwoLines = ({ first, second }: { readonly first: string; readonly second: ComponentChildren }) => (
  <span class="two">
    <bdi class="strong clip">{first}</bdi>
    {second === undefined ? null : <bdi class="small quiet clip">{second}</bdi>}
  </span>
)

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Whether it holds numbers, which stand at the right. */
  readonly isNumber?: boolean
  /** Whether it is left out where there is little room. */
  readonly isMinor?: boolean
  /** The word before a value that is not understood without its heading, which a phone does not show. */
  readonly label?: string
  /** The orders of the list by this column, where the service sorts by it; `first` is the one that a first press asks for. */
  readonly orders?: { readonly up: string; readonly down: string; readonly first: "up" | "down" }
}

/** The order of a list, and how another is asked for. */
export interface Sorted {
  readonly order: string
  readonly onOrder: (order: string) => void
}

/** Rows that can be ticked. */
export interface Ticks<Row> {
  readonly has: (row: Row) => boolean
  /** With `isRange`, all rows from the one that was ticked before. */
  readonly toggle: (row: Row, isRange: boolean) => void
  readonly toggleAll: () => void
  /** A row in words, for who does not see it. */
  readonly nameOf: (row: Row) => string
}

interface TableProps<Row> {
  /** Whether and how rows are ticked. */
  readonly ticks?: Ticks<Row> | undefined
  /** Whether the list is sorted by its headings. */
  readonly sorted?: Sorted | undefined
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** The target of a row. Its first cell has the link, and the arrow keys move between rows. */
  readonly hrefOf?: (row: Row) => string
  /** Whether its columns are compared: on a phone it scrolls sideways beside its first column, and does not fold. */
  readonly isCompared?: boolean
}

const classOf = ({ isMinor = false, isNumber = false }: Pick<Column<never>, "isMinor" | "isNumber">): string =>
  [isNumber ? "num" : "", isMinor ? "minor" : ""].join(" ").trim()

const links = (table: Element) => [...table.querySelectorAll<HTMLAnchorElement>("a.lead")]

/** Up and down go through the rows' links (WAI-ARIA practice for lists of links); Home and End to the ends. */
const onArrow = onKey((key, event) => {
  const table = event.currentTarget as Element
  const all = links(table)
  const at = all.indexOf(document.activeElement as HTMLAnchorElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[key]
  if (at < 0 || next === undefined || all[next] === undefined) return
  event.preventDefault()
  all[next].focus()
})

/** A table that scrolls sideways can be focused with the keyboard, and is then announced by its name. */
const scrolled = { role: "region", tabIndex: 0 } as const

/** Whether the content is wider than its frame; checked again when either changes. */
const useWide = () => {
  const frame = useRef<HTMLDivElement>(null)
  const [isWide, setIsWide] = useState(false)
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const judge = () => setIsWide(element.scrollWidth > element.clientWidth + 1)
    const observer = new ResizeObserver(judge)
    observer.observe(element)
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild)
    judge()
    return () => observer.disconnect()
  }, [])
  return { frame, isWide }
}

/** The box that ticks all rows: in between where some are. */
function AllTicked<Row>({ rows, ticks }: { readonly rows: ReadonlyArray<Row>; readonly ticks: Ticks<Row> }) {
  const ticked = rows.filter(ticks.has).length
  return (
    <th scope="col" class="tick">
      <Tick
        label="Select all rows on this page"
        isOn={rows.length > 0 && ticked === rows.length}
        isMixed={ticked > 0 && ticked < rows.length}
        onClick={ticks.toggleAll}
      />
    </th>
  )
}

function Ticked<Row>({ row, ticks }: { readonly row: Row; readonly ticks: Ticks<Row> }) {
  return (
    <td class="tick">
      <Tick
        label={`Select ${ticks.nameOf(row)}`}
        isOn={ticks.has(row)}
        onClick={(isRange) => ticks.toggle(row, isRange)}
      />
    </td>
  )
}

/** The heading of a column; one that sorts is a button, which turns the order around when it is pressed again. */
function Heading<Row>(
  { column: { name, orders, ...column }, sorted }: {
    readonly column: Column<Row>
    readonly sorted: Sorted | undefined
  }
) {
  if (sorted === undefined || orders === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {name === "" ? <span class="visually-hidden">Actions</span> : name}
      </th>
    )
  }
  const way = sorted.order === orders.up ? "up" : sorted.order === orders.down ? "down" : undefined
  const next = way === undefined ? orders.first : way === "up" ? "down" : "up"
  return (
    <th
      scope="col"
      class={classOf(column)}
      {...(way === undefined ? {} : { "aria-sort": way === "up" ? "ascending" : "descending" } as const)}
    >
      <button type="button" class={`sorts ${way ?? ""}`} onClick={() => sorted.onOrder(orders[next])}>
        {name}
        <span aria-hidden="true">{(way ?? next) === "up" ? "↑" : "↓"}</span>
      </button>
    </th>
  )
}

/** Rows under column headings. On a phone each row becomes two columns of cells, without a heading. */
export function Table<Row>(
  { columns, hrefOf, isCompared = false, keyOf, label, rows, sorted, ticks }: TableProps<Row>
) {
  const { route } = useLocation()
  const { frame, isWide } = useWide()
  const id = useId()
  const onRow = (row: Row) => (event: TargetedMouseEvent<HTMLElement>) => {
    const isElse = (event.target as Element).closest("a, button, input, label") !== null
    if (hrefOf === undefined || isElse || String(getSelection()) !== "") return
    // On return, the focus is on the row that was left.
    event.currentTarget.querySelector<HTMLElement>("a.lead")?.focus({ preventScroll: true })
    route(hrefOf(row))
  }
  return (
    <div
      class={`table ${isCompared ? "compared" : "folds"} ${ticks === undefined ? "" : "ticks"}`}
      ref={frame}
      onKeyDown={onArrow}
      {...(isWide ? { ...scrolled, "aria-label": label } : {})}
    >
      <table aria-label={label}>
        <thead>
          <tr>
            {ticks === undefined ? null : <AllTicked rows={rows} ticks={ticks} />}
            {columns.map((column) => <Heading column={column} sorted={sorted} />)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <RowName.Provider key={keyOf(row)} value={`${id}-${at}`}>
              <tr class={hrefOf === undefined ? "" : "leads"} onClick={onRow(row)}>
                {ticks === undefined ? null : <Ticked row={row} ticks={ticks} />}
                {columns.map(({ cell, ...column }, index) => (
                  <td class={classOf(column)} data-label={column.label} {...(index === 0 ? { id: `${id}-${at}` } : {})}>
                    {hrefOf === undefined || index > 0 ? cell(row) : <a class="lead" href={hrefOf(row)}>{cell(row)}</a>}
                  </td>
                ))}
              </tr>
            </RowName.Provider>
          ))}
        </tbody>
      </table>
    </div>
  )
}
