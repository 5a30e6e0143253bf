import { consequenceOf } from "../../../client/api/Consequence.ts"
import { isCountersignError } from "../../../client/api/index.ts"
import type { ApiKey, Countersign, Passkey, Person, Role, Session } from "../../../client/api/index.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Check, Radios, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { reasonRules } from "../../ground/design/Reason.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { firstOf } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { lineOf } from "../../keys/rights/Areas.ts"
import { effectOn, shortName } from "./ApprovalWords.ts"
import { LinkOnce } from "./Invite.tsx"
import { findRoles, isOwner, mayGiveRole, scopesOf, sessionsOf } from "./Team.ts"

/** How many keys that a person made are listed, and how many people are looked at for other owners. */
const most = 200

/** Everything that the page shows of a person. */
export interface KnownPerson {
  readonly person: Person
  readonly etag: string | undefined
  readonly roles: ReadonlyArray<Role>
  readonly sessions: ReadonlyArray<Session>
  readonly passkeys: ReadonlyArray<Passkey>
  /** The API keys that the person made; undefined where the caller may not see them. */
  readonly keys: ReadonlyArray<ApiKey> | undefined
  readonly isLastOwner: boolean
}

/** Loads everything of a person. */
export const findPerson = async (client: Countersign, id: string, signal: AbortSignal): Promise<KnownPerson> => {
  const [{ data: person, response }, roles, sessions, passkeys, members, keys] = await Promise.all([
    client.people.get(id, { signal }).withResponse(),
    findRoles(client, signal),
    firstOf(client.sessions.list({ person_id: id, limit: most }, { signal }), most),
    firstOf(client.passkeys.list({ person_id: id, limit: most }, { signal }), most),
    firstOf(client.people.list({ status: "active", limit: most }, { signal }), most),
    may("admin") ? firstOf(client.apiKeys.list({ created_by: id, limit: most }, { signal }), most) : undefined
  ])
  return {
    person,
    etag: response.headers.get("etag") ?? undefined,
    roles,
    sessions: sessionsOf(sessions, id),
    passkeys,
    keys,
    isLastOwner: isOwner(person) && !members.some((other) => other.id !== id && isOwner(other))
  }
}

interface ActionsProps {
  readonly of: KnownPerson
  readonly onChange: () => void
}

/** The reason why the last owner cannot go. */
const lastOwner = "This is the last owner who can sign in. Make another person an owner first."

/** The sentence about the API keys of a person for somebody who may not see them. */
const keysHidden = "API keys that this person made are not shown to you, and continue to work."

const RoleChecks = ({ chosen, roles, setChosen }: {
  readonly roles: ReadonlyArray<Role>
  readonly chosen: ReadonlyArray<string>
  readonly setChosen: (chosen: ReadonlyArray<string>) => void
}) => (
  <fieldset class="radios">
    <legend class="label">Roles</legend>
    {roles.map((role) =>
      mayGiveRole(role)
        ? (
          <Check
            key={role.id}
            isOn={chosen.includes(role.id)}
            onChange={(on) => setChosen(on ? [...chosen, role.id] : chosen.filter((id) => id !== role.id))}
          >
            <span class="two">
              <bdi>{role.name}</bdi>
              <span class="tiny quiet">{lineOf(role.scopes)}</span>
            </span>
          </Check>
        )
        : (
          <span key={role.id} class="two quiet">
            <bdi>{role.name}</bdi>
            <span class="tiny">You cannot give what you do not have.</span>
          </span>
        )
    )}
  </fieldset>
)

/** Gives and takes roles. */
export const ChangeRoles = ({ of: { etag, isLastOwner, person, roles, sessions }, onChange }: ActionsProps) => {
  const draft = useDraft("roles", { roles: person.roles as ReadonlyArray<string> })
  const chosen = draft.values.roles
  const isLosing = isLastOwner && !chosen.includes("owner")
  return (
    <Action
      label="Change roles"
      weight="main"
      asksWhy
      isOffered={person.status !== "removed"}
      scope="people:write"
      says={isLosing ? <Note tone="warn" title={lastOwner} /> : effectOn(person.name, sessions.length)}
      fields={<RoleChecks roles={roles} chosen={chosen} setChosen={(roles) => draft.set({ roles })} />}
      draft={draft}
      isReady={!isLosing}
      secondLook="change_people"
      perform={(client, { idempotencyKey, reason }) =>
        client.people.update(person.id, { roles: [...chosen] }, {
          idempotencyKey,
          ...(reason === undefined ? {} : { reason }),
          ...(etag === undefined ? {} : { ifMatch: etag })
        })}
      done={(changed) => `${shortName(changed.name)} may now: ${lineOf(scopesOf(roles, changed.roles))}.`}
      onDone={onChange}
    />
  )
}

/** Changes the name and the address of a person. */
export const EditPerson = ({ of: { etag, person }, onChange }: ActionsProps) => {
  const draft = useDraft("person", { name: person.name, email: person.email ?? "" })
  const { email, name } = draft.values
  return (
    <Action
      label="Edit"
      isOffered={person.status !== "removed"}
      scope="people:write"
      says="The email address is for messages. It identifies no one."
      fields={
        <>
          <TextField
            label="Name"
            path="name"
            value={name}
            onChange={(name) => draft.set({ name })}
            autocomplete="off"
            maxLength={255}
            isFirst
          />
          <TextField
            label="Email"
            path="email"
            value={email}
            onChange={(email) => draft.set({ email })}
            autocomplete="off"
            maxLength={320}
          />
        </>
      }
      draft={draft}
      isReady={name.trim() !== ""}
      secondLook="change_people"
      perform={(client, options) =>
        client.people.update(person.id, { name: name.trim(), email: email.trim() }, {
          ...options,
          ...(etag === undefined ? {} : { ifMatch: etag })
        })}
      done={() => "Saved."}
      onDone={onChange}
    />
  )
}

