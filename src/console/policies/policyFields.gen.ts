// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.

/** The members of createPolicy and updatePolicy, with what may be entered. */
export const policyFields = {
  "name": {
    "kind": "text",
    "help": "The display name, 1 to 255 characters; at least one of them is visible.",
    "isOptional": false,
    "pattern": "^[^\\x00]*[^\\x00-\\x20\\x7f-\\xa0\\xad][^\\x00]*$"
  },
  "code": {
    "kind": "text",
    "help": "A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.",
    "isOptional": false,
    "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"
  },
  "license_type": {
    "kind": "enum",
    "help": "Permanent, for a limited time, by subscription, as a trial, or by usage.",
    "isOptional": false,
    "values": [
      "perpetual",
      "time_limited",
      "subscription",
      "trial",
      "consumption"
    ]
  },
  "max_activations": {
    "kind": "number",
    "help": "Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.",
    "isOptional": false,
    "default": "1",
    "min": 0,
    "max": 2147483647
  },
  "floating_timeout_minutes": {
    "kind": "number",
    "help": "Minutes without a heartbeat after which a floating seat becomes free. Default: 10.",
    "isOptional": false,
    "default": "10",
    "min": 1,
    "max": 525600
  },
  "grace_period_days": {
    "kind": "number",
    "help": "Days after the expiration in which the license still works. Default: 0.",
    "isOptional": false,
    "default": "0",
    "min": 0,
    "max": 36500
  },
  "validation_interval_minutes": {
    "kind": "number",
    "help": "Minutes that an app should wait between checks. Default: 1440, a day.",
    "isOptional": false,
    "default": "1440",
    "min": 1,
    "max": 525600
  },
  "require_heartbeat": {
    "kind": "boolean",
    "help": "Tells apps to send heartbeats; your app enforces it. Default: `false`.",
    "isOptional": false,
    "default": "false"
  },
  "allow_offline_activation": {
    "kind": "boolean",
    "help": "Whether devices may get an envelope for offline use. Default: `true`.",
    "isOptional": false,
    "default": "true"
  },
  "offline_grace_days": {
    "kind": "number",
    "help": "Offline duration: days for which an envelope for offline use is valid. Default: 30.",
    "isOptional": false,
    "default": "30",
    "min": 0,
    "max": 36500
  },
  "allow_vm": {
    "kind": "boolean",
    "help": "Whether the license may be used in virtual machines. Default: `true`.",
    "isOptional": false,
    "default": "true"
  },
  "allow_container": {
    "kind": "boolean",
    "help": "Whether the license may be used in containers. Default: `true`.",
    "isOptional": false,
    "default": "true"
  },
  "max_transfers": {
    "kind": "number",
    "help": "How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.",
    "isOptional": false,
    "default": "3",
    "min": 0,
    "max": 2147483647
  },
  "max_floating_users": {
    "kind": "number",
    "help": "How many floating seats may be in use at the same time. Without it, the license has none.",
    "isOptional": true,
    "min": 0,
    "max": 2147483647
  },
  "max_container_instances": {
    "kind": "number",
    "help": "How many containers may have a seat at the same time. Without it, `max_activations` applies.",
    "isOptional": true,
    "min": 0,
    "max": 2147483647
  },
  "duration": {
    "kind": "duration",
    "help": "How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it.",
    "isOptional": true,
    "pattern": "^P(?=\\d|T\\d)([0-4]?\\d{1,3}Y)?(\\d{1,4}M)?(\\d{1,4}W)?(\\d{1,5}D)?(T(?=\\d)(\\d{1,5}H)?(\\d{1,6}M)?)?$"
  },
  "expiry_basis": {
    "kind": "enum",
    "help": "When durations start: at the `creation`, the default, or at the first activation, which starts the license.",
    "isOptional": true,
    "values": [
      "creation",
      "first_activation"
    ]
  },
  "maintenance_duration": {
    "kind": "duration",
    "help": "How long a perpetual license covers new versions. Sets `maintenance_expires_at`.",
    "isOptional": true,
    "pattern": "^P(?=\\d|T\\d)([0-4]?\\d{1,3}Y)?(\\d{1,4}M)?(\\d{1,4}W)?(\\d{1,5}D)?(T(?=\\d)(\\d{1,5}H)?(\\d{1,6}M)?)?$"
  },
  "activation_overage": {
    "kind": "overage",
    "help": "Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`.",
    "isOptional": true,
    "pattern": "^(deny|allow|[1-9]\\d{0,3}%)$"
  },
  "floating_overage": {
    "kind": "overage",
    "help": "Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`.",
    "isOptional": true,
    "pattern": "^(deny|allow|[1-9]\\d{0,3}%)$"
  },
  "lease_unit": {
    "kind": "enum",
    "help": "The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`.",
    "isOptional": true,
    "values": [
      "device",
      "process"
    ]
  },
  "follows_subscription": {
    "kind": "boolean",
    "help": "Whether licenses expire, have a grace period and are suspended together with their subscription.",
    "isOptional": true
  },
  "component_match": {
    "kind": "enum",
    "help": "How many `components` must match: `any`, `most`, `all`, or a number.",
    "isOptional": true,
    "values": [
      "any",
      "most",
      "all",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8"
    ]
  },
  "self_service": {
    "kind": "boolean",
    "help": "Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users.",
    "isOptional": true
  },
  "max_self_service_resets": {
    "kind": "number",
    "help": "Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`.",
    "isOptional": true,
    "min": 0,
    "max": 2147483647
  },
  "self_service_period": {
    "kind": "enum",
    "help": "The period in UTC of the self-service reset limit. Default: `month`.",
    "isOptional": true,
    "values": [
      "day",
      "week",
      "month",
      "year"
    ]
  },
  "self_service_transfer": {
    "kind": "boolean",
    "help": "Whether the owner of the license may transfer it to another email address in the portal. Default: `false`.",
    "isOptional": true
  },
  "offline_file_days": {
    "kind": "number",
    "help": "How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`.",
    "isOptional": true,
    "min": 0,
    "max": 36500
  },
  "hold_offline_seats": {
    "kind": "boolean",
    "help": "Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`.",
    "isOptional": true
  },
  "refund_window_minutes": {
    "kind": "number",
    "help": "Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund.",
    "isOptional": true,
    "min": 1,
    "max": 44640
  },
  "max_users": {
    "kind": "number",
    "help": "User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users.",
    "isOptional": true,
    "min": 0,
    "max": 2147483647
  },
  "max_devices_per_user": {
    "kind": "number",
    "help": "On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices.",
    "isOptional": true,
    "min": 1,
    "max": 2147483647
  },
  "mails": {
    "kind": "list",
    "help": "The mails that the service sends to the owners of licenses under the policy. Absent: none. Needs COUNTERSIGN_SMTP_URL. Bulk requests and imports send none.",
    "isOptional": true,
    "values": [
      "license_issued",
      "key_changed",
      "license_expiring",
      "license_expired",
      "quota_threshold",
      "device_added",
      "payment_failed",
      "user_invited"
    ]
  },
  "expiring_days": {
    "kind": "numbers",
    "help": "How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before. Up to 10 days.",
    "isOptional": true,
    "min": 1,
    "max": 365
  },
  "metadata": {
    "kind": "json",
    "help": "Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.",
    "isOptional": false,
    "default": "{}"
  }
} as const
