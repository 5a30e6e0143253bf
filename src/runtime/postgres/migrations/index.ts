import foundation from "./0001_foundation.ts"
import events from "./0002_events.ts"
import usage from "./0003_usage.ts"
import commerce from "./0004_commerce.ts"
import lifecycle from "./0005_lifecycle.ts"
import leases from "./0006_leases.ts"
import tree from "./0007_tree.ts"
import reports from "./0008_reports.ts"
import exports from "./0009_exports.ts"
import records from "./0010_records.ts"
import keys from "./0011_keys.ts"
import limits from "./0012_limits.ts"
import epochs from "./0013_epochs.ts"
import dataKeys from "./0014_data_keys.ts"
import usedCodes from "./0015_used_codes.ts"
import background from "./0016_background.ts"
import timeZones from "./0017_time_zones.ts"
import archive from "./0018_archive.ts"
import filterStatistics from "./0019_filter_statistics.ts"
import compressedPieces from "./0020_compressed_pieces.ts"
import leasesDue from "./0021_leases_due.ts"
import pruned from "./0022_pruned.ts"
import usageKeys from "./0023_usage_keys.ts"
import leanerAppends from "./0024_leaner_appends.ts"
import listFilters from "./0025_list_filters.ts"
import terms from "./0026_terms.ts"
import trials from "./0027_trials.ts"
import offlineFiles from "./0028_offline_files.ts"
import selfService from "./0029_self_service.ts"
import components from "./0030_components.ts"
import bundles from "./0031_bundles.ts"
import reportedOverage from "./0032_reported_overage.ts"
import chainEnd from "./0033_chain_end.ts"
import termAnchor from "./0034_term_anchor.ts"
import reasons from "./0036_reasons.ts"
import credits from "./0037_credits.ts"
import sourceInstants from "./0038_source_instants.ts"
import formerCodes from "./0039_former_codes.ts"
import receiverPace from "./0040_receiver_pace.ts"
import formerCodeUses from "./0042_former_code_uses.ts"
import leaseProcesses from "./0043_lease_processes.ts"
import receiverWishes from "./0044_receiver_wishes.ts"
import limitedKeys from "./0045_limited_keys.ts"
import hourlyOverage from "./0046_hourly_overage.ts"
import kindsByActor from "./0047_kinds_by_actor.ts"
import binsOfExpiry from "./0048_bins_of_expiry.ts"
import billingStates from "./0050_billing_states.ts"
import purchases from "./0051_purchases.ts"
import externalCustomers from "./0052_external_customers.ts"
import reconciliations from "./0053_reconciliations.ts"
import readPurchases from "./0054_read_purchases.ts"
import keptEvents from "./0055_kept_events.ts"
import periodsOfPurchases from "./0056_periods_of_purchases.ts"
import people from "./0057_people.ts"
import readWork from "./0058_read_work.ts"
import erasedPayers from "./0059_erased_payers.ts"
import sessions from "./0060_sessions.ts"
import words from "./0061_words.ts"
import identityProvider from "./0062_identity_provider.ts"
import passkeys from "./0063_passkeys.ts"
import tagsAndNotes from "./0064_tags_and_notes.ts"
import jobs from "./0065_jobs.ts"
import keyMakers from "./0066_key_makers.ts"
import activityFilters from "./0072_activity_filters.ts"
import featureValues from "./0073_feature_values.ts"
import overview from "./0074_overview.ts"
import approvals from "./0080_approvals.ts"
import settings from "./0083_settings.ts"
import listOrders from "./0086_list_orders.ts"
import licenseViews from "./0087_license_views.ts"
import grants from "./0095_grants.ts"
import refunds from "./0096_refunds.ts"
import quotaThresholds from "./0097_quota_thresholds.ts"
import endsOfGrants from "./0100_ends_of_grants.ts"
import orderOfUses from "./0101_order_of_uses.ts"
import begunApprovals from "./0103_begun_approvals.ts"
import rollover from "./0110_rollover.ts"
import remainingThresholds from "./0115_remaining_thresholds.ts"
import signedFields from "./0116_signed_fields.ts"
import pools from "./0117_pools.ts"
import reportedUses from "./0120_reported_uses.ts"
import dimensions from "./0121_dimensions.ts"
import foundActivities from "./0130_found_activities.ts"
import decimals from "./0131_decimals.ts"
import refundWindows from "./0132_refund_windows.ts"
import meters from "./0134_meters.ts"
import customerParents from "./0138_customer_parents.ts"
import mails from "./0140_mails.ts"
import notices from "./0141_notices.ts"
import expiringDays from "./0142_expiring_days.ts"
import languages from "./0145_languages.ts"
import mailTemplates from "./0146_mail_templates.ts"
import mailSuppressions from "./0147_mail_suppressions.ts"
import portalSessions from "./0148_portal_sessions.ts"
import portalLinks from "./0150_portal_links.ts"
import customerMails from "./0151_customer_mails.ts"
import linksOfVersions from "./0152_links_of_versions.ts"
import namesOfDevices from "./0153_names_of_devices.ts"
import licenseUsers from "./0154_license_users.ts"
import trustedIssuers from "./0155_trusted_issuers.ts"
import licenseTransferRequests from "./0156_license_transfer_requests.ts"
import erasedUsers from "./0157_erased_users.ts"
import userMailSignIns from "./0158_user_mail_sign_ins.ts"
import cosignatures from "./0160_cosignatures.ts"
import licenseChains from "./0161_license_chains.ts"
import licenseEvents from "./0162_license_events.ts"
import checkpointsByTime from "./0163_checkpoints_by_time.ts"
import versionsOfDevices from "./0165_versions_of_devices.ts"
import decidedCalls from "./0166_decided_calls.ts"
import rehearsedCalls from "./0168_rehearsed_calls.ts"
import rehearsedLeases from "./0169_rehearsed_leases.ts"
import systemsOfDevices from "./0175_systems_of_devices.ts"
import openers from "./0180_openers.ts"
import owners from "./0184_owners.ts"
import offlineSeats from "./0190_offline_seats.ts"
import lastingSuspensions from "./0191_lasting_suspensions.ts"
import sessionsAtProvider from "./0196_sessions_at_provider.ts"
import adoptions from "./0206_adoptions.ts"
import supportContact from "./0213_support_contact.ts"
import settledPeriods from "./0240_settled_periods.ts"
import runningPeriods from "./0241_running_periods.ts"
import countedApart from "./0242_counted_apart.ts"
import usageWatches from "./0243_usage_watches.ts"
import nothingMeasured from "./0244_nothing_measured.ts"
import ownThresholds from "./0245_own_thresholds.ts"
import purchaseUnits from "./0246_purchase_units.ts"
import foreseenLicenses from "./0247_foreseen_licenses.ts"
import resellers from "./0251_resellers.ts"
import mailFaults from "./0255_mail_faults.ts"

