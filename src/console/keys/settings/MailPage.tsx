import { consequenceOf } from "../../../client/api/Consequence.ts"
import type {
  MailKindSummary,
  MailSettings,
  MailSuppression,
  MailSuppressionReason,
  ServiceSettings
} from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import { chosenLanguage, languageName, languageOptions } from "../../ground/forms/MailLanguages.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { settingsReader, useSettings } from "./SettingsReading.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"

const nothing: { readonly address: string; readonly reason: MailSuppressionReason } = { address: "", reason: "by_hand" }

const reasons = ["by_hand", "opted_out", "bounced"] as const

const reasonOptions = reasons.map((reason) => [reason, titleOf("mailSuppressionReason", reason)] as const)

const Add = ({ onChange }: { readonly onChange: () => void }) => {
  const draft = useDraft("mail suppression", nothing)
  const { address, reason } = draft.values
  return (
    <Action
      label="Suppress address"
      small
      scope="admin"
      says="The address gets no mails from now on, also none that wait; with the reason “no notices wanted” it still gets keys."
      fields={
        <>
          <TextField
            label="Address"
            path="address"
            type="email"
            value={address}
            onChange={(address) => draft.set({ address })}
            maxLength={320}
            autocomplete="off"
          />
          <Choice
            label="Reason"
            path="reason"
            value={reason}
            onChange={(chosen) => draft.set({ reason: reasons.find((reason) => reason === chosen) ?? "by_hand" })}
            options={reasonOptions}
          />
        </>
      }
      draft={draft}
      isReady={address.trim() !== ""}
      perform={(client, options) => client.mailSuppressions.create({ address: address.trim(), reason }, options)}
      done={() => "The address is suppressed."}
      onDone={onChange}
    />
  )
}

const Lift = ({ of, onChange }: { readonly of: MailSuppression; readonly onChange: () => void }) => (
  <Action
    label="Lift"
    small
    scope="admin"
    says={consequenceOf("deleteMailSuppression")}
    perform={(client, options) => client.mailSuppressions.delete(of.id, options)}
    done={() => "The address gets mails again."}
    onDone={onChange}
  />
)

/** The addresses that get no mails, or no notices, and why. */
const SuppressionsPanel = () => {
  const suppressions = usePages<MailSuppression>(
    "addresses",
    (client, page, signal) => client.mailSuppressions.list({ limit: 20, ...page }, { signal }),
    []
  )
  return (
    <Panel
      title="Addresses without mails"
      flush
      aside={<Add onChange={suppressions.reload} />}
      footer={suppressions.hasMore ? <More of={suppressions} /> : undefined}
    >
      <Rows
        of={suppressions}
        lines={2}
        empty={
          <Empty title="None">Mailboxes that a mail server refuses are listed here, and who wants no notices.</Empty>
        }
      >
        {(rows) => (
          <Table
            label="Addresses without mails"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Address",
                cell: ({ address, reply }) =>
                  address === undefined
                    ? <span class="quiet">Not kept</span>
                    : <TwoLines first={address} second={reply} />
              },
              { name: "Reason", cell: ({ reason }) => titleOf("mailSuppressionReason", reason) },
              { name: "Not sent", cell: ({ covers }) => titleOf("mailCoverage", covers) },
              { name: "Since", cell: ({ created_at }) => <Time at={created_at} isQuiet /> },
              {
                name: "",
                cell: (of) => (
                  <span class="row ends">
                    <Lift of={of} onChange={suppressions.reload} />
                  </span>
                )
              }
            ]}
          />
        )}
      </Rows>
      {suppressions.rows === undefined && suppressions.error !== undefined ? <More of={suppressions} /> : null}
    </Panel>
  )
}

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
