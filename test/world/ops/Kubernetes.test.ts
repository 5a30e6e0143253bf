import { assert, describe, it } from "@effect/vitest"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { CronJob } from "kubernetes-models/batch/v1/CronJob"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim"
import { Service } from "kubernetes-models/v1/Service"
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import manifest from "../../../package.json" with { type: "json" }
import { table, tables } from "../../../src/runtime/config/ConfigTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { readRoot, readYaml } from "../../fixtures/OpsFiles.ts"
import { root, run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Body } from "../../fixtures/Session.ts"

const kinds: Readonly<
  Record<string, { readonly model: new(data: Body) => { validate(): void }; readonly path: string }>
> = {
  "apps/v1 Deployment": { model: Deployment, path: "apps/v1/Deployment" },
  "batch/v1 CronJob": { model: CronJob, path: "batch/v1/CronJob" },
  "networking.k8s.io/v1 NetworkPolicy": { model: NetworkPolicy, path: "networking.k8s.io/v1/NetworkPolicy" },
  "policy/v1 PodDisruptionBudget": { model: PodDisruptionBudget, path: "policy/v1/PodDisruptionBudget" },
  "v1 PersistentVolumeClaim": { model: PersistentVolumeClaim, path: "v1/PersistentVolumeClaim" },
  "v1 Service": { model: Service, path: "v1/Service" },
  "v1 ServiceAccount": { model: ServiceAccount, path: "v1/ServiceAccount" }
}
const kindOf = (manifested: Body) => kinds[`${manifested.apiVersion} ${manifested.kind}`]!

const manifests = readdirSync(join(root, "ops/kubernetes")).flatMap((file) =>
  readYaml(`ops/kubernetes/${file}`).map((manifested) => ({ file, kind: manifested.kind as string, manifested }))
)
const only = (kind: string): Body => manifests.find((found) => found.kind === kind)!.manifested

/**
 * What the compiler says of objects as Kubernetes' types. Their schemas let members through that they do not know; an
 * object literal may have none.
 */
const typed = async (objects: ReadonlyArray<Body>): Promise<string> => {
  const directory = temporaryDirectory()
  const file = join(directory, "manifests.ts")
  writeFileSync(
    file,
    objects.map((object, index) => {
      const { path } = kindOf(object)
      const types = join(root, "node_modules/kubernetes-models", `${path}.js`)
      return `import type { I${object.kind} as T${index} } from "${types}"
export const o${index}: T${index} = ${JSON.stringify(object)}\n`
    }).join("")
  )
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const settings = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--types", "", "--module", "nodenext"]
  const { errors, output } = await run([compiler, ...settings, file])
  return output + errors
}

