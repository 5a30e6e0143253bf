import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { runCommand } from "../fixtures/CommandLine.ts"
import type { Ended } from "../fixtures/Program.ts"
import { run, temporaryDirectory } from "../fixtures/Program.ts"
import type { Service } from "../fixtures/Service.ts"
import { startService } from "../fixtures/Service.ts"
import { atEnd, database, session } from "../fixtures/Session.ts"

const masterKey = Buffer.alloc(32, 7).toString("base64")
const adminToken = "a-token-of-at-least-24-characters"

/** Starts the service with these settings and waits until it gives up. */
const start = (environment: Readonly<Record<string, string>>): Promise<Ended> =>
  run(["src/runtime/main.ts"], { PORT: "0", COUNTERSIGN_DATA_DIR: temporaryDirectory(), ...environment })

/** Reads these settings as a start does first, and every command of the service as well, without a process of its own. */
const configure = (environment: Readonly<Record<string, string>>): Promise<Ended> =>
  runCommand(["token"], { PORT: "0", COUNTERSIGN_DATA_DIR: temporaryDirectory(), ...environment })

/** Goes on to the database as a start does, without a process of its own: connects, migrates, takes the master key. */
const connect = (environment: Readonly<Record<string, string>>): Promise<Ended> =>
  runCommand(["keys", "list"], { PORT: "0", ...environment })

/** It ended by itself with this exit code, and was not killed for being late, with a message that has all of these parts and looks like no crash. */
const refusedToStart = (ended: Ended, status: number, ...parts: ReadonlyArray<string>): void => {
  assert.strictEqual(ended.status, status, ended.errors)
  for (const part of parts) assert.include(ended.errors, part, ended.errors)
  assert.notMatch(ended.errors, /^\s+at /m, "no stack")
  assert.notInclude(ended.output, "is ready")
}

