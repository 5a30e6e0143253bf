/**
 * The instant until which the seat of an offline file `f` is taken, in SQL, where the terms hold seats: until the end of the file; until it was
 * revoked; and where it was revoked with its owner, until somebody freed the seat.
 */
export const fileUntil =
  "CASE WHEN f.revoked_at IS NULL THEN f.valid_until ELSE coalesce(f.seat_held_until, f.revoked_at) END"

/** The instant until which a device has something for offline use, in SQL; NULL where it never had. `device` is the name of its row. */
export const offlineUntil = (device: "d" | "devices"): string =>
  `greatest(${device}.envelope_until, (SELECT max(${fileUntil}) FROM offline_files f WHERE f.device_id = ${device}.id))`
