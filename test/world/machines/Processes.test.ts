import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { randomInt, randomUUID } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EmbeddedPostgres from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import { joinMetrics } from "../../../src/runtime/processes/Parent.ts"
import { Service, startService } from "../../fixtures/Service.ts"
import { atEnd, database, eventually, holdLicense, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-"))
  atEnd(async () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A PostgreSQL that lets so many connect; answers its URL. */
const serverFor = async (connections: number): Promise<string> => {
  const scope = Scope.makeUnsafe()
  const directory = temporaryDirectory()
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const started = EmbeddedPostgres.start({ directory, durable: false, connections })
  return Redacted.value((await Effect.runPromise(Scope.provide(started, scope))).url)
}

/** The processes that a process has started and that still run. */
const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const text = readFileSync(`/proc/${name}/stat`, "latin1")
      const [state, of] = text.slice(text.lastIndexOf(")") + 2).split(" ")
      const isProcess = Number(of) === parent && state !== "Z" && !text.includes("(postgres)")
      return isProcess ? [Number(name)] : []
    } catch {
      return []
    }
  })

/** The numbers of the processes whose metrics are served. */
const measured = async (service: Service): Promise<ReadonlyArray<string>> => {
  const { text } = await service.call("GET", "/metrics", { token: null })
  return [...text.matchAll(/^process_resident_memory_bytes\{process="(\d+)"/gm)].map(([, number]) => number!)
}

/** Waits until processes have got ready; the first one has when the service has started. */
const ready = (service: Service, ...numbers: ReadonlyArray<number>) =>
  eventually(
    "all processes are ready",
    () => numbers.every((number) => service.logs().includes(`Process ${number} is ready`))
  )

/** A process that is slow to tell its figures is left out of an answer. */
const allMeasured = (service: Service) =>
  eventually("metrics are those of all", async () => (await measured(service)).join() === "1,2,3")

const isGone = (pid: number): boolean => {
  try {
    return !/\) [^Z]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return true
  }
}

/** Of all processes together. */
const inFlight = async (service: Service): Promise<number> => {
  const { text } = await service.call("GET", "/metrics", { token: null })
  return [...text.matchAll(/^http_server_active_requests\{.*\} (\d+)/gm)]
    .reduce((sum, [, count]) => sum + Number(count), 0)
}

/** One request over a connection of its own, so that the kernel chooses a process anew. */
const anew = (service: Service, key: string, body: object) =>
  service.license("activate", key, body, { connection: "close" })

