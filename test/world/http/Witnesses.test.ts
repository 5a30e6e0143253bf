import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cosignedAt, startWitness } from "../../fixtures/CosigningWitness.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

interface Shown {
  readonly note: string
  readonly tree_size: number
  readonly verifier_key: string
  readonly cosignatures?: ReadonlyArray<{ readonly witness: string }>
  readonly cosigned_tree_size?: number
}

const directory = temporaryDirectory()
const logs = join(directory, "logs.txt")
writeFileSync(logs, "")
const start = (name: string, url = "http://127.0.0.1:0") =>
  startWitness(
    "--listen",
    new URL(url).host,
    "--name",
    name,
    "--key",
    join(directory, name),
    "--state",
    join(directory, `${name}.state`),
    "--logs",
    logs
  )
const names = ["w1", "w2", "w3"]
const witnesses = await Promise.all(names.map((name) => start(name)))
const environment = {
  COUNTERSIGN_WITNESSES: witnesses.map(({ key, url }) => `${key} ${url}`).join(","),
  COUNTERSIGN_WITNESS_QUORUM: "2"
}
const service = await startService({ environment, as: "program" })
const latest = (query = ""): Promise<Shown> => service.data("GET", `/api/v1/events/checkpoint${query}`)

/** How many of the witnesses have signed a note. */
const signersOf = (note: string): number => {
  const [bare, lines] = [`${note.slice(0, note.indexOf("\n\n"))}\n\n`, note.split("\n")]
  const isOf = (key: string) => (line: string) =>
    line.startsWith(`\u2014 ${key.split("+")[0]} `) && cosignedAt(bare, `${line}\n`, key) !== undefined
  return witnesses.filter(({ key }) => lines.some(isOf(key))).length
}

const sizeOf = (note: string): number => Number(note.split("\n")[1])

describe("a service with three witnesses, of which two must sign", () => {
  it("shows what is cosigned beside what is signed, and goes on while one witness is away", async () => {
    const found = (query: string) => async (): Promise<Shown | undefined> => {
      const { body, status } = await service.call("GET", `/api/v1/events/checkpoint${query}`)
      return status === 200 ? body.data : undefined
    }
    writeFileSync(logs, `${(await eventually("a checkpoint", found(""))).verifier_key}\n`)
    const cosigned = await eventually("two have signed", found("?cosigned=true"))
    assert.isAtLeast(signersOf(cosigned.note), 2)

    const { id } = await service.data("POST", "/api/v1/reports/exports", {
      report_kind: "usage-ledger",
      format: "json"
    })
    const { checkpoint } = await eventually("the export is ready", async () => {
      const found = await service.data("GET", `/api/v1/reports/exports/${id}`)
      return found.status === "ready" ? found : undefined
    })
    assert.strictEqual((await latest(`?cosigned=true&size=${checkpoint.tree_size}`)).tree_size, checkpoint.tree_size)

    await witnesses[2]!.kill()
    await service.data("POST", "/api/v1/products", { name: "Scan", code: "scan" })
    await eventually("the two that are left have signed the new event", async () => {
      const { cosigned_tree_size = 0, tree_size } = await latest()
      return tree_size > cosigned.tree_size && cosigned_tree_size === tree_size ? tree_size : undefined
    })
  })

  it("proves receipts and statements by checkpoints that two have signed, and says so where there is none", async () => {
    const { consume, key, license } = await soldUnder(service, [{ max_consumptions: 9 }])
    const receipt = (eventId: string) =>
      service.call("GET", `/api/v1/license/receipt?event_id=${eventId}`, { licenseKey: key })
    const proven = (eventId: string) =>
      eventually("a receipt", async () => {
        const { body, status } = await receipt(eventId)
        return status === 200 ? body.data : undefined
      })
    const evidenced = async () => {
      const of = { report_kind: "statement", format: "json", filters: { license_id: license.id } }
      return JSON.parse((await exportedFile(service, of)).text).evidence
    }

    // One witness is away.
    await consume(1, service, "one")
    const { leaf, note } = await proven("one")
    assert.strictEqual(signersOf(note), 2)
    assert.isAtLeast(sizeOf(note), JSON.parse(leaf).sequence)
    const sealed = await evidenced()
    assert.strictEqual(signersOf(sealed.note), 2)
    assert.isAtLeast(sizeOf(sealed.note), JSON.parse(leaf).sequence)

    // Two are.
    await witnesses[1]!.kill()
    await consume(1, service, "two")
    await eventually("a checkpoint of the service covers it", async () => {
      const { cosigned_tree_size = 0, tree_size } = await latest()
      return tree_size > cosigned_tree_size
    })
    const { body, status } = await receipt("two")
    assert.deepInclude(body.error, { code: "UNAVAILABLE", detail: "no_checkpoint" })
    assert.strictEqual(status, 503)
    assert.strictEqual((await receipt("one")).status, 200, "what was covered before still is")
    const alone = await evidenced()
    assert.isBelow(signersOf(alone.note), 2, "it covers the newest use, on the word of the service alone")
    assert.isAbove(sizeOf(alone.note), sizeOf(sealed.note))

    witnesses[1] = await start(names[1]!, witnesses[1]!.url)
    assert.strictEqual(signersOf((await proven("two")).note), 2)
  })

  it("has one history cosigned through a churn of three nodes and of the witnesses", async () => {
    const others = await Promise.all(
      [2, 3].map(() => startService({ environment, as: "program", databaseUrl: service.databaseUrl }))
    )
    const nodes = [service, ...others]
    let written = (await latest()).tree_size
    const write = (node: typeof service, code: string) =>
      node.data("POST", "/api/v1/products", { name: "Churned", code })
    for (const [turn, node] of nodes.entries()) {
      const next = nodes[(turn + 1) % nodes.length]!
      // The one that was killed before comes back with its key and its state.
      const back = (turn + 2) % names.length
      witnesses[back] = await start(names[back]!, witnesses[back]!.url)
      await Promise.all([
        write(next, `before-${turn}`),
        node.kill("SIGKILL"),
        witnesses[turn]!.kill()
      ])
      await write(next, `after-${turn}`)
      written += 2
      await eventually("two have signed what the two that are left have written", async () => {
        const { cosigned_tree_size, tree_size }: Shown = await next.data("GET", "/api/v1/events/checkpoint")
        return tree_size >= written && cosigned_tree_size === tree_size
      })
      await node.start()
    }
    for (const name of names) {
      const kept: Record<string, string> = JSON.parse(readFileSync(join(directory, `${name}.state`), "utf8"))
      const [note] = Object.values(kept)
      const [, size, root] = note!.split("\n")
      const shown = await latest(`?size=${size}`)
      assert.strictEqual(shown.note.split("\n")[2], root, name)
    }
  })
})
