import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import { key, valid } from "../../fixtures/certificates.ts"
import { debianProgram } from "../../fixtures/DebianPackage.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { readRoot } from "../../fixtures/OpsFiles.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { name as host, restartEach, startCalls, startNodes } from "../../fixtures/RollingRestart.ts"
import type { Service } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"
import { someOf, takesAll } from "../../fixtures/Share.ts"

/** How many calls are answered, at least, from before the first stop until after the last start. */
const calls = takesAll ? 5_000 : 1_000

/** A file with what its reader replaces; each must be there. */
const replaced = (file: string, pairs: ReadonlyArray<readonly [from: string, to: string]>): string =>
  pairs.reduce((text, [from, to]) => {
    assert.include(text, from)
    return text.replaceAll(from, to)
  }, readRoot(file))

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** Runs a proxy until the test has ended, and waits until it listens. */
const run = async (program: string, given: ReadonlyArray<string>, port: number): Promise<void> => {
  const child = spawn(program, given, { stdio: ["ignore", "pipe", "pipe"], env: { HOME: temporaryDirectory() } })
  guardProcess(child)
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  atEnd(async () => {
    child.kill("SIGTERM")
    await ended
  })
  await eventually(`${program} listens`, () => {
    assert.isNull(child.exitCode, printed)
    return isOpen(port)
  })
}

/** What a proxy is, and how it is run with the file that is shipped. */
interface Proxy {
  readonly name: string
  readonly program: string
  readonly start: (program: string, nodes: ReadonlyArray<string>, port: number) => Promise<void>
}

/** A certificate and its key, as files. */
const certificate = () => {
  const directory = temporaryDirectory()
  const files = { chain: join(directory, "fullchain.pem"), key: join(directory, "privkey.pem") }
  writeFileSync(files.chain, valid)
  writeFileSync(files.key, key)
  return files
}

const nginx: Proxy = {
  name: "nginx",
  program: "usr/sbin/nginx",
  start: async (program, [one = "", other = ""], port) => {
    const directory = temporaryDirectory()
    const files = certificate()
    mkdirSync(join(directory, "conf.d"))
    writeFileSync(
      join(directory, "conf.d/countersign.conf"),
      replaced("ops/nginx/countersign.conf", [
        ["10.0.0.11:8080", one],
        ["10.0.0.12:8080", other],
        ["listen 443", `listen 127.0.0.1:${port}`],
        ["/etc/letsencrypt/live/licenses.example.com/fullchain.pem", files.chain],
        ["/etc/letsencrypt/live/licenses.example.com/privkey.pem", files.key]
      ])
    )
    // What Debian's nginx.conf says, without its modules and with directories of its own.
    writeFileSync(
      join(directory, "nginx.conf"),
      `worker_processes 2;
pid ${directory}/nginx.pid;
error_log stderr;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  ${
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map((name) => `${name}_temp_path ${directory}/${name};`).join("\n  ")
      }
  include ${directory}/conf.d/*.conf;
}
`
    )
    const given = ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", "stderr", "-g", "daemon off;"]
    await run(program, given, port)
  }
}

const caddy: Proxy = {
  name: "caddy",
  program: "usr/bin/caddy",
  start: async (program, [one = "", other = ""], port) => {
    const directory = temporaryDirectory()
    const files = certificate()
    const file = join(directory, "Caddyfile")
    writeFileSync(
      file,
      `{
  admin off
  auto_https off
}
` + replaced("ops/caddy/Caddyfile", [
        ["10.0.0.11:8080", one],
        ["10.0.0.12:8080", other],
        ["licenses.example.com {", `https://${host}:${port} {\n\ttls ${files.chain} ${files.key}`]
      ])
    )
    await run(program, ["run", "--config", file, "--adapter", "caddyfile"], port)
  }
}

const hostOf = ({ url }: Service): string => new URL(url).host

describe("two nodes that are restarted one after the other", { timeout: 900_000 }, () => {
  it.each(someOf("proxies before a restart", [nginx, caddy], 1))(
    "behind Debian's $name, as shipped, lose no call",
    async ({ name, program, start }) => {
      const path = debianProgram(name, program)
      if (path === undefined) return
      const nodes = await startNodes()
      const port = await freePort()
      await start(path, nodes.map(hostOf), port)
      const load = await startCalls(nodes[0]!, `https://127.0.0.1:${port}`)
      await load.until(calls / 5)
      await restartEach(nodes)
      await load.until(Math.max(calls, load.answered() + calls / 5))
      await load.settle()
    }
  )
})

