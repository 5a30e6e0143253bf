import type { License } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Findings, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { findingsOf } from "../../ground/session/ActionForm.tsx"
import { AskBeforeLeaving, useDraft, useSubmission } from "../../ground/session/Draft.tsx"
import { FormFailure } from "../../ground/session/Failure.tsx"
import { may } from "../../ground/session/Session.ts"
import { TagList } from "./TagList.tsx"

/** A tag to add, or to take away. */
interface TagChange {
  readonly add?: string
  readonly remove?: string
}

const noTag = { tag: "" }

/** The tags of a license, each of which can be taken away, and a field for another one. */
export const TagsPanel = ({ of, onChange }: { readonly of: License; readonly onChange: () => void }) => {
  const draft = useDraft("tag", noTag)
  const { tag } = draft.values
  const tags = of.tags ?? []
  const { send, state } = useSubmission(async (client, { add, remove }: TagChange, idempotencyKey) => {
    // Changes of colleagues stay: the tags of this moment are changed, or the write is refused.
    const { data, response } = await client.licenses.get(of.id).withResponse()
    const left = (data.tags ?? []).filter((each) => each !== remove)
    const wanted = add === undefined ? left : [...left, add]
    await client.licenses.update(of.id, { tags: wanted }, {
      idempotencyKey,
      ifMatch: response.headers.get("etag") ?? "*"
    })
    if (add !== undefined) draft.discard()
    onChange()
  })
  const error = state.name === "failed" ? state.error : undefined
  if (!may("license:write")) {
    return tags.length === 0 ? null : (
      <Panel title="Tags">
        <TagList of={tags} />
      </Panel>
    )
  }
  return (
    <Panel title="Tags">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (tag.trim() !== "") send({ add: tag.trim() })
        }}
      >
        <AskBeforeLeaving isDirty={tag.trim() !== ""} isKept />
        {tags.length === 0 ? null : (
          <span class="tags">
            {tags.map((each) => (
              <span key={each} class="tag">
                <bdi class="clip">{each}</bdi>
                <button
                  type="button"
                  class="button bare small"
                  aria-label={`Remove tag ${each}`}
                  onClick={() => send({ remove: each })}
                >
                  ×
                </button>
              </span>
            ))}
          </span>
        )}
        <Findings.Provider value={findingsOf(error)}>
          <TextField
            label="New tag"
            value={tag}
            maxLength={50}
            autocomplete="off"
            path="tags"
            onChange={(tag) => draft.set({ tag })}
          />
        </Findings.Provider>
        {error === undefined ? null : <FormFailure error={error} />}
        <span class="row">
          <Button type="submit" small disabled={tag.trim() === ""} isBusy={state.name === "sending"}>Add tag</Button>
        </span>
      </form>
    </Panel>
  )
}
