import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { MailSuppression, MailSuppressionReason } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"

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
export const SuppressionsPanel = () => {
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