/** A second hop: Debian's Caddy between the proxy that is shipped and the nodes, over plain HTTP. */
const hop = async (nodes: ReadonlyArray<string>): Promise<string | undefined> => {
  const program = debianProgram("caddy", "usr/bin/caddy")
  if (program === undefined) return undefined
  const port = await freePort()
  const file = join(temporaryDirectory(), "Caddyfile")
  writeFileSync(
    file,
    `{\n\tadmin off\n\tauto_https off\n}\nhttp://:${port} {\n\treverse_proxy ${nodes.join(" ")}\n}\n`
  )
  await run(program, ["run", "--config", file, "--adapter", "caddyfile"], port)
  return `127.0.0.1:${port}`
}

/** Sends what a page of the published address sends through a proxy; answers the status and the cookie that it sets. */
const asPage = (port: number, path: string, type: string, body: string, cookie = "") =>
  new Promise<{ readonly status: number; readonly cookie: string; readonly text: string }>((resolve, reject) => {
    const origin = `https://${host}:${port}`
    const headers = {
      host: `${host}:${port}`,
      origin,
      "sec-fetch-site": "same-origin",
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      cookie
    }
    const options = { method: "POST", rejectUnauthorized: false, servername: host, headers }
    const outgoing = request(`https://127.0.0.1:${port}${path}`, options, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.once("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          cookie: String(incoming.headers["set-cookie"]).split(";")[0]!,
          text: Buffer.concat(chunks).toString()
        }))
    })
    outgoing.once("error", reject)
    outgoing.end(body)
  })

describe("pages of a service that is published at a port", { timeout: 300_000 }, () => {
  it.each(someOf(
    "proxies and hops",
    [
      { proxy: nginx, hops: 1 },
      { proxy: nginx, hops: 2 },
      { proxy: caddy, hops: 1 },
      { proxy: caddy, hops: 2 }
    ],
    2
  ))("write behind Debian's $proxy.name, as shipped, at hop $hops", async ({ hops, proxy }) => {
    const path = debianProgram(proxy.name, proxy.program)
    if (path === undefined) return
    const port = await freePort()
    const nodes = await startNodes({
      COUNTERSIGN_PUBLIC_URL: `https://${host}:${port}`,
      COUNTERSIGN_PORTAL: "on"
    })
    const inner = hops === 1 ? undefined : await hop(nodes.map(hostOf))
    if (hops === 2 && inner === undefined) return
    await proxy.start(path, inner === undefined ? nodes.map(hostOf) : [inner, inner], port)

    const [node] = nodes as [Service, Service]
    const { id } = await node.data("POST", "/api/v1/people", { name: "Ada", roles: ["support"] })
    const { invitation } = await node.data("POST", `/api/v1/people/${id}/invite`)
    const json = "application/json"
    const entered = await asPage(port, "/api/v1/sign-in", json, JSON.stringify({ invitation }))
    assert.strictEqual(entered.status, 201, entered.text)
    const customer = JSON.stringify({ code: "acme", name: "Acme" })
    const written = await asPage(port, "/api/v1/customers", json, customer, entered.cookie)
    assert.strictEqual(written.status, 201, written.text)
    const { key } = await node.issue()
    const form = await asPage(port, "/portal/sign-in", "application/x-www-form-urlencoded", `license_key=${key}`)
    assert.strictEqual(form.status, 303, form.text)
  })
})

describe("docs/how-to/deploy.md", () => {
  it.each(["ops/nginx/countersign.conf", "ops/caddy/Caddyfile"])("shows %s as it is shipped", (file) => {
    assert.include(readRoot("docs/how-to/deploy.md"), `\`${file}\`:\n\n`)
    assert.include(readRoot("docs/how-to/deploy.md"), `\n${readRoot(file)}\`\`\`\n`)
  })

  it("has proxies give up a connection sooner than the shortest drain with a database ends", () => {
    assert.match(table.drainSeconds.shown, /^5 with DATABASE_URL/)
    for (
      const [file, directive] of [["ops/nginx/countersign.conf", "keepalive_timeout"], [
        "ops/caddy/Caddyfile",
        "keepalive"
      ]]
    ) {
      const [, seconds] = new RegExp(`^\\s*${directive} (\\d+)s`, "m").exec(readRoot(file!))!
      assert.isBelow(Number(seconds), 5)
    }
  })
})