describe.skipIf(process.platform !== "linux")("several processes behind one port", () => {
  it("are nodes of one service: seats are exact, metrics are those of all, and one that dies comes back", async () => {
    // Below the ports that the system hands out.
    const clusterPort = randomInt(20_000, 30_000)
    const databaseUrl = await serverFor(62)
    const service = await startService({
      databaseUrl,
      as: "program",
      environment: {
        COUNTERSIGN_PROCESSES: "3",
        COUNTERSIGN_CLUSTER_PORT: String(clusterPort),
        COUNTERSIGN_DRAIN_SECONDS: "300"
      }
    })
    // A session that made the database may not have ended yet.
    const [, room, others] = service.logs().match(
      /The 3 processes need \d+ connections to the database and can have (\d+): max_connections allows 62, and others have (\d+)/
    ) ?? []
    assert.strictEqual(Number(room) + Number(others), 62)
    await ready(service, 2, 3)
    await allMeasured(service)
    const inspect = await session(databaseUrl)
    const nodes = [0, 1, 2].map((above) => `127.0.0.1:${clusterPort + above}`)
    await eventually("each is a node with a port of its own", async () => {
      const found = await inspect.query("SELECT address FROM node_runners ORDER BY address")
      return found.map(({ address }) => address).join() === nodes.join()
    })
    await inspect.close()
    for (const number of [1, 2, 3]) assert.include(service.logs(), `{"process":${number},`)
    const { text } = await service.call("GET", "/metrics", { token: null })
    assert.lengthOf([...text.matchAll(/^# TYPE process_resident_memory_bytes /gm)], 1, "each is described once")

    const { key } = await service.issue({ policy: { max_activations: 20 } })
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => anew(service, key, { fingerprint: randomUUID() }))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 20)
    assert.lengthOf(answers.filter(({ status }) => status === 403), 40)
    // A process that is slow to tell its figures is left out of an answer.
    await eventually("more than one process has answered", async () => {
      const { text } = await service.call("GET", "/metrics", { token: null })
      const answered = [
        ...text.matchAll(/^http_server_request_duration_seconds_count\{process="(\d)",.*status_code="403"/gm)
      ]
      return new Set(answered.map(([, number]) => number)).size > 1
    })

    const before = childrenOf(service.pid)
    assert.lengthOf(before, 3)
    process.kill(before[1]!, "SIGKILL")
    await eventually(
      "another takes its place",
      // The system numbers its processes anew when it has come to the end, so which one that was is for the log to say.
      () => /Process (\d) ended with SIGKILL and is started again[^]*Process \1 is ready/.test(service.logs())
    )
    assert.lengthOf(childrenOf(service.pid), 3)
    await allMeasured(service)

    const last = childrenOf(service.pid)
    const said = (message: string) => service.logs().match(new RegExp(`"message":"${message}`, "g"))?.length ?? 0
    // As systemd does where KillMode is control-group, and npm where a shell ends everything that it runs.
    for (const pid of [service.pid, ...last, service.pid]) process.kill(pid, "SIGTERM")
    await eventually("all drain", () => said("draining") === 3)
    for (let calls = 0; calls < 100; calls++) {
      assert.strictEqual((await service.call("GET", "/api/v1/products")).headers.connection, "close")
    }
    assert.strictEqual(said("asked to stop again"), 0)
    assert.strictEqual(said("stopped"), 0)

    // A stop answers what all of them have in hand. No request waits longer for a lock than a few seconds.
    const { key: held, license } = await service.issue({ policy: { max_activations: 20 } })
    const lock = await holdLicense(databaseUrl, license.id)
    const waiting = Array.from({ length: 6 }, () => anew(service, held, { fingerprint: randomUUID() }))
    await eventually("all have arrived", async () => await inFlight(service) >= waiting.length)
    await eventually("none listens any more once a person asks until it is so", () => {
      service.signal("SIGTERM")
      return fetch(`${service.url}/healthz`).then(() => false, () => true)
    })
    await lock.release()
    for (const answer of await Promise.all(waiting)) assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(await service.ended(), 0)
    assert.strictEqual(said("stopped"), 4, "each process, and the one that runs them")
    assert.isTrue(last.every(isGone), "none is left")
  })

  it("share an embedded database, which outlives a crash of its own, and end with their parent when it is killed", async () => {
    // A socket in it is too long for an address.
    const directory = join(temporaryDirectory(), "long-".repeat(20))
    mkdirSync(directory)
    const postmaster = (): number | undefined => {
      try {
        return Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "latin1").split("\n")[0])
      } catch {
        return undefined
      }
    }
    const service = new Service("", {
      DATABASE_URL: "",
      COUNTERSIGN_MIGRATE: "check",
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PROCESSES: "2"
    })
    await service.start()
    await ready(service, 2)
    const { key } = await service.issue()
    assert.strictEqual((await service.license("activate", key, { fingerprint: "f" })).status, 200)
    const children = childrenOf(service.pid)
    const first = postmaster()!
    process.kill(first, "SIGKILL")
    const validates = (name: string) =>
      eventually(name, async () => (await service.license("validate", key, { fingerprint: "f" })).status === 200)
    // A try that ends because sessions of the killed one still hold its memory has left its number, too.
    await eventually("the database is started again", () => /PostgreSQL runs again/.test(service.logs()))
    const left = postmaster()!
    assert.notStrictEqual(left, first)
    await validates("it is used again")
    assert.deepStrictEqual(childrenOf(service.pid), children, "no process ended with it")

    await service.kill("SIGKILL")
    await eventually("they are gone", () => children.every(isGone))
    assert.isFalse(isGone(left), "the database has nobody to stop it")
    await service.start()
    await validates("the next start takes the database over")
    assert.strictEqual(await service.kill("SIGTERM"), 0)
    assert.isTrue(isGone(left), "and stops it")
  })

  it("do not start where one would not, and say why", async () => {
    const service = new Service(await database(), { COUNTERSIGN_PROCESSES: "2", COUNTERSIGN_MASTER_KEY: "c2hvcnQ=" })
    service.launch()
    assert.strictEqual(await service.ended(), 2)
    assert.include(service.logs(), "COUNTERSIGN_MASTER_KEY must be 32 bytes")
    const many = new Service(await database(), { COUNTERSIGN_PROCESSES: "many" })
    many.launch()
    assert.strictEqual(await many.ended(), 2)
    assert.include(many.logs(), "COUNTERSIGN_PROCESSES must be auto, or a number from 1 to 8")
    // An address that no machine has (RFC 5737) is found out by the first process alone.
    const nowhere = new Service(await database(), { COUNTERSIGN_PROCESSES: "2", HOST: "192.0.2.1" })
    nowhere.launch()
    assert.strictEqual(await nowhere.ended(), 2, "the code of the process is that of the service")
    assert.include(nowhere.logs(), "this machine has no such address")
  })
})

describe("metrics of several processes", () => {
  it("are one text: each metric described once, each sample with its process", () => {
    const text = (value: number) =>
      `# HELP a_total What it counts.\n# TYPE a_total counter\na_total{b="c{d}"} ${value}\na_total ${value}\n` +
      `# TYPE h histogram\nh_bucket{le="1"} 2\nh_sum 3\n`
    const other = "# TYPE g gauge\ng 5\n"
    assert.strictEqual(
      joinMetrics([{ process: 1, text: text(1) }, { process: 2, text: text(2) + other }]),
      "# HELP a_total What it counts.\n# TYPE a_total counter\n" +
        "a_total{process=\"1\",b=\"c{d}\"} 1\na_total{process=\"1\"} 1\n" +
        "a_total{process=\"2\",b=\"c{d}\"} 2\na_total{process=\"2\"} 2\n" +
        "# TYPE h histogram\nh_bucket{process=\"1\",le=\"1\"} 2\nh_sum{process=\"1\"} 3\n" +
        "h_bucket{process=\"2\",le=\"1\"} 2\nh_sum{process=\"2\"} 3\n" +
        "# TYPE g gauge\ng{process=\"2\"} 5\n"
    )
  })
})