/** Every migration by name, in order; a released name never changes. */
export const migrations = {
  "0001_foundation": foundation,
  "0002_events": events,
  "0003_usage": usage,
  "0004_commerce": commerce,
  "0005_lifecycle": lifecycle,
  "0006_leases": leases,
  "0007_tree": tree,
  "0008_reports": reports,
  "0009_exports": exports,
  "0010_records": records,
  "0011_keys": keys,
  "0012_limits": limits,
  "0013_epochs": epochs,
  "0014_data_keys": dataKeys,
  "0015_used_codes": usedCodes,
  "0016_background": background,
  "0017_time_zones": timeZones,
  "0018_archive": archive,
  "0019_filter_statistics": filterStatistics,
  "0020_compressed_pieces": compressedPieces,
  "0021_leases_due": leasesDue,
  "0022_pruned": pruned,
  "0023_usage_keys": usageKeys,
  "0024_leaner_appends": leanerAppends,
  "0025_list_filters": listFilters,
  "0026_terms": terms,
  "0027_trials": trials,
  "0028_offline_files": offlineFiles,
  "0029_self_service": selfService,
  "0030_components": components,
  "0031_bundles": bundles,
  "0032_reported_overage": reportedOverage,
  "0033_chain_end": chainEnd,
  "0034_term_anchor": termAnchor,
  "0036_reasons": reasons,
  "0037_credits": credits,
  "0038_source_instants": sourceInstants,
  "0039_former_codes": formerCodes,
  "0040_receiver_pace": receiverPace,
  "0042_former_code_uses": formerCodeUses,
  "0043_lease_processes": leaseProcesses,
  "0044_receiver_wishes": receiverWishes,
  "0045_limited_keys": limitedKeys,
  "0046_hourly_overage": hourlyOverage,
  "0047_kinds_by_actor": kindsByActor,
  "0048_bins_of_expiry": binsOfExpiry,
  "0050_billing_states": billingStates,
  "0051_purchases": purchases,
  "0052_external_customers": externalCustomers,
  "0053_reconciliations": reconciliations,
  "0054_read_purchases": readPurchases,
  "0055_kept_events": keptEvents,
  "0056_periods_of_purchases": periodsOfPurchases,
  "0057_people": people,
  "0058_read_work": readWork,
  "0059_erased_payers": erasedPayers,
  "0060_sessions": sessions,
  "0061_words": words,
  "0062_identity_provider": identityProvider,
  "0063_passkeys": passkeys,
  "0064_tags_and_notes": tagsAndNotes,
  "0065_jobs": jobs,
  "0066_key_makers": keyMakers,
  "0072_activity_filters": activityFilters,
  "0073_feature_values": featureValues,
  "0074_overview": overview,
  "0080_approvals": approvals,
  "0083_settings": settings,
  "0086_list_orders": listOrders,
  "0087_license_views": licenseViews,
  "0095_grants": grants,
  "0096_refunds": refunds,
  "0097_quota_thresholds": quotaThresholds,
  "0100_ends_of_grants": endsOfGrants,
  "0101_order_of_uses": orderOfUses,
  "0103_begun_approvals": begunApprovals,
  "0110_rollover": rollover,
  "0115_remaining_thresholds": remainingThresholds,
  "0116_signed_fields": signedFields,
  "0117_pools": pools,
  "0120_reported_uses": reportedUses,
  "0121_dimensions": dimensions,
  "0130_found_activities": foundActivities,
  "0131_decimals": decimals,
  "0132_refund_windows": refundWindows,
  "0134_meters": meters,
  "0138_customer_parents": customerParents,
  "0140_mails": mails,
  "0141_notices": notices,
  "0142_expiring_days": expiringDays,
  "0145_languages": languages,
  "0146_mail_templates": mailTemplates,
  "0147_mail_suppressions": mailSuppressions,
  "0148_portal_sessions": portalSessions,
  "0150_portal_links": portalLinks,
  "0151_customer_mails": customerMails,
  "0152_links_of_versions": linksOfVersions,
  "0153_names_of_devices": namesOfDevices,
  "0154_license_users": licenseUsers,
  "0155_trusted_issuers": trustedIssuers,
  "0156_license_transfer_requests": licenseTransferRequests,
  "0157_erased_users": erasedUsers,
  "0158_user_mail_sign_ins": userMailSignIns,
  "0160_cosignatures": cosignatures,
  "0161_license_chains": licenseChains,
  "0162_license_events": licenseEvents,
  "0163_checkpoints_by_time": checkpointsByTime,
  "0165_versions_of_devices": versionsOfDevices,
  "0166_decided_calls": decidedCalls,
  "0168_rehearsed_calls": rehearsedCalls,
  "0169_rehearsed_leases": rehearsedLeases,
  "0175_systems_of_devices": systemsOfDevices,
  "0180_openers": openers,
  "0184_owners": owners,
  "0190_offline_seats": offlineSeats,
  "0191_lasting_suspensions": lastingSuspensions,
  "0196_sessions_at_provider": sessionsAtProvider,
  "0206_adoptions": adoptions,
  "0213_support_contact": supportContact,
  "0240_settled_periods": settledPeriods,
  "0241_running_periods": runningPeriods,
  "0242_counted_apart": countedApart,
  "0243_usage_watches": usageWatches,
  "0244_nothing_measured": nothingMeasured,
  "0245_own_thresholds": ownThresholds,
  "0246_purchase_units": purchaseUnits,
  "0247_foreseen_licenses": foreseenLicenses,
  "0251_resellers": resellers,
  "0255_mail_faults": mailFaults
}

