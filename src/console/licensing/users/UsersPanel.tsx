import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { License, LicenseUser } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { InviteUser } from "./InviteUser.tsx"
import { TrustIssuer } from "./TrustIssuer.tsx"

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
