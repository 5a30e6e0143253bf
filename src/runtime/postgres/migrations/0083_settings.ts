import { briefly } from "../OnlineMigration.ts"

/** Settings of an environment that people change: where reasons are required, and the brand. One row, once something was changed. */
export default briefly(`
  CREATE TABLE IF NOT EXISTS service_settings (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    required_reasons text[] NOT NULL DEFAULT '{}',
    suggested_reasons text[],
    brand_name text,
    brand_accent text CHECK (brand_accent ~ '^#[0-9a-f]{6}$'),
    logo bytea CHECK (octet_length(logo) BETWEEN 1 AND 32768),
    logo_digest bytea GENERATED ALWAYS AS (sha256(logo)) STORED,
    logo_type text CHECK (logo_type IN ('image/png', 'image/jpeg', 'image/webp')),
    logo_width integer,
    logo_height integer,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(logo, logo_type, logo_width, logo_height) IN (0, 4))
  )`)
