// What one writes by hand in an hour: fastify with a JSON schema, pg with a pool, two prepared queries and a signature.
// It answers a license, its device and its features from the tables of the service, and knows neither grace periods nor
// versions, rate limits, last-seen times or refusals that name a reason. License keys are found by their plain SHA-256,
// in a table of its own, because the service's hashes are keyed.
import Fastify from "fastify"
import { generateKeyPairSync, hash, sign } from "node:crypto"
import { Pool } from "pg"
import { answerQuestions } from "../../harness/Worker.ts"

/** The database, and the licenses whose keys the peer is to know. */
interface PeerQuestion {
  readonly databaseUrl: string
  readonly licenses: ReadonlyArray<{ readonly id: string; readonly licenseKey: string }>
}

interface Question {
  readonly fingerprint: string
  readonly nonce?: string
}

const sha256 = (text: string): Buffer => hash("sha256", text, "buffer")

const body = {
  type: "object",
  required: ["fingerprint"],
  additionalProperties: false,
  properties: {
    fingerprint: { type: "string", minLength: 1, maxLength: 255 },
    hostname: { type: "string", maxLength: 255 },
    os: { type: "string", maxLength: 128 },
    app_version: { type: "string", maxLength: 64 },
    nonce: { type: "string", minLength: 8, maxLength: 128 }
  }
}

const findLicense = {
  name: "license",
  text: `
    SELECT l.id, l.state, l.expires_at, l.entitlement_version::int, r.id AS product_id, r.code AS product_code,
      p.code AS policy_code, p.license_type, p.validation_interval_minutes, d.id AS device_id, d.status AS device_status
    FROM peer_license_keys k JOIN licenses l ON l.id = k.license_id
    JOIN policies p ON p.id = l.policy_id JOIN products r ON r.id = l.product_id
    LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = 'hardware' AND d.binding_key = $2
    WHERE k.hash = $1`
}

const findFeatures = {
  name: "features",
  text: `
    SELECT f.code, a.enabled, a.max_consumptions::float8 AS quota, a.total_consumptions::float8 AS consumed
    FROM license_features a JOIN features f ON f.id = a.feature_id WHERE a.license_id = $1 ORDER BY f.code`
}

const minute = 60_000

answerQuestions(async ({ databaseUrl, licenses }: PeerQuestion): Promise<number> => {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 })
  await pool.query("CREATE TABLE peer_license_keys (hash bytea PRIMARY KEY, license_id text NOT NULL)")
  await pool.query("INSERT INTO peer_license_keys SELECT * FROM unnest($1::bytea[], $2::text[])", [
    licenses.map(({ licenseKey }) => sha256(licenseKey)),
    licenses.map(({ id }) => id)
  ])
  const { privateKey } = generateKeyPairSync("ed25519")
  const app = Fastify()

  app.post<{ Body: Question }>("/api/v1/license/validate", { schema: { body } }, async (request, reply) => {
    const key = /^License (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    if (key === undefined) return reply.code(401).send({ error: "no license key" })
    const { fingerprint, nonce } = request.body
    const { rows: [license] } = await pool.query({ ...findLicense, values: [sha256(key), fingerprint] })
    if (license === undefined) return reply.code(401).send({ error: "unknown license key" })
    const now = Date.now()
    const isExpired = license.expires_at !== null && license.expires_at.getTime() <= now
    if (license.state !== "active" || isExpired || license.device_status !== "active") {
      return reply.code(403).send({ error: "refused" })
    }
    const { rows: features } = await pool.query({ ...findFeatures, values: [license.id] })
    const interval = license.validation_interval_minutes * minute
    const data = JSON.stringify({
      license_id: license.id,
      status: license.state,
      license_type: license.license_type,
      entitlement_version: license.entitlement_version,
      product_id: license.product_id,
      product_code: license.product_code,
      policy_code: license.policy_code,
      device_id: license.device_id,
      fingerprint_hash: sha256(fingerprint).toString("hex"),
      issued_at: new Date(now).toISOString(),
      valid_until: new Date(now + 2 * interval).toISOString(),
      next_check_at: new Date(now + interval).toISOString(),
      expires_at: license.expires_at?.toISOString(),
      nonce,
      features: features.map(({ code, consumed, enabled, quota }) => ({
        code,
        enabled,
        quota,
        consumed,
        remaining: Math.max(0, quota - consumed)
      }))
    })
    const signature = sign(null, Buffer.from(data), privateKey).toString("base64")
    return reply.type("application/json").send(`{"data":${data},"signature":"${signature}"}`)
  })

  await app.listen({ host: "127.0.0.1", port: 0 })
  const address = app.server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})