/**
 * Those whose statements are transactions of their own, each safe to repeat: they make indexes beside writers, or check
 * rows. All others run in one transaction each.
 */
export const online: ReadonlySet<string> = new Set<keyof typeof migrations>([
  "0017_time_zones",
  "0020_compressed_pieces",
  "0021_leases_due",
  "0022_pruned",
  "0024_leaner_appends",
  "0025_list_filters",
  "0026_terms",
  "0029_self_service",
  "0030_components",
  "0031_bundles",
  "0034_term_anchor",
  "0037_credits",
  "0038_source_instants",
  "0039_former_codes",
  "0040_receiver_pace",
  "0043_lease_processes",
  "0044_receiver_wishes",
  "0045_limited_keys",
  "0046_hourly_overage",
  "0047_kinds_by_actor",
  "0048_bins_of_expiry",
  "0050_billing_states",
  "0052_external_customers",
  "0054_read_purchases",
  "0055_kept_events",
  "0056_periods_of_purchases",
  "0058_read_work",
  "0059_erased_payers",
  "0060_sessions",
  "0061_words",
  "0062_identity_provider",
  "0063_passkeys",
  "0064_tags_and_notes",
  "0065_jobs",
  "0066_key_makers",
  "0072_activity_filters",
  "0073_feature_values",
  "0074_overview",
  "0080_approvals",
  "0086_list_orders",
  "0087_license_views",
  "0095_grants",
  "0096_refunds",
  "0097_quota_thresholds",
  "0100_ends_of_grants",
  "0101_order_of_uses",
  "0103_begun_approvals",
  "0110_rollover",
  "0115_remaining_thresholds",
  "0116_signed_fields",
  "0117_pools",
  "0120_reported_uses",
  "0121_dimensions",
  "0130_found_activities",
  "0131_decimals",
  "0132_refund_windows",
  "0134_meters",
  "0138_customer_parents",
  "0140_mails",
  "0142_expiring_days",
  "0145_languages",
  "0147_mail_suppressions",
  "0148_portal_sessions",
  "0150_portal_links",
  "0152_links_of_versions",
  "0153_names_of_devices",
  "0154_license_users",
  "0155_trusted_issuers",
  "0156_license_transfer_requests",
  "0157_erased_users",
  "0158_user_mail_sign_ins",
  "0161_license_chains",
  "0162_license_events",
  "0163_checkpoints_by_time",
  "0165_versions_of_devices",
  "0166_decided_calls",
  "0168_rehearsed_calls",
  "0169_rehearsed_leases",
  "0175_systems_of_devices",
  "0180_openers",
  "0184_owners",
  "0190_offline_seats",
  "0191_lasting_suspensions",
  "0196_sessions_at_provider",
  "0206_adoptions",
  "0213_support_contact",
  "0240_settled_periods",
  "0242_counted_apart",
  "0243_usage_watches",
  "0245_own_thresholds",
  "0246_purchase_units",
  "0247_foreseen_licenses",
  "0251_resellers",
  "0255_mail_faults"
])
