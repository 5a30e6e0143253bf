import { briefly } from "../OnlineMigration.ts"

/** Signatures of witnesses on checkpoints of the log. */
export default briefly(`
  CREATE TABLE IF NOT EXISTS checkpoint_cosignatures (
    tree_size bigint NOT NULL,
    witness text COLLATE "C" NOT NULL,
    line text NOT NULL,
    cosigned_at timestamptz NOT NULL,
    PRIMARY KEY (tree_size, witness)
  )`)
