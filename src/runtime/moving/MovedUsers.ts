import type { Entry, Resource } from "./ExportDirectory.ts"
import { all, limit } from "./Move.ts"
import type { Move } from "./Move.ts"

const personal = ["email", "name", "issuer", "subject"] as const

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

/** The members that say who a user is. */
const whoOf = (user: Entry): Body =>
  Object.fromEntries(personal.flatMap((name) => user[name] === undefined ? [] : [[name, user[name]]]))

const accountOf = (user: Entry): string =>
  JSON.stringify(user["subject"] === undefined ? [user["email"]] : [user["issuer"], user["subject"]])

/** The users of an export who are invited here: everybody who was not removed, and was not erased. */
const invited = (users: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  users.filter((user) => user["status"] !== "removed" && (user["subject"] ?? user["email"]) !== undefined)

const usersHere = async (move: Move, id: string): Promise<ReadonlyArray<Entry>> =>
  (await all(move.client.licenses.listUsers(id, limit))).filter(({ status }) => status !== "removed")

/**
 * Invites the users of a license by their accounts, or by their addresses, and mails that only where it was asked for. Each takes the seat
 * again by signing in.
 */
export const bringUsers = async (
  move: Move,
  license: Resource,
  id: string,
  users: ReadonlyArray<Entry>
): Promise<void> => {
  const wanted = invited(users)
  if (wanted.length === 0) return
  const there = new Set((await usersHere(move, id)).map(accountOf))
  for (const user of wanted) {
    if (there.has(accountOf(user))) continue
    const body = move.notifies ? whoOf(user) : { ...whoOf(user), delivery: "none" }
    await move.attempt("license_users", license.id, () => move.client.licenses.inviteUser(id, body))
  }
}

/** Compares the users of a license with those of an export, in who they are. */
export const compareUsers = async (
  move: Move,
  license: Resource,
  id: string,
  users: ReadonlyArray<Entry>
): Promise<void> => {
  const wanted = invited(users)
  if (wanted.length === 0) return
  const there = await usersHere(move, id)
  move.compare("license_users", license.id, wanted.map(whoOf), there.map(whoOf), accountOf)
}
