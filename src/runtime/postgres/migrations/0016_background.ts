import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What background work knows. `report_exports.is_large`: it was found to take long, and is made beside the others.
 *
 * `revocation_count` is how many licenses and signing keys were ever revoked, which numbers the list of them. Triggers
 * keep it at the end of the transactions that revoke, so that its row is locked for the length of a commit.
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
