/**
 * Every table with the vendor's data, which a backup contains. Left out are `rate_limits`, which counts the last
 * seconds, and the tables of the cluster (`node_...`), which say which nodes run.
 */
export const backedUp: ReadonlyArray<string> = [
  "activities",
  "approvals",
  "billing_connections",
  "billing_event_objects",
  "billing_events",
  "billing_links",
  "billing_reconciliation_purchases",
  "billing_reconciliations",
  "bootstrap_tokens",
  "checkpoint_cosignatures",
  "custom_field_definitions",
  "custom_field_values",
  "customer_erasures",
  "customers",
  "data_key_wraps",
  "data_keys",
  "decided_calls",
  "devices",
  "dropped_license_ends",
  "erased_payers",
  "event_anchors",
  "event_archive",
  "event_baselines",
  "event_chain",
  "event_checkpoints",
  "event_pending",
  "event_places",
  "event_records",
  "event_tiles",
  "features",
  "idempotency_counts",
  "idempotency_keys",
  "job_rows",
  "jobs",
  "leases",
  "license_features",
  "license_grants",
  "license_user_devices",
  "license_users",
  "license_keys",
  "license_views",
  "licenses",
  "log_epochs",
  "mail_suppressions",
  "mail_templates",
  "management_keys",
  "notes",
  "offline_files",
  "orders",
  "passkeys",
  "people",
  "person_identities",
  "policies",
  "policy_features",
  "pool_uses",
  "pools",
  "product_former_codes",
  "product_versions",
  "products",
  "pruned_tables",
  "publishable_keys",
  "purchase_licenses",
  "purchase_units",
  "purchase_work",
  "purchases",
  "report_export_customers",
  "report_export_downloads",
  "report_export_pieces",
  "report_exports",
  "revocation_count",
  "role_second_looks",
  "roles",
  "schema_migrations",
  "service_settings",
  "service_state",
  "signing_keys",
  "subscriptions",
  "trials",
  "usage_corrections",
  "usage_days",
  "usage_keys",
  "usage_records",
  "usage_values",
  "usage_watches",
  "webhook_endpoints",
  "webhook_lanes",
  "webhook_minutes",
  "webhook_retries",
  "webhook_secrets"
]

/**
 * Tables of the service whose rows are not in a backup: nobody is signed in by what was restored, and no mail is sent again that was sent
 * after the backup.
 */
export const passing: ReadonlyArray<string> = [
  "rate_limits",
  // Its rows are in its parts: `license_grants` and `pools`.
  "grants",
  "license_transfer_requests",
  "mails",
  "node_runners",
  "node_locks",
  "person_invitations",
  "person_sessions",
  "portal_links",
  "portal_sessions",
  "spent_sign_ins",
  "user_mail_sign_ins"
]

/** The functions that migrations make. */
export const ownFunctions: ReadonlyArray<string> = [
  "count_revocation",
  "customer_line",
  "event_checkpoints_of_leaves",
  "event_sought",
  "idempotency_claim",
  "quota_period_start",
  "search_folded",
  "search_query",
  "search_words",
  "usage_key",
  "usage_pruned"
]

/** Quotes a name of a table or a column. */
export const quoted = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`

/** The tables of the current schema, with their columns that are written, and not computed. */
export const tableColumns = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
    greatest(c.reltuples, 0)::float8 AS estimate
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
    AND NOT a.attisdropped AND a.attgenerated = ''
  GROUP BY c.oid, c.relname, c.reltuples ORDER BY c.relname COLLATE "C"`

/** The sequences of identity columns in the current schema. */
export const identityColumns = `
  SELECT c.relname AS "table", a.attname AS "column", pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND a.attidentity <> '' AND NOT a.attisdropped
  ORDER BY 1, 2`

/** Which table of the current schema refers to which other one. */
export const references = `
  SELECT DISTINCT s.relname AS "from", t.relname AS "to"
  FROM pg_constraint k JOIN pg_class s ON s.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
  WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND s.oid <> t.oid`

/** The indexes of the current schema that no constraint needs. */
export const indexesWithoutConstraint = `
  SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND t.relname = ANY (ARRAY[${
  backedUp.map((name) => `'${name}'`).join(", ")
}])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
  ORDER BY c.relname COLLATE "C"`

/** Puts each table after those that it refers to. */
export const referredFirst = <A extends { readonly name: string }>(
  tables: ReadonlyArray<A>,
  pairs: ReadonlyArray<{ readonly from: string; readonly to: string }>
): ReadonlyArray<A> => {
  const sorted: Array<A> = []
  const visited = new Set<string>()
  const visit = (table: A): void => {
    if (visited.has(table.name)) return
    visited.add(table.name)
    for (const { from, to } of pairs) {
      if (from !== table.name) continue
      const referred = tables.find(({ name }) => name === to)
      if (referred !== undefined) visit(referred)
    }
    sorted.push(table)
  }
  for (const table of tables) visit(table)
  return sorted
}
