import { useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { Dialog } from "../../ground/design/Dialog.tsx"
import { Check } from "../../ground/design/Field.tsx"
import type { useFilters } from "../../ground/lists/Filters.ts"

/** A column that can be chosen: its name in views and in the browser, and its heading. */
export interface Choosable {
  readonly key: string
  readonly name: string
}

const place = (list: string): string => `countersign.columns.${list}`

const stored = (list: string): string | undefined => {
  try {
    return localStorage.getItem(place(list)) ?? undefined
  } catch {
    // The browser keeps nothing for this page.
    return undefined
  }
}

const store = (list: string, columns: string): void => {
  try {
    localStorage.setItem(place(list), columns)
  } catch {
    // The columns stay until the page is closed.
  }
}

/**
 * The columns of a list: those of the address, which a view has brought, or else what this browser keeps, or else the usual
 * ones. What is chosen is kept in the browser, and in the address of a view.
 */
export const useColumns = (
  { list, of, usual }: {
    readonly list: string
    readonly of: ReadonlyArray<Choosable>
    readonly usual: ReadonlyArray<string>
  },
  { query, setTyped }: ReturnType<typeof useFilters>
) => {
  const [kept, setKept] = useState(() => stored(list))
  const wanted = (query["columns"] ?? kept)?.split(",") ?? usual
  const known = of.map(({ key }) => key).filter((key) => wanted.includes(key))
  const chosen = known.length === 0 ? usual : known
  const choose = (columns: ReadonlyArray<string>) => {
    const text = columns.join(",")
    if (query["view"] === undefined) {
      setKept(text)
      store(list, text)
    }
    if (query["view"] !== undefined || query["columns"] !== undefined) setTyped({ columns: text })
  }
  return { chosen, choose }
}

/** The button that chooses the columns of a list. The first one leads to the row, and stays. */
export const ColumnsButton = ({ choose, chosen, of }: {
  readonly of: ReadonlyArray<Choosable>
  readonly chosen: ReadonlyArray<string>
  readonly choose: (columns: ReadonlyArray<string>) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [, ...others] = of
  const toggle = (key: string) =>
    choose(of.map((column) => column.key).filter((each) => chosen.includes(each) !== (each === key)))
  return (
    <>
      <Button small weight="bare" onClick={() => setOpen(true)}>Columns</Button>
      {isOpen
        ? (
          <Dialog title="Columns" onClose={() => setOpen(false)}>
            <div class="stack">
              {others.map(({ key, name }) => (
                <Check key={key} isOn={chosen.includes(key)} onChange={() => toggle(key)}>{name}</Check>
              ))}
            </div>
            <div class="actions">
              <Button weight="main" onClick={() => setOpen(false)}>Close</Button>
            </div>
          </Dialog>
        )
        : null}
    </>
  )
}
