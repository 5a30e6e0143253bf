import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import type { ServerUser } from "./PostgresBinaries.ts"

/** The account that the embedded server runs as when root starts it. */
const accountName = "countersign"

/** The account that every system has, and that other programs use too. */
const nobody = { uid: 65_534, gid: 65_534 }

/** Answers what a program of the system prints; `undefined` when it is not there or fails. */
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

/** The account of our own, wherever the system keeps accounts. Root is no such account, whatever it is called. */
const own = (): { readonly uid: number; readonly gid: number } | undefined => {
  const uid = Number(answerOf("id", "-u", accountName) ?? 0)
  const gid = Number(answerOf("id", "-g", accountName) ?? 0)
  return uid > 0 && gid > 0 ? { uid, gid } : undefined
}

const isRoot = (): boolean => process.getuid?.() === 0

/** Whether files of this owner are given to the account of our own: nobody's, or root's from a backup. */
const isToBeGiven = (directory: string): boolean => {
  const stat = Fs.statSync(directory, { throwIfNoEntry: false })
  return stat === undefined || stat.uid === 0 || stat.uid === nobody.uid
}

/**
 * Who runs the server of a directory, since PostgreSQL refuses to run as root: `undefined`, this process's user, unless
 * that is root. Then it is the owner of the files, where somebody gave them to an account; otherwise an account of our
 * own, or `nobody` where there is none. Changes nothing.
 */
export const serverUserOf = (directory: string): ServerUser => {
  if (!isRoot()) return undefined
  if (isToBeGiven(directory)) return own() ?? nobody
  const { gid, uid } = Fs.statSync(directory)
  return { uid, gid }
}

/** How the systems make an account without a home, a password and a shell: shadow-utils, and BusyBox. */
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
 * Makes the account of our own where root starts a server that needs it and there is none. Of several that start at
 * once one makes it, and the others find it. Where it cannot be made the server runs as `nobody`, and the log says so.
 */
export const ensureServerAccount = (directory: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (!isRoot() || process.platform !== "linux" || !isToBeGiven(directory) || own() !== undefined) return
    for (const [program, ...args] of commands) {
      // The list of accounts is locked for the moment in which another process adds to it.
      for (let attempt = 0; attempt < 5; attempt++) {
        const isMade = answerOf(program, ...args, accountName) !== undefined
        if (own() !== undefined) {
          if (isMade) {
            yield* Effect.logInfo(`Made the system account ${accountName}, which runs the embedded PostgreSQL`)
          }
          return
        }
        yield* Effect.sleep("100 millis")
      }
    }
    yield* Effect.logWarning(
      `The embedded PostgreSQL runs as nobody, an account that other programs may share. Make one of its own: ` +
        `useradd --system ${accountName}`
    )
  })
