import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseUser } from "../../../client/api/index.ts"
import { MailsOff } from "../../catalog/policies/PolicyControl.tsx"
import { State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"

const deliveries = [
  ["", "As the policy says"],
  ["mail", "By a mail to the address"],
  ["none", "Not mailed: you tell the person"]
] as const

const nothing = { email: "", name: "", delivery: "" }

/** Invites a person to use a license, by an email address. */
const InviteUser = ({ licenseId, onChange }: {
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

const labels = { issuer: "Identity provider", audience: "Client ID of the app", admits: "Seats for" } as const

type Texts = Readonly<Record<keyof typeof labels, string>>

const isMember = (name: string): name is keyof typeof labels => Object.hasOwn(labels, name)

const admissions = [["invited", "invited users"], ["anyone", "all accounts of the identity provider"]] as const

const textsOf = ({ trusted_issuer }: License): Texts => ({
  issuer: trusted_issuer?.issuer ?? "",
  audience: trusted_issuer?.audience ?? "",
  admits: trusted_issuer?.admits ?? "invited"
})

const Fields = ({ set, texts }: { readonly texts: Texts; readonly set: SetTexts<Texts> }) => (
  <>
    <TextField
      label={labels.issuer}
      path="trusted_issuer.issuer"
      value={texts.issuer}
      onChange={(issuer) => set({ issuer })}
      maxLength={512}
      autocomplete="off"
      placeholder="https://login.example.com"
      hint="The issuer of its ID tokens. Without one, users sign in by mail."
    />
    <TextField
      label={labels.audience}
      path="trusted_issuer.audience"
      value={texts.audience}
      onChange={(audience) => set({ audience })}
      maxLength={255}
      autocomplete="off"
    />
    <Choice
      label={labels.admits}
      path="trusted_issuer.admits"
      value={texts.admits}
      options={admissions}
      onChange={(admits) => set({ admits })}
    />
  </>
)

/** Sets the identity provider at which the users of a license sign in. */
const TrustIssuer = ({ license, onChange }: {
  readonly license: Pick<License, "id">
  readonly onChange: () => void
}) => (
  <EditAction<Texts, License>
    label="Edit sign-in"
    small
    scope="license:write"
    says="Users sign in with ID tokens of this identity provider (OpenID Connect). Users who are signed in stay so until their next sign-in."
    read={async (client, signal) => {
      const { data, response } = await client.licenses.get(license.id, {}, signal === undefined ? {} : { signal })
        .withResponse()
      return { texts: textsOf(data), etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={(name) => isMember(name) ? labels[name] : name}
    isReady={({ audience, issuer }) => (issuer.trim() === "") === (audience.trim() === "")}
    fields={(texts, set) => <Fields {...{ set, texts }} />}
    write={(client, _changed, options, { admits, audience, issuer }) =>
      client.licenses.update(license.id, {
        trusted_issuer: issuer.trim() === "" ? null : {
          issuer: issuer.trim(),
          audience: audience.trim(),
          admits: admits === "anyone" ? "anyone" : "invited"
        }
      }, options)}
    done={() => "Sign-in saved."}
    onDone={onChange}
  />
)

/** The name of a user, or what else is known; of those who are forgotten, nothing is. */
const nameOf = ({ email, name, subject }: LicenseUser): string => name ?? email ?? subject ?? "Forgotten user"

/** The reasons for which users are removed. */
const removals = {
  removed: "by management",
  reduced: "by fewer seats; comes back when one is free",
  transferred: "by the transfer of the license",
  erased: "by an erasure"
} as const

/** The line below the name: why the user is removed, or who else it is. */
const moreOf = ({ email, issuer, name, removed_because, subject }: LicenseUser): string | undefined =>
  removed_because === undefined
    ? name === undefined ? issuer : email ?? subject
    : `Removed ${removals[removed_because]}`

const Remove = ({ onChange, user }: { readonly user: LicenseUser; readonly onChange: () => void }) => (
  <Action
    label="Remove"
    small
    scope="license:write"
    asksWhy="license"
    says={consequenceOf("removeLicenseUser")}
    perform={(client, options) => client.licenses.removeUser(user.license_id, user.id, options)}
    done={(removed) => `${nameOf(removed)} is removed.`}
    onDone={onChange}
  />
)

/** Erases the personal data of a user. */
const Erase = ({ onChange, user }: { readonly user: LicenseUser; readonly onChange: () => void }) => (
  <Action
    label="Erase…"
    sendLabel="Erase"
    small
    weight="danger"
    scope="admin"
    asksWhy="license"
    says={consequenceOf("eraseLicenseUser")}
    secondLook="erase_customer"
    perform={(client, options) => client.licenses.eraseUser(user.license_id, user.id, options)}
    done={({ devices, events }) => `Erased from ${some(events, "event")} and ${some(devices, "device")}.`}
    onDone={onChange}
  />
)

/** Whether something of a user is left to erase. */
const isKnown = ({ email, name, subject }: LicenseUser): boolean => (name ?? email ?? subject) !== undefined

/** The people who use a license or are invited to, and where they sign in. */
export const UsersPanel = ({ isRevoked, license, most, onChange, turn }: {
  readonly license: License
  /** How many may have a seat; undefined where the terms have no users. */
  readonly most: number | undefined
  readonly isRevoked: boolean
  /** Changes when the license does, so that the users are read again. */
  readonly turn: number
  readonly onChange: () => void
}) => {
  const users = usePages<LicenseUser>(
    "users",
    (client, page, signal) => client.licenses.listUsers(license.id, { limit: 20, ...page }, { signal }),
    [license.id],
    { turn, when: most !== undefined }
  )
  if (most === undefined) return null
  const issuer = license.trusted_issuer
  return (
    <Panel
      title="Users"
      flush
      aside={
        <span class="row wraps">
          <span class="small quiet">{count(most)} seats for users</span>
          {isRevoked ? null : <TrustIssuer license={license} onChange={onChange} />}
          {isRevoked ? null : <InviteUser licenseId={license.id} onChange={onChange} />}
        </span>
      }
      footer={users.hasMore ? <More of={users} /> : undefined}
    >
      <p class="padded">
        {issuer === undefined
          ? "Users sign in by a mail to their address, once they are invited. Users without an address need an identity provider."
          : (
            <>
              Users sign in at <bdi class="strong wrap">{issuer.issuer}</bdi>
              {issuer.admits === "anyone" ? ", invited or not." : ", once they are invited."}
            </>
          )}
      </p>
      <Rows
        of={users}
        lines={2}
        empty={<Empty title="No users">An invitation needs no seat until the first sign-in.</Empty>}
      >
        {(rows) => (
          <Table
            label="Users"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "User",
                cell: (user) => <TwoLines first={nameOf(user)} second={moreOf(user)} />
              },
              { name: "Status", cell: ({ status }) => <State of={status} /> },
              {
                name: "Last sign-in",
                cell: ({ last_seen_at }) => last_seen_at === undefined ? "–" : <Time at={last_seen_at} isQuiet />
              },
              {
                name: "",
                cell: (user) => (
                  <span class="row ends">
                    {user.status === "removed" ? null : <Remove user={user} onChange={onChange} />}
                    {isKnown(user) ? <Erase user={user} onChange={onChange} /> : null}
                  </span>
                )
              }
            ]}
          />
        )}
      </Rows>
      {users.rows === undefined && users.error !== undefined ? <More of={users} /> : null}
    </Panel>
  )
}
