import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** The people who use a license, how many may, and which of its devices they use. */
export default Effect.gen(function*() {
  yield* addColumns("policies", {
    max_users: { type: "int", check: "max_users >= 0" },
    max_devices_per_user: { type: "int", check: "max_devices_per_user >= 1" }
  })
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS license_users (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      status text NOT NULL CHECK (status IN ('invited', 'active', 'removed')),
      removed_because text CHECK (removed_because IN ('removed', 'reduced', 'transferred')),
      email text,
      name text,
      issuer text,
      subject text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      joined_at timestamptz(3),
      last_seen_at timestamptz(3),
      removed_at timestamptz(3),
      CHECK ((issuer IS NULL) = (subject IS NULL)),
      CHECK ((status = 'removed') = (removed_because IS NOT NULL)),
      CHECK ((status = 'removed') = (removed_at IS NOT NULL)),
      CHECK (status <> 'active' OR joined_at IS NOT NULL)
    ) WITH (fillfactor = 80)`)
  yield* createIndex("license_users_by_license", "ON license_users (license_id, id)")
  yield* createIndex("license_users_active", "ON license_users (license_id) WHERE status = 'active'")
  yield* createIndex(
    "license_users_by_account",
    "ON license_users (license_id, issuer, subject) WHERE status <> 'removed' AND subject IS NOT NULL",
    "UNIQUE"
  )
  yield* createIndex(
    "license_users_invited",
    "ON license_users (license_id, email) WHERE status = 'invited' AND email IS NOT NULL",
    "UNIQUE"
  )
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS license_user_devices (
      device_id text COLLATE "C" PRIMARY KEY REFERENCES devices,
      user_id text COLLATE "C" NOT NULL REFERENCES license_users
    ) WITH (fillfactor = 80)`)
  yield* briefly(`COMMENT ON TABLE license_user_devices IS 'who activated a device last; it counts while it is active'`)
  yield* createIndex("license_user_devices_by_user", "ON license_user_devices (user_id)")
})
