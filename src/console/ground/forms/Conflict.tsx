import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"
import { Table } from "../design/Table.tsx"
import type { Conflicting } from "./Merge.ts"

interface ConflictProps {
  readonly rows: ReadonlyArray<Conflicting>
  readonly labelOf: (name: string) => string
  readonly shown?: (name: string, text: string) => string
  /** Called with the name of a member whose entered text is given up. */
  readonly onTake: (name: string) => void
}

/** The members that others have changed while a form was open: before, theirs and yours. */
export const Conflict = ({ labelOf, onTake, rows, shown = (_, text) => text }: ConflictProps) => {
  if (rows.length === 0) return null
  const cell = (name: string, text: string | undefined) => (
    <bdi class="wrap">{text === undefined ? "–" : shown(name, text) || "empty"}</bdi>
  )
  return (
    <Note tone="warn" title="Changed meanwhile">
      <span>This record was changed while the form was open. Saving now keeps your values over theirs.</span>
      <Table
        label="Changed meanwhile"
        isCompared
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: "Field", cell: ({ name }) => labelOf(name) },
          { name: "Before", cell: ({ base, name }) => cell(name, base) },
          { name: "Theirs", cell: ({ name, theirs }) => cell(name, theirs) },
          { name: "Yours", cell: ({ mine, name }) => cell(name, mine) },
          {
            name: "",
            cell: ({ mine, name }) =>
              mine === undefined ? null : <Button small onClick={() => onTake(name)}>Use theirs</Button>
          }
        ]}
      />
    </Note>
  )
}
