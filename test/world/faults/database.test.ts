import { assert, describe, it } from "@effect/vitest"
import { setTimeout as delay } from "node:timers/promises"
import { beforeAll } from "vitest"
import type { TestContext } from "vitest"
import { role } from "../../../src/runtime/postgres/PostgresCluster.ts"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { Ledger } from "../../fixtures/Ledger.ts"
import { startLoad } from "../../fixtures/Load.ts"
import { postgresServer } from "../../fixtures/PostgresServer.ts"
import type { PostgresServer } from "../../fixtures/PostgresServer.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { tcpProxy } from "../../fixtures/TcpProxy.ts"

takeTurns()

const stops = isLong ? 5 : 1
const downFor = isLong ? 5_000 : 1_000
const cutFor = isLong ? 30_000 : 3_000
const cutEvery = 250
const blackFor = isLong ? 30_000 : 7_000
const endpoints = isLong ? 8 : 2
/** After each answer of a client, in milliseconds. */
const pause = isLong ? 15 : 250
const clients = isLong ? 6 : 3

/** While silent connections are waited for, half a minute long: a few writes show as much as many do. */
const sparse = isLong ? { clients, pause } : { clients: 2, pause: 500 }

/** What a service may take, from the end of a fault until what is written then has come to every endpoint, in seconds. */
const recovery = isLong ? 30 : 240

/** When a connection that is silent has been given up, in seconds, and the work of it is done. */
const givenUpWithin = 40

const inWords = (seconds: ReadonlyArray<number>): string =>
  `recovered after ${seconds.map((it) => it.toFixed(1)).join(", ")} s`

/** The server that is stopped, and the one that goes on. */
let stopped: PostgresServer
let server: PostgresServer

beforeAll(async () => {
  const servers = await Promise.all([postgresServer(), postgresServer()])
  stopped = servers[0]
  server = servers[1]
})

/** A database of a test's own on a server, by its socket. */
const makeDatabase = async (server: PostgresServer, name: string): Promise<string> => {
  const maintenance = await session(server.url)
  await maintenance.query(`CREATE DATABASE ${name}`)
  await maintenance.close()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}

/** A service under load, with its ledger. Each test ends its own, so that none idles beside the longest test. */
const loaded = async (databaseUrl: string, test: TestContext, size = { clients, pause }) => {
  const service = await startService({ databaseUrl, as: "host" })
  const ledger = await Ledger.open()
  await ledger.subscribe(service, endpoints)
  const load = await startLoad([service], size, test)
  await ledger.more(isLong ? 20 : 5)
  return { ledger, load, service }
}

// The long form measures how long each takes.
describe("the database fails under load", { concurrent: !isLong }, () => {
  it("pg_ctl stop -m immediate and start: the service recovers by itself, nothing is lost", async (test) => {
    const { ledger, load, service } = await loaded(await makeDatabase(stopped, "stopped"), test)
    const chances = chance("stops")
    const recovered: Array<number> = []
    for (let stop = 0; stop < stops; stop++) {
      await stopped.stopImmediately()
      ledger.fault()
      await delay(chances.upTo(downFor))
      await stopped.start()
      recovered.push(await ledger.reachesAll(Date.now(), recovery))
      await ledger.more(chances.upTo(isLong ? 50 : 10))
    }
    await ledger.settle(`pg_ctl stop -m immediate, ${stops} times (${inWords(recovered)})`, service, load)
    await service.kill("SIGKILL")
  }, faultTimeout)

  it("connections are ended in a loop: nothing is lost", async (test) => {
    const databaseUrl = await makeDatabase(server, "cut")
    const { ledger, load, service } = await loaded(databaseUrl, test)
    const ender = await session(databaseUrl)
    const chances = chance("cuts")
    let ended = 0
    ledger.fault()
    for (const end = performance.now() + cutFor; performance.now() < end;) {
      const rows = await ender.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
          "WHERE datname = current_database() AND application_name LIKE 'countersign %'"
      )
      ended += rows.length
      await delay(chances.upTo(cutEvery * 2))
    }
    await ender.close()
    assert.isAbove(ended, 10)
    const recovered = await ledger.reachesAll(Date.now(), recovery)
    await ledger.settle(`pg_terminate_backend, ${ended} times (${inWords([recovered])})`, service, load)
    await service.kill("SIGKILL")
  }, faultTimeout)

  it("the database is a black hole: no packet arrives for a while, and nothing is lost", async (test) => {
    await makeDatabase(server, "swallowed")
    const proxy = await tcpProxy({ path: server.socket })
    const { ledger, load, service } = await loaded(`postgres://${role}@127.0.0.1:${proxy.port}/swallowed`, test)
    assert.isAbove(proxy.connections(), 2)
    proxy.swallow()
    ledger.fault()
    await delay(2_000)
    const before = ledger.delivered
    await delay(blackFor - 2_000)
    assert.isBelow(ledger.delivered - before, 20, "it was a black hole")
    proxy.heal()
    const recovered = await ledger.reachesAll(Date.now(), recovery)
    await ledger.settle(`database black-holed for ${blackFor / 1000} s (${inWords([recovered])})`, service, load)
    await service.kill("SIGKILL")
  }, faultTimeout)

  it(
    "a firewall forgets the connections: the service gives them up within 40 s and goes on over new ones",
    async (test) => {
      await makeDatabase(server, "forgotten")
      const proxy = await tcpProxy({ path: server.socket })
      const { ledger, load, service } = await loaded(
        `postgres://${role}@127.0.0.1:${proxy.port}/forgotten`,
        test,
        sparse
      )
      assert.isAbove(proxy.connections(), 2)
      const begun = Date.now()
      proxy.forget()
      ledger.fault()
      await ledger.reachesAll(begun + 1_000, givenUpWithin + recovery)
      const seconds = (Date.now() - begun) / 1000
      if (isLong) assert.isAtMost(seconds, givenUpWithin)
      await ledger.settle(`connections forgotten by a firewall (${inWords([seconds])})`, service, load)
      await service.kill("SIGKILL")
    },
    faultTimeout
  )
})
