// Asks the registry for known weaknesses of what is installed (npm run audit, a part of npm run check). Exit code 1: a package
// of production has one that is high or critical and not in build/audit-allowed.json. Exit code 0 otherwise, also where no
// registry answers: a check must not fail for want of a network.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { lockedPackages } from "./packages.ts"

/** A weakness that stays for a while: which, why it does no harm or cannot be mended, and until when that is believed. */
export interface Allowed {
  /** Its id in GitHub's database, such as `GHSA-c2qf-rxjj-qqgw`. */
  readonly id: string
  readonly reason: string
  /** The last day, as `2026-12-31` (UTC). */
  readonly until: string
}

interface Advisory {
  readonly name: string
  readonly severity: string
  readonly title: string
  readonly url: string
}

/** What `npm audit --json` prints (auditReportVersion 2); without `vulnerabilities` it did not get an answer. */
interface AuditAnswer {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: ReadonlyArray<Advisory | string>; readonly nodes: ReadonlyArray<string> }>
  >
  readonly statusCode?: number
  readonly message?: string
}

/** The outcome: whether it is fine, and a line for each thing to say. */
export interface Audited {
  readonly isFine: boolean
  readonly lines: ReadonlyArray<string>
}

const skipped = (why: string): Audited => ({ isFine: true, lines: [`Audit skipped: ${why}.`] })

const idOf = ({ title, url }: Advisory): string => /GHSA(-[a-z0-9]{4}){3}/.exec(url)?.[0] ?? title

/**
 * Judges what npm answered.
 *
 * @param isOfProduction whether a folder of node_modules is installed without development, too
 * @param today the day, as `2026-11-24`
 */
export const judge = (
  answer: AuditAnswer,
  allowed: ReadonlyArray<Allowed>,
  isOfProduction: (folder: string) => boolean,
  today: string
): Audited => {
  const { message = "", statusCode, vulnerabilities } = answer
  if (vulnerabilities === undefined) {
    // Of a message the code alone: the rest names the registry.
    const why = statusCode === undefined ? /\bE[A-Z_]{4,}\b/.exec(message)?.[0] : `it answered ${statusCode}`
    return skipped(`the registry gives no audit${why === undefined ? "" : ` (${why})`}`)
  }
  const bad: Array<string> = []
  const told: Array<string> = []
  const seen = new Set<string>()
  for (const { nodes, via } of Object.values(vulnerabilities)) {
    for (const advisory of via) {
      if (typeof advisory === "string" || !/^(high|critical)$/.test(advisory.severity)) continue
      const id = idOf(advisory)
      const line = `${advisory.severity}: ${advisory.name}: ${advisory.title} (${id})`
      const pardon = allowed.find((one) => one.id === id)
      seen.add(id)
      if (!nodes.some(isOfProduction)) told.push(`  of development, ${line}`)
      else if (pardon === undefined) bad.push(`  ${line}`)
      else if (pardon.until < today) bad.push(`  ${line}; was allowed until ${pardon.until}: ${pardon.reason}`)
      else told.push(`  allowed until ${pardon.until}, ${line}: ${pardon.reason}`)
    }
  }
  const idle = allowed.filter(({ id }) => !seen.has(id)).map(({ id }) =>
    `  build/audit-allowed.json has ${id}, which nothing has any more: take it out.`
  )
  const verdict = bad.length === 0
    ? "Audit: nothing high or critical in what the service runs with."
    : "Audit: update these, or say in build/audit-allowed.json why not and until when:"
  return { isFine: bad.length === 0, lines: [verdict, ...bad, ...told, ...idle] }
}

/** What npm prints about a checkout; undefined where it has not ended after so many seconds, and is ended then. */
const ask = (root: string, seconds: number, environment: Readonly<Record<string, string>>) =>
  new Promise<string | undefined>((resolve) => {
    const child = spawn("npm", ["audit", "--json", "--package-lock-only"], {
      cwd: root,
      env: { ...process.env, npm_config_fetch_retries: "0", npm_config_update_notifier: "false", ...environment },
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own, so that all of it ends.
      detached: true
    })
    let text = ""
    const timer = setTimeout(() => {
      process.kill(-child.pid!, "SIGKILL")
      resolve(undefined)
    }, seconds * 1000)
    const end = (said: string) => {
      clearTimeout(timer)
      resolve(said)
    }
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    child.once("error", ({ message }) => end(JSON.stringify({ message })))
    child.once("close", () => end(text))
  })

/** Audits a checkout, within so many seconds. */
export const audit = async (
  { allowed, environment = {}, root, seconds }: {
    readonly root: string
    readonly seconds: number
    readonly allowed: ReadonlyArray<Allowed>
    /** Settings of npm beside those of this process. */
    readonly environment?: Readonly<Record<string, string>>
  }
): Promise<Audited> => {
  const text = await ask(root, seconds, environment)
  if (text === undefined) return skipped(`the registry has not answered within ${seconds} s`)
  const locked = lockedPackages(root)
  try {
    const isOfProduction = (folder: string) => locked[folder]?.dev !== true
    return judge(JSON.parse(text), allowed, isOfProduction, new Date().toISOString().slice(0, 10))
  } catch {
    return skipped("npm answered something that is no report")
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const allowed = JSON.parse(readFileSync(join(root, "build/audit-allowed.json"), "utf8")) as ReadonlyArray<Allowed>
  const { isFine, lines } = await audit({ root, seconds: 12, allowed })
  for (const line of lines) (isFine ? console.log : console.error)(line)
  process.exitCode = isFine ? 0 : 1
}
