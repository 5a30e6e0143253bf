import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import type { ServerUser } from "./PostgresBinaries.ts"

/** The account that runs the embedded server when root starts it. */
const accountName = "countersign"

/** The account that every system has, but which other programs use too. */
const nobody = { uid: 65_534, gid: 65_534 }

/** The output of a system program; `undefined` when it is missing or fails. */
const answerOf = (program: string, ...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" }
    })
  } catch {
    return undefined
  }
}

/** The dedicated account, wherever the system keeps accounts. An account with root's id does not count. */
const own = (): { readonly uid: number; readonly gid: number } | undefined => {
  const uid = Number(answerOf("id", "-u", accountName) ?? 0)
  const gid = Number(answerOf("id", "-g", accountName) ?? 0)
  return uid > 0 && gid > 0 ? { uid, gid } : undefined
}

const isRoot = (): boolean => process.getuid?.() === 0

/** Whether files of this owner are given to the dedicated account: those of `nobody`, or root's from a backup. */
const isToBeGiven = (directory: string): boolean => {
  const stat = Fs.statSync(directory, { throwIfNoEntry: false })
  return stat === undefined || stat.uid === 0 || stat.uid === nobody.uid
}

/**
 * The user that runs the server of a directory, since PostgreSQL refuses to run as root: `undefined`, this process's
 * user, unless that is root. For root it is the owner of the files if an operator gave them to an account, else the
 * dedicated account, or `nobody` if there is none. Changes nothing.
 */
export const serverUserOf = (directory: string): ServerUser => {
  if (!isRoot()) return undefined
  if (isToBeGiven(directory)) return own() ?? nobody
  const { gid, uid } = Fs.statSync(directory)
  return { uid, gid }
}

/** Commands that create an account without a home, a password and a shell: shadow-utils, and BusyBox. */
const commands = [
  [
    "useradd",
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin"
  ],
  ["adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", "/sbin/nologin"]
] as const

/**
 * Creates the dedicated account if root starts a server that needs it and it does not exist. Of several concurrent
 * starts one creates it, and the others find it. If it cannot be created, the server runs as `nobody`, and the log says
 * so.
 */
export const ensureServerAccount = (directory: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (!isRoot() || process.platform !== "linux" || !isToBeGiven(directory) || own() !== undefined) return
    for (const [program, ...args] of commands) {
      // The list of accounts is locked while another process adds to it.
      for (let attempt = 0; attempt < 5; attempt++) {
        const isMade = answerOf(program, ...args, accountName) !== undefined
        if (own() !== undefined) {
          if (isMade) {
            yield* Effect.logDebug(`Made the system account ${accountName}, which runs the embedded PostgreSQL`)
          }
          return
        }
        yield* Effect.sleep("100 millis")
      }
    }
    yield* Effect.logWarning(
      `The embedded PostgreSQL runs as \`nobody\`, an account that other programs may share. Create a separate one: ` +
        `useradd --system ${accountName}`
    )
  })
