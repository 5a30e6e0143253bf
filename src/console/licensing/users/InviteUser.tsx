import { consequenceOf } from "../../../client/api/Consequence.ts"
import { MailsOff } from "../../catalog/policies/MailsOff.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"

const deliveries = [
  ["", "As the policy says"],
  ["mail", "By a mail to the address"],
  ["none", "Not mailed: you tell the person"]
] as const

const nothing = { email: "", name: "", delivery: "" }

/** Invites a person to use a license, by an email address. */
export const InviteUser = ({ licenseId, onChange }: {
  readonly licenseId: string
  readonly onChange: () => void
}) => {
  const draft = useDraft("license user", nothing)
  const { delivery, email, name } = draft.values
  return (
    <Action
      label="Invite user"
      small
      scope="license:write"
      asksWhy="license"
      says={consequenceOf("inviteLicenseUser")}
      fields={
        <>
          <TextField
            label="Email"
            path="email"
            type="email"
            value={email}
            onChange={(email) => draft.set({ email })}
            maxLength={320}
            autocomplete="off"
            hint="The address with which the person signs in. It is proven at the identity provider, or by a mail."
          />
          <TextField
            label="Name"
            path="name"
            value={name}
            onChange={(name) => draft.set({ name })}
            maxLength={255}
            autocomplete="off"
            hint="Optional"
          />
          <Choice
            label="Invitation"
            path="delivery"
            value={delivery}
            options={deliveries}
            onChange={(delivery) => draft.set({ delivery })}
          />
          {delivery === "none" ? null : <MailsOff />}
        </>
      }
      draft={draft}
      isReady={email.trim() !== ""}
      perform={(client, options, reason) =>
        client.licenses.inviteUser(licenseId, {
          email: email.trim(),
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          ...(delivery === "mail" || delivery === "none" ? { delivery } : {}),
          ...reason
        }, options)}
      done={(user) => `${user.email ?? user.id} is invited.`}
      onDone={onChange}
    />
  )
}
