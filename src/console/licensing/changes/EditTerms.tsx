import { useContext } from "preact/hooks"
import type { License, LicenseTerms } from "../../../client/api/index.ts"
import { PolicyControl } from "../../catalog/policies/PolicyControl.tsx"
import { none } from "../../catalog/policies/PolicyDraft.ts"
import type { FieldName } from "../../catalog/policies/PolicyDraft.ts"
import { labelOf, shownIn } from "../../catalog/policies/PolicyGroups.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Choice, Findings } from "../../ground/design/Field.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"
import { PaidNote } from "../../ground/forms/PaidNote.tsx"
import {
  asPolicy,
  firstText,
  isValid,
  overridable,
  overridesDraft,
  overridesRequest,
  ownTerms
} from "./OverridesDraft.ts"
import type { OverridesDraft } from "./OverridesDraft.ts"

const Fields = ({ draft, set, terms }: {
  readonly draft: OverridesDraft
  readonly set: SetTexts<OverridesDraft>
  readonly terms: LicenseTerms
}) => {
  const own = ownTerms(draft)
  const found = useContext(Findings)
  return (
    <Findings.Provider
      value={new Map([...found].map(([path, message]) => [path.replace(/^overrides\./, ""), message]))}
    >
      {own.map((name) => (
        <div key={name} class="own-term">
          <PolicyControl
            name={name}
            value={draft[name] ?? ""}
            onChange={(text) => set({ [name]: text === none ? asPolicy : text })}
          />
          <Button small label={`Use policy: ${labelOf(name)}`} onClick={() => set({ [name]: asPolicy })}>
            Use policy
          </Button>
        </div>
      ))}
      <Choice
        label="Add a term"
        value=""
        options={[
          ["", "Choose a term"],
          ...overridable.filter((name) => !own.includes(name)).map((name) => [name, labelOf(name)] as const)
        ]}
        onChange={(chosen) => {
          const name = overridable.find((each) => each === chosen)
          if (name !== undefined) set({ [name]: firstText(name, terms) })
        }}
      />
    </Findings.Provider>
  )
}

const shown = (name: string, text: string): string => text === asPolicy ? text : shownIn(name as FieldName, text)

/** Changes the terms that a license has instead of those of its policy. */
export const EditTerms = ({ license, onChange, terms }: {
  readonly license: Pick<License, "id">
  readonly terms: LicenseTerms
  readonly onChange: () => void
}) => (
  <EditAction<OverridesDraft, License>
    label="Edit terms"
    small
    scope="license:write"
    says="Terms only for this license. All others follow the policy, also when it changes."
    read={async (client, signal) => {
      const { data, response } = await client.licenses.get(license.id, {}, signal === undefined ? {} : { signal })
        .withResponse()
      return { texts: overridesDraft(data.overrides), etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={(name) => labelOf(name as FieldName)}
    shown={shown}
    fields={(draft, set) => (
      <>
        <PaidNote licenseId={license.id} />
        <Fields {...{ draft, set, terms }} />
      </>
    )}
    isReady={isValid}
    write={(client, changed, options) =>
      client.licenses.update(
        license.id,
        { overrides: overridesRequest(changed) },
        options
      )}
    done={() => "Terms saved. The app follows them from its next check."}
    onDone={onChange}
  />
)
