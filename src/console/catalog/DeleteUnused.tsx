import type { Countersign } from "../../client/api/index.ts"
import { Action } from "../ground/session/Action.tsx"

/** Deletes a part of the catalog. The service refuses it while anything uses it, and says what. */
export const DeleteUnused = ({ name, onChange, perform, says }: {
  readonly name: string
  readonly says: string
  readonly perform: (client: Countersign, options: { readonly idempotencyKey: string }) => Promise<unknown>
  readonly onChange: () => void
}) => (
  <span class="row ends">
    <Action
      label="Delete"
      small
      weight="danger"
      scope="product:write"
      says={
        <>
          <bdi class="strong">{name}</bdi>: {says}
        </>
      }
      perform={perform}
      done={() => (
        <span>
          <bdi class="strong">{name}</bdi> deleted.
        </span>
      )}
      onDone={onChange}
    />
  </span>
)
