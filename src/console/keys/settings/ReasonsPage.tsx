import { useState } from "preact/hooks"
import type { ServiceSettings, SignInProviderSettings, SignInSettings, SignInTest } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Check, TextArea } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { ask, errorOf } from "../../ground/session/Session.ts"
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

type Outcome = { readonly isAsking: true } | { readonly test: SignInTest } | { readonly error: Error }

/** Asks the provider, and says what is wrong. */
const Test = () => {
  const [outcome, setOutcome] = useState<Outcome>()
  const isAsking = outcome !== undefined && "isAsking" in outcome
  const test = () => {
    setOutcome({ isAsking: true })
    ask((client) => client.settings.testSignIn()).then(
      (test) => setOutcome({ test }),
      (cause: unknown) => setOutcome({ error: errorOf(cause) })
    )
  }
  return (
    <div class="stack">
      <span class="row">
        <Button isBusy={isAsking} onClick={test}>{isAsking ? "Asking…" : "Test sign-in"}</Button>
      </span>
      <div role="status">
        {outcome === undefined || "isAsking" in outcome
          ? null
          : "error" in outcome
          ? <Failure error={outcome.error} />
          : outcome.test.works
          ? (
            <Note tone="good" title="The provider responds as a sign-in needs it">
              The provider has keys, and takes this client and its secret. Whether it allows the redirect address shows
              at the next sign-in.
            </Note>
          )
          : (
            <Note tone="bad" title="Sign-in at the provider does not work">
              <bdi>{outcome.test.problem}</bdi>
            </Note>
          )}
      </div>
    </div>
  )
}

const Provider = ({ of }: { readonly of: SignInProviderSettings }) => (
  <>
    <Panel title="Identity provider">
      <div class="stack wide">
        <Facts
          of={[
            ["Issuer", <code class="wrap">{of.issuer}</code>],
            ["Client ID", <code class="wrap">{of.client_id}</code>],
            ["Redirect address", <code class="wrap">{of.redirect_uri}</code>],
            ["Address after signing out", <code class="wrap">{of.post_logout_redirect_uri}</code>],
            ["Back-channel logout address", <code class="wrap">{of.backchannel_logout_uri}</code>],
            ["Signing out", of.signs_out_at_provider ? "here, and at the provider if it can" : "here alone"]
          ]}
        />
        <Test />
      </div>
    </Panel>
    <Panel title="Roles by claim" flush>
      {of.roles.length === 0
        ? <p class="quiet empty">No claim gives a role: only people who are invited come in.</p>
        : (
          <Table
            label="Roles by claim"
            rows={of.roles}
            keyOf={({ claim, role, value }) => `${claim} ${value} ${role}`}
            columns={[
              { name: "Claim", cell: ({ claim }) => <code class="wrap">{claim}</code> },
              { name: "Value", cell: ({ value }) => <code class="wrap">{value}</code> },
              { name: "Role", cell: ({ role }) => <bdi>{role}</bdi> },
              {
                name: "Without the claim",
                cell: ({ claim }) => of.empty_claims.includes(claim) ? "The role is taken" : "The role is not decided"
              }
            ]}
          />
        )}
    </Panel>
  </>
)

const Ways = ({ of }: { readonly of: SignInSettings }) => (
  <>
    {of.openid_connect === undefined
      ? (
        <Panel title="Identity provider">
          <p class="quiet">
            None. <code>COUNTERSIGN_OIDC_ISSUER</code> sets one: see <a href="/docs/guides/people">people and roles</a>.
          </p>
        </Panel>
      )
      : <Provider of={of.openid_connect} />}
    <Panel title="Passkeys and sessions">
      <Facts
        of={[
          ["Passkeys", of.passkeys ? "People sign in with passkeys" : of.passkeys_problem ?? "Not available"],
          ["A session ends", `${some(of.session_hours, "hour")} after it began`],
          ["Without a request", `after ${some(of.session_idle_minutes, "minute")}`]
        ]}
      />
    </Panel>
  </>
)

/** How people sign in, as the process was started. */
export const SignInSettingsPage = () => {
  useTitle("Sign-in")
  const loaded = useLoad((client, signal) => client.settings.getSignIn({ signal }), [])
  return (
    <main class="page" id="main">
      <header>
        <h1>Sign-in</h1>
      </header>
      <SettingsTabs />
      <p class="quiet">
        This is read from the environment of the service, and changed there:{" "}
        <a href="/docs/guides/configuration">configuration</a>.
      </p>
      <Loading of={loaded} lines={8}>{(data) => <Ways of={data} />}</Loading>
    </main>
  )
}

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
