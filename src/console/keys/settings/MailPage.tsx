import type { MailKindSummary, MailSettings, ServiceSettings } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import { chosenLanguage, languageName, languageOptions } from "../../ground/forms/MailLanguages.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { settingsReader, useSettings } from "./SettingsReading.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"
import { SuppressionsPanel } from "./SuppressionsPanel.tsx"

type LanguageTexts = Readonly<Record<"mail_language", string>>

const EditLanguage = ({ onChange }: { readonly onChange: () => void }) => (
  <EditAction<LanguageTexts, ServiceSettings>
    label="Change language"
    scope="admin"
    says="Mails to customers who have no language of their own are in this one."
    read={settingsReader(({ mail_language }) => ({ mail_language: mail_language ?? "" }))}
    labelOf={() => "Language"}
    shown={(_, text) => languageName(text, "English")}
    fields={(texts, set) => (
      <Choice
        label="Language"
        path="mail_language"
        value={texts.mail_language}
        onChange={(mail_language) => set({ mail_language })}
        options={languageOptions("Default (English)")}
      />
    )}
    write={(client, { mail_language = "" }, options) =>
      client.settings.update({ mail_language: chosenLanguage(mail_language) }, options)}
    done={() => "Saved."}
    onDone={onChange}
  />
)

const Off = () => (
  <Note tone="warn" title="Mails are off">
    <span>
      No mail is queued or sent. <code>COUNTERSIGN_SMTP_URL</code> and <code>COUNTERSIGN_MAIL_FROM</code>{" "}
      switch them on, and in the test environment <code>COUNTERSIGN_MAIL_TEST_ADDRESSES</code>: see{" "}
      <a href="/docs/guides/send-mail">send mails</a>.
    </span>
  </Note>
)

const Refused = ({ of }: { readonly of: NonNullable<MailSettings["refused"]> }) => (
  <Note
    tone="bad"
    title={`The mail server refuses you: ${some(of.queued, "mail")} ${of.queued === 1 ? "waits" : "wait"}`}
  >
    <span>
      <bdi class="wrap">{of.last_reply}</bdi>{" "}
      This is about your mail server, sender or domain, and not about a mailbox. Mails are sent once it is mended,
      within three days: see <a href="/docs/guides/send-mail">send mails</a>.
    </span>
  </Note>
)

const Sending = ({ language, of }: { readonly of: MailSettings; readonly language: string | undefined }) => (
  <>
    {of.is_configured ? null : <Off />}
    {of.refused === undefined ? null : <Refused of={of.refused} />}
    <Panel title="Sending">
      <Facts
        of={[
          ["Mails", of.is_configured ? "On" : "Off"],
          ["Sender", of.from === undefined ? undefined : <bdi class="wrap">{of.from}</bdi>],
          ["Only to", of.only_to === undefined ? undefined : <bdi class="wrap">{of.only_to.join(", ")}</bdi>],
          ["Language without another", languageName(language ?? "", "English")],
          ["Waiting", of.queued === 0 ? "None" : some(of.queued, "mail")],
          ["Since", of.oldest_queued_at === undefined ? undefined : <Time at={of.oldest_queued_at} />],
          ["Last reply about one", of.last_reply === undefined ? undefined : <bdi class="wrap">{of.last_reply}</bdi>]
        ]}
      />
    </Panel>
  </>
)

const Templates = ({ of }: { readonly of: ReadonlyArray<MailKindSummary> }) => (
  <Panel title="Templates" flush>
    <Table
      label="Templates"
      rows={of}
      keyOf={({ kind }) => kind}
      hrefOf={({ kind }) => `/console/settings/mail/${kind}`}
      columns={[
        { name: "Mail", cell: ({ kind }) => <span class="strong">{titleOf("mailKind", kind)}</span> },
        {
          name: "In your own words",
          cell: ({ own_languages }) =>
            own_languages.length === 0
              ? <span class="quiet">No</span>
              : own_languages.map((language) => titleOf("mailLanguage", language)).join(", ")
        }
      ]}
    />
  </Panel>
)

/** How mails to customers are sent, and how they are worded. */
export const MailPage = () => {
  useTitle("Mail")
  const settings = useSettings()
  const mail = useLoad((client, signal) => client.settings.getMail({ signal }), [])
  const kinds = useLoad((client, signal) => client.mailTemplates.listKinds({ signal }), [])
  return (
    <main class="page" id="main">
      <header>
        <h1>Mail</h1>
        <EditLanguage onChange={settings.reload} />
      </header>
      <SettingsTabs />
      <p class="quiet">
        Policies say which mails the owners of their licenses get: see <a href="/docs/guides/send-mail">send mails</a>.
      </p>
      <Loading of={mail} lines={6}>{(data) => <Sending of={data} language={settings.data?.mail_language} />}</Loading>
      <Placed after={[mail]}>
        <Loading of={kinds} lines={4}>{(data) => <Templates of={data} />}</Loading>
        <Placed after={[kinds]}>
          <SuppressionsPanel />
        </Placed>
      </Placed>
    </main>
  )
}
