import { consequenceOf } from "../../client/api/Consequence.ts"
import { TextField } from "../design/Field.tsx"
import { Action } from "../session/Action.tsx"
import { useDraft } from "../session/Draft.tsx"

const nothing = { email: "", name: "" }

/** Invites a person to use a license, by an email address. */
export const InviteUser = ({ licenseId, onChange }: {
  readonly licenseId: string
  readonly onChange: () => void
}) => {
  const draft = useDraft("license user", nothing)
  const { email, name } = draft.values
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
            hint="The address with which the person signs in. A mail is sent only where the policy has it."
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
        </>
      }
      draft={draft}
      isReady={email.trim() !== ""}
      perform={(client, options, reason) =>
        client.licenses.inviteUser(licenseId, {
          email: email.trim(),
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          ...reason
        }, options)}
      done={(user) => `${user.email ?? user.id} is invited.`}
      onDone={onChange}
    />
  )
}
