import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The log may be archived to files and dropped up to a place. `event_archive` says up to which: events up to
 * `dropped_sequence` are no longer served, even while their rows are still being deleted.
 *
 * What the rest of the log needs of the dropped part stays, as it was after the event `upto`: in `event_baselines` the
 * state that it replays to, for each resource with what belongs to it, and in `event_anchors` the last event of each
 * kind that tells what a license was. Neither holds a personal value. Rows of an `upto` beyond `dropped_sequence` are of
 * a drop that has not happened yet.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE event_archive (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      dropped_sequence bigint NOT NULL DEFAULT 0 CHECK (dropped_sequence % 16 = 0),
      dropped_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
      dropped_until timestamptz,
      CHECK ((dropped_sequence = 0) = (dropped_until IS NULL))
    )`
  yield* sql`COMMENT ON COLUMN event_archive.dropped_sequence IS
    'a multiple of 16, so that no tile of the tree has leaves on both sides'`
  yield* sql`COMMENT ON COLUMN event_archive.dropped_until IS 'the latest time of a dropped event'`
  yield* sql`INSERT INTO event_archive DEFAULT VALUES`

  yield* sql`
    CREATE TABLE event_baselines (
      root text COLLATE "C" NOT NULL,
      upto bigint NOT NULL,
      state text NOT NULL,
      PRIMARY KEY (root, upto)
    )`
  yield* sql`
    CREATE TABLE event_anchors (
      resource_id text COLLATE "C" NOT NULL,
      slot text COLLATE "C" NOT NULL,
      upto bigint NOT NULL,
      place bigint NOT NULL,
      event_type text NOT NULL,
      metadata text NOT NULL,
      data text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (resource_id, slot, upto)
    )`
})