describe("ops/kubernetes", () => {
  it("has what a cluster needs", () => {
    assert.sameMembers(
      [...new Set(manifests.map(({ manifested }) => `${manifested.apiVersion} ${manifested.kind}`))],
      Object.keys(kinds)
    )
  })

  it.each(manifests)("$file: the $kind is one by the schema of Kubernetes", ({ manifested }) => {
    new (kindOf(manifested).model)(manifested).validate()
  })

  it("is refused by the schema where a value is of another type", () => {
    const wrong = structuredClone(only("Deployment"))
    wrong.spec.template.spec.containers[0].env[0].value = 8080
    assert.throws(() => new Deployment(wrong).validate(), /env\/0\/value must be string/)
  })

  it("has no member that Kubernetes does not know", async () => {
    assert.strictEqual(await typed(manifests.map(({ manifested }) => manifested)), "")
    const wrong = structuredClone(only("Deployment"))
    wrong.spec.template.spec.containers[0].livenesProbe = {}
    assert.include(await typed([wrong]), "livenesProbe")
  })

  const { spec: { replicas, selector, strategy, template: { metadata, spec: pod } } } = only("Deployment")
  const [container] = pod.containers
  const ports = new Map<string, number>(
    container.ports.map(({ containerPort, name }: Body) => [name, containerPort])
  )

  it("sets what the service knows, and each secret from a file that is mounted", () => {
    const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)
    const known = rows.flatMap(({ isSecret, name }) => isSecret === true ? [`${name}_FILE`] : [name])
    for (const { name } of container.env) assert.include(known, name)
    const secrets = new Map<string, string>(
      container.env.filter(({ name }: Body) => name.endsWith("_FILE")).map(({ name, value }: Body) => [name, value])
    )
    // The test environment has a database beside the live one, unless somebody names another.
    const needed = known.filter((name) => name.endsWith("_FILE") && name !== "COUNTERSIGN_TEST_DATABASE_URL_FILE")
    assert.sameMembers([...secrets.keys()], needed)
    const { secret } = pod.volumes.find((volume: Body) => volume.name === "secrets")
    const { mountPath } = container.volumeMounts.find((mount: Body) => mount.name === "secrets")
    assert.sameMembers([...secrets.values()], secret.items.map(({ path }: Body) => `${mountPath}/${path}`))
    // As docs/how-to/deploy.md makes it.
    const guide = readRoot("docs/how-to/deploy.md")
    for (const { key } of secret.items) assert.include(guide, `--from-file=${key}`)
    assert.include(guide, `create secret generic ${secret.secretName} `)
  })

  it("takes all other settings from a ConfigMap and a Secret, by their names", () => {
    assert.deepStrictEqual(container.envFrom, [
      { configMapRef: { name: "countersign", optional: true } },
      { secretRef: { name: "countersign-settings", optional: true } }
    ])
    const names = tables.flatMap((settings) => Object.values(settings)).map(({ name }) => name)
    const guide = readRoot("docs/how-to/deploy.md")
    const set = [...guide.matchAll(/--from-literal=(\w+)/g)].map(([, name]) => name!)
    assert.isNotEmpty(set)
    for (const name of set) assert.include(names, name)
    assert.include(guide, "create configmap countersign ")
    assert.include(guide, "create secret generic countersign-settings ")
  })

  it("asks /healthz whether the process lives, and /readyz whether it takes requests", () => {
    assert.strictEqual(container.livenessProbe.httpGet.path, "/healthz")
    assert.strictEqual(container.startupProbe.httpGet.path, "/healthz")
    assert.strictEqual(container.readinessProbe.httpGet.path, "/readyz")
    for (const probe of ["livenessProbe", "startupProbe", "readinessProbe"]) {
      assert.strictEqual(container[probe].httpGet.port, "http")
    }
    const settings = new Map(container.env.map(({ name, value }: Body) => [name, value]))
    assert.strictEqual(settings.get("PORT"), String(ports.get("http")))
    assert.strictEqual(settings.get("COUNTERSIGN_CLUSTER_PORT"), String(ports.get("cluster")))
  })

  it("waits for a stop, which takes at most 15 seconds after the pause, and never has fewer pods than it should", () => {
    const drain = Number(container.env.find(({ name }: Body) => name === table.drainSeconds.name).value)
    assert.isAtLeast(drain, container.readinessProbe.periodSeconds * container.readinessProbe.failureThreshold)
    assert.isAtLeast(pod.terminationGracePeriodSeconds, drain + 15)
    assert.isAtLeast(replicas, 2)
    assert.deepStrictEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.strictEqual(only("PodDisruptionBudget").spec.maxUnavailable, 1)
  })

  it("is backed up every night, with the image, the secrets and the rights of the service, and takes no requests", () => {
    const { concurrencyPolicy, jobTemplate, schedule } = only("CronJob").spec
    assert.strictEqual(schedule, "30 2 * * *")
    assert.strictEqual(concurrencyPolicy, "Forbid")
    const { metadata: labelled, spec } = jobTemplate.spec.template
    assert.notStrictEqual(labelled.labels["app.kubernetes.io/name"], metadata.labels["app.kubernetes.io/name"])
    const [backup] = spec.containers
    assert.strictEqual(backup.image, container.image)
    assert.deepStrictEqual(backup.securityContext, container.securityContext)
    assert.deepStrictEqual(spec.securityContext, pod.securityContext)
    const secrets = (volumes: ReadonlyArray<Body>) => volumes.find(({ name }) => name === "secrets")
    assert.deepStrictEqual(secrets(spec.volumes), secrets(pod.volumes))
    const files = (env: ReadonlyArray<Body>) => env.filter(({ name }) => name.endsWith("_FILE"))
    assert.deepStrictEqual(files(backup.env), files(container.env))
    const [, kept] = manifests.filter(({ kind }) => kind === "NetworkPolicy")
    assert.deepStrictEqual(kept!.manifested.spec.podSelector.matchLabels, labelled.labels)
    const claim = spec.volumes.find(({ name }: Body) => name === "backups").persistentVolumeClaim.claimName
    assert.strictEqual(claim, only("PersistentVolumeClaim").metadata.name)
    const [, , line] = backup.command
    assert.match(line, /^node dist\/cli\.js backup \/backups && find \/backups /)
  })

  it("meets the restricted standard for pods", () => {
    assert.isTrue(pod.securityContext.runAsNonRoot)
    assert.strictEqual(pod.securityContext.seccompProfile.type, "RuntimeDefault")
    assert.isFalse(pod.automountServiceAccountToken)
    const { allowPrivilegeEscalation, capabilities, readOnlyRootFilesystem } = container.securityContext
    assert.deepStrictEqual([allowPrivilegeEscalation, capabilities.drop, readOnlyRootFilesystem], [
      false,
      ["ALL"],
      true
    ])
    // The image runs as the same account.
    assert.match(readRoot("Dockerfile"), /^USER node$/m)
    assert.strictEqual(pod.securityContext.runAsUser, 1000)
  })

  it("speaks of the same pods and ports everywhere, and of the version that the package has", () => {
    const { labels } = metadata
    assert.deepStrictEqual(selector.matchLabels, labels)
    assert.deepStrictEqual(only("Service").spec.selector, labels)
    assert.deepStrictEqual(only("PodDisruptionBudget").spec.selector.matchLabels, labels)
    const { egress, ingress, podSelector } = only("NetworkPolicy").spec
    assert.deepStrictEqual(podSelector.matchLabels, labels)
    const named = [...ingress, ...egress].flatMap((rule) => rule.ports).map(({ port }) => port)
    for (const port of [...named, ...only("Service").spec.ports.map(({ targetPort }: Body) => targetPort)]) {
      if (typeof port === "string") assert.isTrue(ports.has(port), port)
    }
    const cluster = ingress.filter((rule: Body) => rule.ports.some(({ port }: Body) => port === "cluster"))
    assert.deepStrictEqual(cluster.map(({ from }: Body) => from), [[{ podSelector: { matchLabels: labels } }]])
    assert.strictEqual(pod.serviceAccountName, only("ServiceAccount").metadata.name)
    assert.strictEqual(container.image.split(":")[1], manifest.version)
  })

  it("is found by Prometheus as docs/how-to/deploy.md says", () => {
    const [, text = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(readRoot("docs/how-to/deploy.md")) ?? []
    const { scrape_configs: [job] } = parse(text)
    assert.strictEqual(job.job_name, "countersign")
    const [{ action, regex, source_labels: sources }] = job.relabel_configs
    // Prometheus writes _ for what no name of a label has.
    const found = new Map<string, string>([
      ...Object.entries<string>(metadata.labels).map(([name, value]) =>
        [`__meta_kubernetes_pod_label_${name.replaceAll(/\W/g, "_")}`, value] as const
      ),
      ["__meta_kubernetes_pod_container_port_name", "http"]
    ])
    assert.strictEqual(action, "keep")
    assert.strictEqual(sources.map((source: string) => found.get(source)).join(";"), regex)
    assert.isTrue(ports.has("http"))
  })
})
