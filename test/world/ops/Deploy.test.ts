import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../../fixtures/FreePort.ts"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { directives, readRoot } from "../../fixtures/OpsFiles.ts"
import { embedded, startPostgres } from "../../fixtures/PostgresPrograms.ts"
import * as authority from "../../fixtures/privateAuthority.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { atEnd } from "../../fixtures/Session.ts"

const page = readRoot("docs/how-to/deploy.md")

/** The commands of the page for systemd, in their order. */
const [secrets = "", install = ""] = [...page.matchAll(/^```(?:sh|console root)\n([\s\S]*?)^```$/gm)].map(([, code]) =>
  code!
)

/** A service that systemd gives an account of its own, as a shell runs it without systemd: its program, account and settings. */
const unitCommand = (name: string, state: string, settings: Readonly<Record<string, string>>): string => {
  const unit = readRoot(`ops/systemd/${name}.service`)
  const at = (text: string) => text.replaceAll("%d", "/mnt/credentials").replaceAll("%S", "/mnt/state")
  const [execute = ""] = directives(unit, "ExecStart")
  const environment = [
    ...directives(unit, "Environment").map(at),
    ...Object.entries(settings).map(([setting, value]) => `${setting}=${value}`)
  ]
  return `install -d -m 700 -o 61184 -g 61184 /mnt/state/${state}
    cd /opt/countersign && umask ${directives(unit, "UMask")[0]} &&
    exec setpriv --reuid=61184 --regid=61184 --clear-groups --no-new-privs -- \
    env -i PATH=/usr/bin:/bin $(grep -v '^#' /etc/countersign/environment) ${environment.join(" ")} \
    ${at(execute).replace("/usr/bin/node", "/mnt/node")}`
}

/** Whether this process may have a view of the file system of its own, in which the page may change the machine. */
const hasViews = process.platform === "linux" && process.getuid?.() === 0 &&
  ["unshare", "setpriv"].every((program) => spawnSync(program, ["--version"]).error === undefined) &&
  spawnSync("unshare", ["-m", "mount", "--make-rprivate", "/"]).status === 0
if (!hasViews) process.stderr.write("docs/how-to/deploy.md is not carried out: that takes root and mount namespaces.\n")

/** A checkout that the page may build in. What `npm ci` installs is lent to it. */
const checkout = (): string => {
  const directory = join(temporaryDirectory(), "countersign")
  const left = new Set(["node_modules", "dist", ".git"])
  for (const name of readdirSync(root)) {
    if (!left.has(name) && name !== "test") cpSync(join(root, name), join(directory, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  return directory
}

describe.skipIf(!hasViews)("docs/how-to/deploy.md in one shell of root whose files are for nobody else", () => {
  it("installs a service that its own account can run, a command line and a backup", { timeout: 600_000 }, async () => {
    const port = await freePort()
    const server = await startPostgres(await embedded(), {
      durable: false,
      tls: {
        port: await freePort(),
        certificate: authority.serverCertificate,
        key: authority.serverKey,
        authority: authority.authority,
        certified: "guest"
      }
    })
    atEnd(server.remove)
    const databasePort = new URL(server.url).searchParams.get("port")
    const directory = temporaryDirectory()
    const stubs = join(directory, "stubs")
    mkdirSync(stubs)
    // There is no systemd; and what npm would install is there.
    writeFileSync(join(stubs, "systemctl"), `#!/bin/sh\necho "systemctl $*" >> ${directory}/systemctl\n`, {
      mode: 0o755
    })
    const npm = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim()
    writeFileSync(join(stubs, "npm"), `#!/bin/sh\n[ "$1" = ci ] || exec ${npm} "$@"\n`, { mode: 0o755 })
    writeFileSync(join(stubs, "node"), `#!/bin/sh\nexec ${process.execPath} "$@"\n`, { mode: 0o755 })
    const address = "postgres://countersign:...@db.example.com:5432/countersign?sslmode=verify-full"
    assert.include(secrets, address)
    assert.include(install, "\ncountersign doctor\n")
    const here =
      `postgres://countersign@localhost:${databasePort}/postgres?sslmode=verify-full&sslrootcert=/etc/countersign/database_ca.pem`
    const ca = join(directory, "ca.pem")
    writeFileSync(ca, authority.authority)
    const script = `set -eu
umask 077
mount --make-rprivate /
cp -a /etc ${directory}/etc && mount --bind ${directory}/etc /etc
for place in /opt /mnt /usr/local/sbin; do mount -t tmpfs -o mode=755 tmpfs $place; done
mkdir -p /etc/systemd/system
cp ${process.execPath} /mnt/node && chmod 755 /mnt/node && install -d -m 755 /mnt/state
PATH=${stubs}:/usr/local/sbin:$PATH
export COUNTERSIGN_NODE=/mnt/node
cd ${checkout()}
${secrets.replace(address, here)}
install -d -m 755 /etc/countersign && install -m 644 ${ca} /etc/countersign/database_ca.pem
${install.replace("\ncountersign doctor\n", "\n")}
install -d -m 500 -o 61184 -g 61184 /mnt/credentials
install -m 400 -o 61184 -g 61184 /etc/countersign/database_url /etc/countersign/master_key /etc/countersign/admin_token /mnt/credentials/
(${unitCommand("countersign", "countersign", { PORT: String(port) })}) > ${directory}/log 2>&1 & service=$!
ready() { /mnt/node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' http://127.0.0.1:${port}/readyz; }
until ready; do kill -0 $service || { cat ${directory}/log; exit 1; }; sleep 0.2; done
countersign doctor
COUNTERSIGN_URL=http://127.0.0.1:${port} COUNTERSIGN_TOKEN_FILE=/etc/countersign/admin_token countersign whoami
countersign config check --connect
(${unitCommand("countersign-backup", "countersign-backups", {})})
ls /mnt/state/countersign-backups
kill -TERM $service
wait $service && echo "the service ended with 0"
`
    const child = spawn("unshare", ["-m", "bash", "-c", script], {
      env: { PATH: process.env["PATH"] ?? "", HOME: directory },
      stdio: ["ignore", "pipe", "pipe"]
    })
    guardProcess(child)
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    }
    const status = await new Promise((resolve) => child.once("close", resolve))
    assert.strictEqual(status, 0, printed)
    for (const said of ["Scopes", "https://licenses.example.com", "the service ended with 0"]) {
      assert.include(printed, said)
    }
    assert.match(printed, /^countersign-\S+\.backup$/m)
    assert.isFalse(existsSync("/opt/countersign/dist"), "nothing of it is on this machine")
  })
})

describe("the table of what is shipped", () => {
  it("names files that are there, and no file of ops is left out", () => {
    const table = page.slice(page.indexOf("## Files in the package"), page.indexOf("## Monitoring"))
    const named = [...table.matchAll(/`((?:ops\/[\w./-]+|docker-compose\.yml))`/g)].map(([, path]) => path!)
    for (const path of named) assert.isTrue(existsSync(join(root, path)), path)
    for (const folder of readdirSync(join(root, "ops"))) {
      if (folder !== "grafana") assert.isTrue(named.some((path) => path.startsWith(`ops/${folder}`)), folder)
    }
  })
})