/** A link by which the person signs in once. */
export const NewLink = ({ of: { person }, onChange }: ActionsProps) => (
  <Action
    label="New invitation link"
    isOffered={person.status !== "removed"}
    scope="people:write"
    says={`${shortName(person.name)} gets a link that works once, for an hour. An earlier one stops working.`}
    secondLook="change_people"
    perform={(client, options) => client.people.invite(person.id, options)}
    done={(invitation) => <LinkOnce name={person.name} of={invitation} />}
    onDone={onChange}
  />
)

/** How often the sessions are listed anew, for those that are opened meanwhile. */
const mostRounds = 20

/** Ends a session; one that has ended meanwhile is no failure. */
const endOne = async (client: Countersign, id: string, key: string): Promise<void> => {
  const ended = await client.sessions.end(id, { idempotencyKey: `${key}-${id}` }).result()
  if (!ended.ok && !isCountersignError(ended.error, "NOT_FOUND")) throw ended.error
}

/** Ends all sessions of a person, also those that are opened meanwhile; answers how many. */
const endAll = async (client: Countersign, personId: string, key: string): Promise<number> => {
  const ended = new Set<string>()
  for (let round = 0; round < mostRounds; round++) {
    const found = await client.sessions.list({ person_id: personId, limit: 200 })
    if (found.length === 0) break
    for (const { id } of found) {
      await endOne(client, id, key)
      ended.add(id)
    }
  }
  return ended.size
}

/** Signs the person out everywhere. */
export const EndSessions = ({ of: { person, sessions }, onChange }: ActionsProps) => (
  <Action
    label="End sessions"
    isOffered={sessions.length > 0}
    scope="people:write"
    says={`${shortName(person.name)} is signed out everywhere, and may sign in again.`}
    perform={(client, { idempotencyKey }) => endAll(client, person.id, idempotencyKey)}
    done={(ended) => `${some(ended, "session")} ended.`}
    onDone={onChange}
  />
)

const Leaves = ({ keys, set, value }: {
  readonly keys: ReadonlyArray<ApiKey>
  readonly value: "keep" | "revoke"
  readonly set: (value: "keep" | "revoke") => void
}) => (
  <div class="stack">
    <span>
      Leaves {some(keys.length, "API key")} that work: <bdi>{keys.map(({ name }) => name).join(", ")}</bdi>
    </span>
    <Radios
      label="API keys"
      value={value}
      onChange={set}
      options={[
        {
          value: "keep",
          name: "Keep",
          hint: "Programs that use the keys continue to work. Rotate the keys when you can."
        },
        { value: "revoke", name: "Revoke", hint: consequenceOf("revokeAPIKey") }
      ]}
    />
  </div>
)

const allKept: { readonly left: "keep" | "revoke" } = { left: "keep" }

/** Removes a person, and says what stays behind. */
export const RemovePerson = ({ of: { isLastOwner, keys, person, sessions }, onChange }: ActionsProps) => {
  const draft = useDraft("removal", allKept)
  const { left } = draft.values
  const working = (keys ?? []).filter(({ is_active }) => is_active)
  return (
    <Action
      label="Remove"
      weight="danger"
      asksWhy="person.removed"
      needsWhy={left === "revoke" && reasonRules.value.required.includes("api_key.revoked")}
      isOffered={person.status !== "removed"}
      scope="people:write"
      says={isLastOwner
        ? <Note tone="warn" title={lastOwner} />
        : `${consequenceOf("removePerson")} ${
          sessions.length === 0 ? "" : `${some(sessions.length, "session ends", "sessions end")} at once. `
        }The record stays, for the log.${keys === undefined ? ` ${keysHidden}` : ""}`}
      fields={working.length === 0 ? null : <Leaves keys={working} value={left} set={(left) => draft.set({ left })} />}
      draft={draft}
      isReady={!isLastOwner}
      secondLook="change_people"
      perform={async (client, { idempotencyKey, ...reason }) => {
        await client.people.remove(person.id, { idempotencyKey, ...reason })
        const revoked = left === "revoke" ? working : []
        for (const { id } of revoked) {
          await client.apiKeys.revoke(id, { idempotencyKey: `${idempotencyKey}-${id}`, ...reason })
        }
        return revoked.length
      }}
      onceApproved={() =>
        left === "revoke" && working.length > 0
          ? "The API keys work until you revoke them on the page of API keys, which takes no approval."
          : null}
      done={(revoked) =>
        `${shortName(person.name)} was removed.${revoked === 0 ? "" : ` ${some(revoked, "API key")} revoked.`}`}
      onDone={onChange}
    />
  )
}

/** Takes a removed person back. */
export const Reinstate = ({ of: { person }, onChange }: ActionsProps) => (
  <Action
    label="Reinstate"
    isOffered={person.status === "removed"}
    scope="people:write"
    says={`${shortName(person.name)} comes back without roles. Give some afterwards.`}
    secondLook="change_people"
    perform={(client, options) => client.people.reinstate(person.id, options)}
    done={() => `${shortName(person.name)} was reinstated.`}
    onDone={onChange}
  />
)
