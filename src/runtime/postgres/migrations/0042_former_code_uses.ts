import { briefly } from "../OnlineMigration.ts"

/**
 * Since when a code of a product is a former one, and when an app last asked by it. It stands apart from the product,
 * whose row every call of an app reads: a sighting leaves a dead row behind.
 */
export default briefly(`
  CREATE TABLE IF NOT EXISTS product_former_codes (
    product_id text COLLATE "C" NOT NULL,
    code text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    last_asked_at timestamptz,
    PRIMARY KEY (product_id, code)
  )`)
