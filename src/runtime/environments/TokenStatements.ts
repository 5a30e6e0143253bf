/** How often the admin token was rotated, which a reset keeps. */
export const tokenStatements = [
  `CREATE TABLE IF NOT EXISTS environment_token (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    turn integer NOT NULL DEFAULT 0
  )`,
  "INSERT INTO environment_token DEFAULT VALUES ON CONFLICT DO NOTHING"
]
