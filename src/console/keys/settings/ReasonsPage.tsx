import type { ServiceSettings } from "../../../client/api/index.ts"
import { Check, TextArea } from "../../ground/design/Field.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import { Loading } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import {
  longestSuggestions,
  reasonChange,
  reasonedKinds,
  reasonLabel,
  reasonTexts,
  suggestionsProblem
} from "./ReasonSettings.ts"
import type { ReasonTexts } from "./ReasonSettings.ts"
import { settingsReader, useSettings } from "./SettingsReading.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"
import "./settings.css"

const Edit = ({ onChange }: { readonly onChange: () => void }) => (
  <EditAction<ReasonTexts, ServiceSettings>
    label="Change reasons"
    scope="admin"
    says="The service refuses what is ticked without a reason: in the console, through the API, and for jobs."
    read={settingsReader(reasonTexts)}
    labelOf={reasonLabel}
    shown={(name, text) => name === "suggested" ? text.replaceAll("\n", ", ") : text === "" ? "optional" : "required"}
    fields={(texts, set) => (
      <>
        <fieldset class="radios">
          <legend class="label">A reason is required for</legend>
          <div class="reasons">
            {reasonedKinds.map((kind) => (
              <Check
                key={kind}
                isOn={texts[kind] === "yes"}
                onChange={(isOn) => set({ [kind]: isOn ? "yes" : "" })}
              >
                {reasonLabel(kind)}
              </Check>
            ))}
          </div>
        </fieldset>
        <TextArea
          label={reasonLabel("suggested")}
          path="suggested_reasons"
          value={texts.suggested}
          onChange={(suggested) => set({ suggested })}
          wrong={suggestionsProblem(texts.suggested)}
          maxLength={longestSuggestions}
          hint="One a line, at most 12. They are offered for actions on licenses and devices."
        />
      </>
    )}
    isReady={({ suggested }) => suggestionsProblem(suggested) === undefined}
    write={(client, changed, options, texts) => client.settings.update(reasonChange(changed, texts), options)}
    done={() => "Saved. It holds at once."}
    onDone={onChange}
  />
)

const Required = ({ of }: { readonly of: ServiceSettings }) => (
  <Facts
    of={reasonedKinds.map((kind) => [
      reasonLabel(kind),
      of.required_reasons.includes(kind) ? <strong>Required</strong> : <span class="quiet">Optional</span>
    ])}
  />
)

/** Where a reason is required, and the usual reasons. */
export const ReasonsPage = () => {
  useTitle("Reasons")
  const settings = useSettings()
  return (
    <main class="page" id="main">
      <header>
        <h1>Reasons</h1>
        <Edit onChange={settings.reload} />
      </header>
      <SettingsTabs />
      <p class="quiet">A reason is kept in the event and shown in the activity.</p>
      <Loading of={settings} lines={10}>
        {(data) => (
          <>
            <Panel title="Where a reason is required">
              <Required of={data} />
            </Panel>
            <Panel title="Suggested reasons">
              {data.suggested_reasons.length === 0
                ? <p class="quiet">None</p>
                : (
                  <ul>
                    {data.suggested_reasons.map((reason) => (
                      <li key={reason}>
                        <bdi>{reason}</bdi>
                      </li>
                    ))}
                  </ul>
                )}
            </Panel>
          </>
        )}
      </Loading>
    </main>
  )
}
