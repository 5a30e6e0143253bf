import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * State of background work. `report_exports.is_large`: the export turned out to take long, so the worker for small
 * exports leaves it alone.
 *
 * `revocation_count` is the number of licenses and signing keys ever revoked, which numbers the revocation list.
 * Triggers update it at the end of a revoking transaction, so that its row is locked only for the duration of a commit.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE report_exports ADD COLUMN is_large boolean NOT NULL DEFAULT false`

  yield* sql`
    CREATE TABLE revocation_count (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      number bigint NOT NULL
    )`
  yield* sql`
    INSERT INTO revocation_count (number)
      SELECT (SELECT count(*) FROM licenses WHERE state = 'revoked')
        + (SELECT count(*) FROM signing_keys WHERE status = 'revoked')`
  yield* sql`
    CREATE FUNCTION count_revocation() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN UPDATE revocation_count SET number = number + 1; RETURN NULL; END'`
  yield* sql`
    CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF state ON licenses DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.state = 'revoked' AND OLD.state <> 'revoked') EXECUTE FUNCTION count_revocation()`
  yield* sql`
    CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF status ON signing_keys DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.status = 'revoked' AND OLD.status <> 'revoked') EXECUTE FUNCTION count_revocation()`
})
