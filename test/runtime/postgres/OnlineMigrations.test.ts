import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import released from "./releasedMigrations.json" with { type: "json" }

const folder = join(import.meta.dirname, "../../../src/runtime/postgres/migrations")
const known = new Set(Object.values<Readonly<Record<string, string>>>(released).flatMap((of) => Object.keys(of)))
const fresh = readdirSync(folder).filter((name) => name !== "index.ts").map((name) => basename(name, ".ts"))
  .filter((name) => !known.has(name))

/** The text of a migration without comments, its white space as single spaces. */
const codeOf = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/\s+/g, " ")

const texts = new Map(fresh.map((name) => [name, codeOf(readFileSync(join(folder, `${name}.ts`), "utf8"))]))

/** Tables that no released version knows: nobody waits for them. */
const made = new Set(
  [...texts.values()].flatMap((text) =>
    [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(([, table]) => table!)
  )
)

/** What keeps readers or writers out for as long as a table is large, or takes from the version before what it uses. */
const refusals: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [
    /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+ ON (\w+)/gi,
    "createIndex(...) of OnlineMigration.ts"
  ],
  [/REINDEX (?!\w+ CONCURRENTLY)\w+ (\w+)/gi, "replaceIndex(...) of OnlineMigration.ts"],
  [/DROP INDEX (?!CONCURRENTLY)(\w+)/gi, "replaceIndex(...), or leisurely(`DROP INDEX CONCURRENTLY ...`)"],
  [/ALTER TABLE (\w+)[^;`]*?ALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/gi, "a new column beside the old one"],
  [/ALTER TABLE (\w+)[^;`]*?SET NOT NULL/gi, "a CHECK (column IS NOT NULL), added NOT VALID and validated"],
  [/ALTER TABLE (\w+)[^;`]*?ADD COLUMN[^,`]*?\bCHECK\b/gi, "addColumns(...) of OnlineMigration.ts"],
  [
    /ALTER TABLE (\w+)[^;`]*?ADD COLUMN[^,`]*?DEFAULT (?:\w+\.)?(?:gen_random_uuid|random|clock_timestamp|nextval|uuidv7)\b/gi,
    "a column without a default, filled in pieces"
  ],
  [/ALTER TABLE (\w+)[^;`]*?ADD COLUMN[^,`]*?GENERATED/gi, "a column without a default, filled in pieces"],
  [
    /ALTER TABLE (\w+)[^;`]*?ADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)(?![^;`]*NOT VALID)/gi,
    "NOT VALID, and leisurely(`ALTER TABLE ... VALIDATE CONSTRAINT ...`)"
  ],
  [
    /ALTER TABLE (\w+)[^;`]*?ADD (?:CONSTRAINT \w+ )?(?:PRIMARY KEY|UNIQUE|EXCLUDE)(?! USING INDEX)/gi,
    "an index made by createIndex(...), and ADD CONSTRAINT ... USING INDEX"
  ],
  [/ALTER TABLE (\w+)[^;`]*?DROP (?:COLUMN|CONSTRAINT (?!IF EXISTS))/gi, "leave it until no released version uses it"],
  [/ALTER (?:TABLE|VIEW) (?:IF EXISTS )?(\w+)[^;`]*?RENAME/gi, "a new name beside the old one"],
  [/ALTER TABLE (\w+)[^;`]*?SET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)/gi, "nothing: it writes the table anew"],
  [/DROP (?:TABLE|VIEW|FUNCTION) (?:IF EXISTS )?(\w+)/gi, "leave it until no released version uses it"],
  [/TRUNCATE (?:TABLE )?(\w+)/gi, "delete in pieces"],
  [/LOCK TABLE (\w+)/gi, "no lock for longer than one statement"],
  [/VACUUM FULL (\w+)/gi, "nothing: it writes the table anew"],
  [/CLUSTER (\w+)/gi, "nothing: it writes the table anew"],
  [/UPDATE (\w+) SET (?![^`]*\bLIMIT\b)/gi, "pieces of a bounded number of rows, each a transaction"],
  [/DELETE FROM (\w+)(?![^`]*\bLIMIT\b)/gi, "pieces of a bounded number of rows, each a transaction"]
]

const refusedIn = (text: string): ReadonlyArray<string> =>
  refusals.flatMap(([pattern, instead]) =>
    [...text.matchAll(pattern)].filter(([, table]) => !made.has(table!)).map(([found]) => `${found}: ${instead}`)
  )

/** Whether a migration runs outside of a transaction, by what it does. */
const isOnlineBy = (text: string): boolean => /\b(createIndex|replaceIndex|addColumns|leisurely)\(/.test(text)

/** What an online migration could not do twice, or would wait with. */
const unrepeatable = (text: string): ReadonlyArray<string> => [
  ...(/\bsql`/.test(text) ? ["briefly(...) or leisurely(...), which wait for locks"] : []),
  ...(/CREATE TABLE (?!IF NOT EXISTS)|ADD COLUMN (?!IF NOT EXISTS)/i.test(text) ? ["IF NOT EXISTS"] : [])
]

it("a migration that is not released keeps nobody out, and leaves the version before what it uses", () => {
  for (const [name, text] of texts) assert.deepStrictEqual(refusedIn(text), [], name)
})

it("a migration is declared online exactly if it makes an index or checks rows that are there", () => {
  for (const [name, text] of texts) assert.strictEqual(migrations[name]?.isOnline, isOnlineBy(text), name)
  assert.isTrue(isOnlineBy("run: addColumns(\"licenses\", { share: \"integer\" })"))
  assert.isFalse(isOnlineBy("run: briefly(`COMMENT ON COLUMN licenses.state IS 'a'`)"))
})

it("an online migration repeats what it did before it was interrupted", () => {
  for (const [name, text] of texts) if (isOnlineBy(text)) assert.deepStrictEqual(unrepeatable(text), [], name)
  assert.deepStrictEqual(unrepeatable("briefly(`CREATE TABLE IF NOT EXISTS a (b text)`)"), [])
  assert.lengthOf(unrepeatable("briefly(`CREATE TABLE a (b text)`)"), 1)
  assert.lengthOf(unrepeatable("sql`ALTER TABLE a ADD COLUMN b text`"), 2)
})

it.each([
  "CREATE INDEX a ON licenses (state)",
  "ALTER TABLE licenses ALTER COLUMN state TYPE varchar",
  "ALTER TABLE licenses ALTER COLUMN state SET NOT NULL",
  "ALTER TABLE licenses ADD COLUMN a text CHECK (a <> '')",
  "ALTER TABLE licenses ADD COLUMN a uuid DEFAULT gen_random_uuid()",
  "ALTER TABLE licenses ADD CONSTRAINT a CHECK (state <> '')",
  "ALTER TABLE licenses ADD FOREIGN KEY (policy_id) REFERENCES policies",
  "ALTER TABLE licenses ADD UNIQUE (license_key_last4)",
  "ALTER TABLE event_chain DROP COLUMN last_hash",
  "ALTER TABLE licenses RENAME COLUMN state TO status",
  "DROP INDEX leases_due",
  "DROP TABLE leases",
  "TRUNCATE leases",
  "LOCK TABLE licenses",
  "VACUUM FULL licenses",
  "CLUSTER licenses",
  "UPDATE licenses SET state = 'active'",
  "DELETE FROM licenses WHERE state = 'revoked'"
])("refuses %s", (statement) => {
  assert.isNotEmpty(refusedIn(statement))
})
