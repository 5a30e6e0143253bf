import type { Countersign, Note } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { TextArea } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { AskBeforeLeaving, useDraft, useSubmission } from "../../ground/session/Draft.tsx"
import { FormFailure } from "../../ground/session/Failure.tsx"
import { may, mayOfAll } from "../../ground/session/Session.ts"

/** The subject of notes. */
export interface NotesOf {
  readonly about: "license" | "customer"
  readonly id: string
}

/** The calls about the notes of a license, or of a customer: both have the same. */
const notesOf = (client: Countersign, { about }: NotesOf) => about === "license" ? client.licenses : client.customers

const longest = 2000

const noText = { text: "" }

const Write = ({ of, onChange }: { readonly of: NotesOf; readonly onChange: () => void }) => {
  const draft = useDraft("note", noText)
  const { text } = draft.values
  const { send, state } = useSubmission(async (client, content: { readonly text: string }, idempotencyKey) => {
    await notesOf(client, of).createNote(of.id, content, { idempotencyKey })
    draft.discard()
    onChange()
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== "") send({ text: text.trim() })
      }}
    >
      <AskBeforeLeaving isDirty={text.trim() !== ""} isKept />
      <TextArea
        label="Write a note for your team"
        value={text}
        maxLength={longest}
        onChange={(text) => draft.set({ text })}
        hint="Customers and apps do not see it."
      />
      {state.name === "failed" ? <FormFailure error={state.error} /> : null}
      <span class="row">
        <Button type="submit" small disabled={text.trim() === ""} isBusy={state.name === "sending"}>Add note</Button>
      </span>
    </form>
  )
}

const Edit = ({ note, of, onChange }: { readonly note: Note; readonly of: NotesOf; readonly onChange: () => void }) => {
  const draft = useDraft(`note ${note.id}`, { text: note.text })
  const { text } = draft.values
  return (
    <Action
      label="Edit"
      scope={`${of.about}:write`}
      small
      weight="bare"
      says="The note has this text from now on."
      fields={<TextArea label="Note" value={text} maxLength={longest} onChange={(text) => draft.set({ text })} />}
      draft={draft}
      about={note.id}
      isReady={text.trim() !== "" && text.trim() !== note.text}
      perform={(client, { idempotencyKey }) =>
        notesOf(client, of).updateNote(of.id, note.id, { text: text.trim() }, { idempotencyKey })}
      done={() => "The note was changed."}
      onDone={onChange}
    />
  )
}

const Delete = (
  { note, of, onChange }: { readonly note: Note; readonly of: NotesOf; readonly onChange: () => void }
) => (
  <Action
    label="Delete"
    scope={`${of.about}:write`}
    small
    weight="bare"
    says="The note is deleted. This cannot be undone."
    perform={(client, options) => notesOf(client, of).deleteNote(of.id, note.id, options)}
    done={() => "The note was deleted."}
    onDone={onChange}
  />
)

const Shown = (
  { note, of, onChange }: { readonly note: Note; readonly of: NotesOf; readonly onChange: () => void }
) => {
  const { id, name = id === "bootstrap" ? "Admin token" : id, roles } = note.author
  return (
    <article>
      <p>
        <bdi>{note.text}</bdi>
      </p>
      <span class="row wraps small quiet">
        <bdi>{roles === undefined ? name : `${name} (${roles.join(", ")})`}</bdi>
        <Time at={note.created_at} />
        {note.updated_at === note.created_at ? null : <span>edited</span>}
        {note.is_own ? <Edit {...{ note, of, onChange }} /> : null}
        {note.is_own || mayOfAll("admin") ? <Delete {...{ note, of, onChange }} /> : null}
      </span>
    </article>
  )
}

/** The notes of colleagues about a license or a customer, the newest first, and a field for another one. */
export const NotesPanel = (of: NotesOf) => {
  const notes = usePages<Note>(
    "notes",
    (client, page, signal) => notesOf(client, of).listNotes(of.id, { limit: 20, ...page }, { signal }),
    [of.id]
  )
  const mayWrite = may(`${of.about}:write`)
  return (
    <Panel title="Notes" footer={notes.hasMore ? <More of={notes} /> : undefined}>
      <div class="stack">
        {mayWrite ? <Write of={of} onChange={notes.reload} /> : null}
        <Rows of={notes} lines={2} empty={mayWrite ? null : <Empty title="No notes" />}>
          {(rows) => (
            <div class="notes">
              {rows.map((note) => (
                <Shown key={`${note.id} ${note.updated_at}`} note={note} of={of} onChange={notes.reload} />
              ))}
            </div>
          )}
        </Rows>
        {notes.rows === undefined && notes.error !== undefined ? <More of={notes} /> : null}
      </div>
    </Panel>
  )
}
