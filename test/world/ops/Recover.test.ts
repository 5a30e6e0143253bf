// docs/how-to/recover.md, carried out in one shell whose files are for nobody else: a vendor loses the database, and then
// the master key.
import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { placeForFiles } from "../../fixtures/FilesPlace.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { readRoot } from "../../fixtures/OpsFiles.ts"
import { fromBundle, temporaryDirectory } from "../../fixtures/Program.ts"

const page = readRoot("docs/how-to/recover.md")

/** The commands of the page, in their order. */
const [restore = "", findKey = "", replaceKey = "", newKeys = ""] = [
  ...page.matchAll(/^ *```console loss\n([\s\S]*?)^ *```$/gm)
].map(([, code]) => code!.replaceAll(/^ {3}/gm, ""))

const missing = process.platform !== "linux" ||
  ["curl", "openssl", "jq"].some((program) => spawnSync(program, ["--version"]).error !== undefined)

const quoted = (words: ReadonlyArray<string>) => words.map((word) => `'${word}'`).join(" ")

describe.skipIf(missing)("docs/how-to/recover.md in one shell (needs Linux, curl, openssl and jq)", () => {
  it("brings back a lost database, and goes on without a lost master key", { timeout: 600_000 }, async () => {
    const directory = temporaryDirectory(placeForFiles())
    const program = (entry: string) => quoted([process.execPath, ...fromBundle([entry])])
    const command = join(directory, "countersign")
    // It asks for the name of the database, and here is no terminal.
    const answered = `case "$1 $2" in "keys replace-lost") set -- "$@" --yes;; esac`
    writeFileSync(command, `#!/bin/sh\n${answered}\nexec ${program("src/runtime/cli.ts")} "$@"\n`)
    chmodSync(command, 0o755)
    const backup = "/mnt/backups/countersign-2026-11-25T00-30-04Z.backup"
    assert.include(restore, backup)
    assert.include(findKey, "<pid>")
    const script = `set -eu
umask 077
export PORT=${await freePort()} COUNTERSIGN_DRAIN_SECONDS=0 COUNTERSIGN_LIMIT_DELAY_MS=10000
export COUNTERSIGN_URL=http://127.0.0.1:$PORT COUNTERSIGN_DATA_DIR=$PWD/first COUNTERSIGN_LOG_LEVEL=warn
COUNTERSIGN_MASTER_KEY=$(openssl rand -base64 32); export COUNTERSIGN_MASTER_KEY
start() {
  ${program("src/runtime/main.ts")} > log 2>&1 & service=$!
  until curl -fs -o /dev/null $COUNTERSIGN_URL/readyz; do kill -0 $service || { cat log; exit 1; }; sleep 0.2; done
}
stop() { kill -TERM $service; wait $service; }
trap 'kill -TERM $service 2> /dev/null && wait $service' EXIT
api() { curl -sS --fail-with-body -H "Authorization: Bearer $(countersign token)" -H 'Content-Type: application/json' "$@"; }
validate() {
  curl -sS $COUNTERSIGN_URL/api/v1/license/$1 -H "Authorization: License $2" -H 'Content-Type: application/json' \\
    -H "Idempotency-Key: $1-$3" -d '{"fingerprint": "ada"}'
}
start
PRODUCT=$(api $COUNTERSIGN_URL/api/v1/products -d '{"name": "Acme", "code": "acme"}' | jq -r .data.id)
POLICY=$(api $COUNTERSIGN_URL/api/v1/products/$PRODUCT/policies -d '{
  "name": "Std", "code": "std", "license_type": "perpetual", "max_activations": 2}' | jq -r .data.id)
issue() { api $COUNTERSIGN_URL/api/v1/licenses -d "{\\"product_id\\": \\"$PRODUCT\\", \\"policy_id\\": \\"$POLICY\\",
  \\"customer_email\\": \\"$1@vendor.example\\"}" | jq -r .data.license_key; }
ADA=$(issue ada); BOB=$(issue bob)
validate activate $ADA 1 | jq -e '.data.status == "active"'
mkdir backups && countersign backup backups > /dev/null

stop && rm -rf first && export COUNTERSIGN_DATA_DIR=$PWD/second
${restore.replace(backup, "backups/*.backup")}
start
countersign doctor
validate validate $ADA 2 | jq -e '.data.status == "active"'

FOUND=$(${findKey.replace("<pid>", "$service")})
[ "$FOUND" = "$COUNTERSIGN_MASTER_KEY" ] && echo the key of a running node

stop && unset COUNTERSIGN_MASTER_KEY
${program("src/runtime/main.ts")} > refused 2>&1 && exit 1 || echo "refused with $?: $(cat refused)"
${replaceKey}
install -m 600 new.key second/master.key
start
countersign doctor
validate validate $ADA 3 | jq -r .error.code
countersign export out > /dev/null
export COUNTERSIGN_TOKEN="$(countersign token)"
cd out
${newKeys}
stat -c 'for its owner alone: %a' new-keys.csv
cut -d, -f2 new-keys.csv | sort | tr -d '"'
NEW=$(grep ada@ new-keys.csv | cut -d, -f3 | tr -d '"')
cd ..
validate validate $NEW 4 | jq -e '.data.status == "active"'
stop && echo "the service ended with 0"
`
    const child = spawn("bash", ["-c", script], {
      cwd: directory,
      env: { PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}`, HOME: directory },
      stdio: ["ignore", "pipe", "pipe"]
    })
    guardProcess(child)
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    }
    const status = await new Promise((resolve) => child.once("close", resolve))
    assert.strictEqual(status, 0, printed)
    assert.lengthOf([...printed.matchAll(/ 0 differences$/gm)], 2, printed)
    assert.include(printed, "the key of a running node")
    assert.match(
      printed,
      /refused with 2: [^]*COUNTERSIGN_MASTER_KEY is not set and \S+second\/master\.key does not exist/
    )
    assert.include(printed, "LICENSE_KEY_INVALID")
    assert.include(printed, "for its owner alone: 600\nada@vendor.example\nbob@vendor.example\n")
    assert.include(printed, "the service ended with 0")
  })
})
