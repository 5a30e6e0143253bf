// Runs the service that was bundled once, so that the code of its start is kept.
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** How long a first start may take where other programs have most of the machine, in milliseconds. */
const patience = 90_000

/** What a program needs of where it runs. */
const surroundings = ["PATH", "HOME", "TMPDIR", "SystemRoot"]

/** What most callers ask first. */
const firstPaths = ["/readyz", "/api/v1/products", "/api/v1/licenses"]

/**
 * Starts the service of a checkout on a database of its own, asks it a little, and stops it. Where the machine has no database,
 * nothing is kept before somebody starts the service with one.
 */
export const primeServer = async (root: string, program: ReadonlyArray<string>): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-prime-"))
  const token = "only-while-the-bundle-is-made-0123"
  const service = spawn(process.execPath, program, {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      // Nothing that whoever installs has set for a service of theirs: no database, no mailbox, no collector of traces.
      ...Object.fromEntries(surroundings.map((name) => [name, process.env[name]])),
      HOST: "127.0.0.1",
      PORT: "0",
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_ADMIN_TOKEN: token,
      COUNTERSIGN_LOG_FORMAT: "json"
    }
  })
  const ended = new Promise((resolve) => service.once("exit", resolve).once("error", resolve))
  const late = setTimeout(() => service.kill("SIGKILL"), patience)
  try {
    const url = await Promise.race([addressOf(service.stdout), ended.then(() => undefined)])
    if (url === undefined) return
    for (const path of firstPaths) {
      await fetch(url + path, { headers: { authorization: `Bearer ${token}` } }).then((answer) => answer.text())
    }
  } finally {
    service.kill("SIGTERM")
    await ended
    clearTimeout(late)
    await rm(directory, { recursive: true, force: true })
  }
}

/** Where a service says that it is ready. */
const addressOf = (output: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    output.setEncoding("utf8").on("data", (more: string) => {
      text += more
      const found = /is ready at (http:\/\/[^\s"]+)/.exec(text)
      if (found !== null) resolve(found[1]!)
    })
  })
