import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign, ManagementScope } from "../../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"
import { some } from "../design/Numbers.ts"
import { Table } from "../design/Table.tsx"
import { Action } from "../session/Action.tsx"
import { useDraft } from "../session/Draft.tsx"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { changedOf, conflictsOf, merged } from "./Merge.ts"
import type { Conflicting, Merge, Texts } from "./Merge.ts"

interface ConflictProps {
  readonly rows: ReadonlyArray<Conflicting>
  readonly labelOf: (name: string) => string
  readonly shown?: (name: string, text: string) => string
  /** Called with the name of a member whose entered text is given up. */
  readonly onTake: (name: string) => void
}

/** The members that others have changed while a form was open: before, theirs and yours. */
const Conflict = ({ labelOf, onTake, rows, shown = (_, text) => text }: ConflictProps) => {
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

/** A record as it is edited, with the tag that a change of it is made for. */
interface Read<T extends Texts> {
  readonly texts: T
  readonly etag: string | undefined
}

/** Sets some of the texts. */
export type SetTexts<T extends Texts> = (texts: Partial<T>) => void

interface EditProps<T extends Texts, A> {
  readonly label: string
  readonly scope: ManagementScope
  readonly says: ComponentChildren
  readonly read: (client: Countersign, signal?: AbortSignal) => Promise<Read<T>>
  readonly fields: (texts: T, set: SetTexts<T>) => ComponentChildren
  readonly labelOf: (name: string) => string
  /** A text as it is shown where others have changed it; as it is, where that is none. */
  readonly shown?: (name: string, text: string) => string
  /** Whether the texts can be sent. */
  readonly isReady?: (texts: T) => boolean
  /** Writes what differs. `texts` are all of them. */
  readonly write: (
    client: Countersign,
    changed: Partial<T>,
    options: { readonly idempotencyKey: string; readonly ifMatch?: string },
    texts: T
  ) => Promise<A>
  readonly done: (answer: A) => ComponentChildren
  readonly onDone: () => void
  readonly small?: boolean
}

/** A record as it was read when its dialog opened, and as it is now. */
interface Loaded<T extends Texts> extends Pick<Merge<T>, "base" | "theirs"> {
  readonly etag: string | undefined
}

interface FieldsProps<T extends Texts, A> {
  readonly of: EditProps<T, A>
  readonly edited: Merge<T> | undefined
  readonly set: SetTexts<T>
  readonly onRead: (loaded: Loaded<T> | undefined) => void
}

/** The fields of the dialog. The record is read when it opens. */
function Fields<T extends Texts, A>({ edited, of, onRead, set }: FieldsProps<T, A>) {
  const read = useLoad((client, signal) => of.read(client, signal), [])
  useEffect(() => {
    if (read.data !== undefined) onRead({ base: read.data.texts, theirs: read.data.texts, etag: read.data.etag })
  }, [read.data])
  useEffect(() => () => onRead(undefined), [])
  if (edited === undefined) return <Loading of={read}>{() => null}</Loading>
  return (
    <>
      <Conflict
        rows={conflictsOf(edited)}
        labelOf={of.labelOf}
        {...(of.shown === undefined ? {} : { shown: of.shown })}
        onTake={(name) => set({ [name]: edited.theirs[name] } as Partial<T>)}
      />
      {of.fields(merged(edited), set)}
    </>
  )
}

/** The record that is edited, with what is entered over it, which is kept until it is saved or cancelled. */
function useEdited<T extends Texts>(label: string) {
  const [loaded, setLoaded] = useState<Loaded<T>>()
  const draft = useDraft<Partial<T>>(label, loaded?.theirs ?? {})
  const entered: Partial<T> = draft.values
  const edited: Merge<T> | undefined = loaded === undefined ? undefined : { ...loaded, entered }
  return {
    draft,
    edited,
    setLoaded,
    etag: loaded?.etag,
    /** Puts what was entered over the record as others have changed it. */
    follow: ({ etag, texts }: Read<T>) => setLoaded((before) => ({ base: before?.base ?? texts, theirs: texts, etag }))
  }
}

/**
 * Edits a record in a dialog. Only what differs is written, and only over the record as it was read: when somebody else has
 * changed it meanwhile, the dialog shows what they did beside what was entered, and asks again.
 */
export function EditAction<T extends Texts, A>(of: EditProps<T, A>) {
  const { draft, edited, etag, follow, setLoaded } = useEdited<T>(of.label)
  const changed = edited === undefined ? [] : changedOf(edited)
  const texts = edited === undefined ? undefined : merged(edited)
  const isComplete = texts !== undefined && (of.isReady?.(texts) ?? true)
  return (
    <Action
      label={of.label}
      sendLabel={changed.length === 0 ? "Save" : `Save ${some(changed.length, "change")}`}
      scope={of.scope}
      small={of.small ?? false}
      says={of.says}
      fields={<Fields of={of} edited={edited} set={draft.set} onRead={setLoaded} />}
      draft={draft}
      isReady={changed.length > 0 && isComplete}
      perform={async (client, { idempotencyKey }) => {
        if (texts === undefined) throw new Error("There is nothing to save.")
        const differing = Object.fromEntries(changed.map((name) => [name, texts[name]])) as Partial<T>
        try {
          return await of.write(client, differing, {
            idempotencyKey,
            ...(etag === undefined ? {} : { ifMatch: etag })
          }, texts)
        } catch (cause) {
          if (isCountersignError(cause, "PRECONDITION_FAILED")) follow(await of.read(client))
          throw cause
        }
      }}
      done={of.done}
      onDone={of.onDone}
    />
  )
}