/** A server that accepts connections and never says a word. */
const silentServer = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const sockets = new Set<{ destroy: () => void }>()
  server.on("connection", (socket) => sockets.add(socket.on("error", () => {})))
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe.concurrent("starting with a wrong or missing setting says what to set", () => {
  const mistakes: ReadonlyArray<readonly [string, Record<string, string>, ReadonlyArray<string>]> = [
    [
      "a database without the master key",
      { DATABASE_URL: "postgres://someone:hush-hush@127.0.0.1:1/licenses" },
      ["COUNTERSIGN_MASTER_KEY is required with DATABASE_URL", "Example: ", "openssl rand -base64 32"]
    ],
    [
      "a master key of the wrong size",
      { COUNTERSIGN_MASTER_KEY: "c2hvcnQ=" },
      ["COUNTERSIGN_MASTER_KEY must be 32 bytes in base64", "openssl rand -base64 32"]
    ],
    ["a port that is no port", { PORT: "eighty" }, ["PORT must be a number from 0 to 65535, not \"eighty\"", "8080"]],
    [
      "a short admin token",
      { COUNTERSIGN_ADMIN_TOKEN: "letmein" },
      ["COUNTERSIGN_ADMIN_TOKEN must have 24 or more characters, not 7", "openssl rand -hex 24"]
    ],
    [
      "a range of addresses that is none",
      { COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8, 10.0.0.0/64" },
      ["COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS must be ranges", "wrong: \"10.0.0.0/64\"", "127.0.0.0/8,10.0.0.0/8"]
    ],
    [
      "an origin that is none",
      { COUNTERSIGN_CORS_ORIGINS: "https://App.example.com/,file://" },
      [
        "COUNTERSIGN_CORS_ORIGINS must be origins",
        "\"https://App.example.com/\" (write https://app.example.com)",
        "\"file://\" (pages of file:// have the origin null"
      ]
    ],
    [
      "a data directory that cannot be made",
      { COUNTERSIGN_DATA_DIR: "/dev/null/data" },
      ["Cannot use the data directory /dev/null/data", "Set COUNTERSIGN_DATA_DIR to a directory"]
    ]
  ]
  it.for(mistakes)("%s", async ([, environment, parts]) => {
    const ended = await configure(environment)
    refusedToStart(ended, environment["COUNTERSIGN_DATA_DIR"] === undefined ? 2 : 3, ...parts)
    for (const hidden of ["hush-hush", "c2hvcnQ", "letmein"]) assert.notInclude(ended.errors, hidden)
  })

  it("two of them are reported at once", async () => {
    const ended = await configure({ PORT: "80800", COUNTERSIGN_MASTER_KEY: "c2hvcnQ=" })
    refusedToStart(ended, 2, "\n  PORT must be", "\n  COUNTERSIGN_MASTER_KEY must be")
    assert.notInclude(ended.errors, "c2hvcnQ")
  })

  it("an address of another machine", async () => {
    const ended = await start({ HOST: "192.0.2.1" })
    refusedToStart(ended, 2, "Cannot listen on 192.0.2.1:0", "Set HOST to one that it has, for example HOST=127.0.0.1")
  })

  it("a port that is taken", async () => {
    const port = await silentServer()
    const ended = await start({ PORT: String(port) })
    refusedToStart(ended, 2, `Cannot listen on 127.0.0.1:${port}`, "set PORT to another one, for example PORT=8081")
  })
})

describe.concurrent("starting with a database that cannot be used says why", () => {
  const secrets = { COUNTERSIGN_MASTER_KEY: masterKey, COUNTERSIGN_ADMIN_TOKEN: adminToken }

  it("nobody listens there", async () => {
    const ended = await connect({ ...secrets, DATABASE_URL: "postgres://someone:hush-hush@127.0.0.1:1/licenses" })
    refusedToStart(ended, 3, "Cannot use the database at 127.0.0.1:1/licenses after 10 s", "Check DATABASE_URL")
    assert.notInclude(ended.errors + ended.output, "hush-hush")
  })

  it("what listens there is silent", async () => {
    const port = await silentServer()
    const url = `postgres://someone:hush-hush@127.0.0.1:${port}/licenses`
    const ended = await start({ ...secrets, DATABASE_URL: url })
    refusedToStart(ended, 3, `Cannot use the database at 127.0.0.1:${port}/licenses`, "Check DATABASE_URL")
    assert.notInclude(ended.errors + ended.output, "hush-hush")
  })

  it("there is no database of that name", async () => {
    const url = new URL(await database())
    url.pathname = "/no_such_database"
    const ended = await connect({ ...secrets, DATABASE_URL: url.href })
    refusedToStart(ended, 3, "database \"no_such_database\" does not exist", "Check DATABASE_URL")
  })

  it("its user may not create tables", async () => {
    const databaseUrl = await database()
    const name = new URL(databaseUrl).pathname.slice(1)
    const reader = `${name}_reader`
    const admin = await session(databaseUrl)
    await admin.query(`CREATE ROLE ${reader}`)
    try {
      await admin.query(`ALTER DATABASE ${name} SET role = '${reader}'`)
      const ended = await connect({ ...secrets, DATABASE_URL: databaseUrl })
      refusedToStart(ended, 3, `The database user ${reader} may not create tables in schema public`, "DATABASE_URL")
    } finally {
      await admin.query(`ALTER DATABASE ${name} RESET role`)
      await admin.query(`DROP ROLE ${reader}`)
    }
  })
})

describe.concurrent("starting beside a service that runs does not disturb it", () => {
  let databaseUrl: string
  let running: Service

  beforeAll(async () => {
    databaseUrl = await database()
    running = await startService({ databaseUrl })
  })

  const goesOn = async () => assert.strictEqual((await running.call("GET", "/api/v1/products")).status, 200)

  // Its sockets share their port with each other, which must not let another service in.
  it("on its port", async () => {
    const { port } = new URL(running.url)
    refusedToStart(await start({ PORT: port }), 2, `Cannot listen on 127.0.0.1:${port}`)
    await goesOn()
  })

  // One process, and several of which the first one fails: a supervisor reads the exit code and does not try again.
  it.each(["1", "2"])(
    "on its database, with another master key than the one that made it, %s processes",
    async (processes) => {
      const ended = await start({
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_PROCESSES: processes,
        COUNTERSIGN_ADMIN_TOKEN: adminToken,
        COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 8).toString("base64")
      })
      refusedToStart(ended, 2, "COUNTERSIGN_MASTER_KEY is not the master key of this database")
      await goesOn()
      // Nothing was spoilt: the right key still opens the database.
      const next = await startService({ databaseUrl })
      assert.strictEqual((await next.call("GET", "/readyz", { token: null })).status, 200)
    }
  )
})

describe.concurrent("asked for help", () => {
  it("prints every setting and starts nothing", async () => {
    const ended = await run(["src/runtime/main.ts", "--help"], { PORT: "eighty" })
    assert.strictEqual(ended.status, 0)
    assert.include(ended.output, "COUNTERSIGN_MASTER_KEY")
    assert.strictEqual(ended.errors, "")
  })
})
