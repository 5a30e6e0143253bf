#!/usr/bin/env bash
# Verifies signed answers and refusals, offline envelopes and webhook deliveries of Countersign.
#
# Source this file in a script. bash, OpenSSL 3 and jq. Each function prints what was signed and answers 0, or prints on
# standard error why it must not be trusted and answers 1. Run as a program it judges published vectors:
#
#     verify.sh VECTORS.json
#
# Keys are arguments of openssl here, which other users of the machine can see in its list of processes, and digests are
# not compared in constant time: it is for build machines and desks, not for receivers on a network.
set -uo pipefail
export LC_ALL=C.UTF-8

refuse() { # CODE: ends the function that calls it, because each of those runs in a subshell
  echo "$1" >&2
  exit 1
}

hex() { od -An -v -tx1 | tr -d ' \n'; }

unhex() { # HEX
  # shellcheck disable=SC2059 # the format is what is printed
  printf "$(sed 's/../\\x&/g' <<<"$1")"
}

# The bytes of canonical, padded base64, in hex. Fails for anything else, and for another length.
decode() { # TEXT [LENGTH]
  local digits
  digits=$(printf %s "$1" | openssl base64 -d -A 2>/dev/null | hex)
  [[ $(unhex "$digits" | openssl base64 -A) == "$1" && (-z ${2-} || ${#digits} == $(($2 * 2))) ]] && echo "$digits"
}

# What jq programs here have in common. `only` is the one object of the text that was read with -s, which `members` of
# its members were read from; `instant` is Unix seconds of an instant of the service, which has one form, and null for
# anything else: what is no day or no hour would be taken for another one. jq takes what is beyond all doubles for the largest.
common='
def only: if length == 1 and (.[0] | type) == "object" then .[0] else error("no object") end;
def members: [.. | objects | length] | add;
def endless: any(.. | numbers; . >= 1.7976931348623157e308 or . <= -1.7976931348623157e308);
def instant: if type == "string" and test("\\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z\\z")
  then (.[0:19] + "Z") as $text
    | try (($text | fromdateiso8601) as $seconds | if ($seconds | todateiso8601) == $text then $seconds else null end)
      catch null
  else null end;
'

# How many members a JSON text has: the colons outside of strings. A name that occurs twice is kept once by jq, and two
# readers could read it differently (RFC 7493), so what jq kept must be as many. Fails for what is no UTF-8, and for what jq
# takes though it is no JSON: other numbers and words, control characters, a byte order mark.
count_members() { # FILE
  local plain
  iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || return 1
  plain=$(LC_ALL=C sed -zE 's/"([^"\\[:cntrl:]\x7f]|\x7f|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/""/g' "$1" | tr '\r\n\t' ' ')
  LC_ALL=C grep -qxE '([]["{},: ]|true|false|null|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)*' <<<"$plain" || return 1
  ! grep -qE '(^|[^0-9.eE+-])-?0[0-9]' <<<"$plain" && tr -cd : <<<"$plain" | wc -c
}

# The signed `data` of `{data, signature}` in a file. KEYS is a file with the answer of GET /api/v1/system/public-keys: what
# is no key of ours stops none beside it, and of an id that is said to be revoked nothing verifies. What another environment
# than the live one signed is refused, but for test where ALLOW_TEST is 1: never set it in a build for customers.
verify_signed() ( # FILE KEYS
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  read -r verdict public value < <(jq -r --slurpfile keys "$2" "$common"'
    def raw: type == "string" and test("\\A[A-Za-z0-9+/]{43}=\\z");
    .signature as $signature | .data as $data
    | if $signature | type != "object" then "malformed"
      elif $signature.alg != "Ed25519" or ($signature | has("algorithm") and .algorithm != "Ed25519")
      then "unsupported_algorithm"
      else [$keys[0].data[] | select(.kid == $signature.kid)]
        | if any(.status == "revoked") then null
          else [.[] | select(.algorithm == "Ed25519" and (.public_key | raw))][0] end
        | if . == null then "unknown_key"
          elif $data | type != "object" then "malformed"
          elif any($data | .. | numbers; . != floor or . > 9007199254740991 or . < -9007199254740991) then "malformed"
          elif $signature.value | type != "string" or (test("\\A[A-Za-z0-9+/]{86}==\\z") | not) then "malformed"
          else "signed \(.public_key) \($signature.value)" end
      end' "$1" 2>/dev/null || echo malformed)
  [[ $verdict == signed ]] || refuse "$verdict"
  public=$(decode "$public" 32) && value=$(decode "$value" 64) || refuse malformed
  unhex "302a300506032b6570032100$public" >"$work/key.der" # SubjectPublicKeyInfo (RFC 8410)
  unhex "$value" >"$work/signature"
  # RFC 8785, of values whose numbers are whole, however they are written, and whose names are ASCII. jq escapes DEL.
  jq -cSj '.data | walk(if type == "number" then (if . == 0 then 0 else floor end) else . end)' "$1" |
    sed -zE ':again; s/((^|[^\\])(\\\\)*)\\u007f/\1\x7f/; t again' >"$work/data"
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key.der" -rawin -in "$work/data" \
    -sigfile "$work/signature" >/dev/null 2>&1 || refuse signature_mismatch
  jq -e --arg allowed "${ALLOW_TEST:-0}" '(has("environment") | not) or ($allowed == "1" and .environment == "test")' \
    "$work/data" >/dev/null || refuse environment_mismatch
  cat "$work/data"
)

# The signed `data` of the runtime answer in a file. KEYS is a file with the answer of GET /api/v1/system/public-keys:
# ship it, or fetch it over TLS. NOW is in Unix seconds. An empty NONCE or PRODUCT is not compared.
verify_answer() ( # BODY KEYS NOW NONCE PRODUCT
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  count=$(count_members "$1") || refuse malformed
  jq -se --argjson count "$count" "$common"'only | members == $count and (endless | not)' "$1" >/dev/null 2>&1 ||
    refuse malformed
  verify_signed "$1" "$2" >"$work/data" || exit
  verdict=$(jq -r --argjson now "$3" --arg nonce "$4" --arg product "$5" --argjson skew "${SKEW:-60}" "$common"'
    (.valid_until | instant) as $until
    | if $until == null then "malformed"
      elif $now > $until + $skew then "expired"
      elif $nonce != "" and .nonce != $nonce then "nonce_mismatch"
      elif $product != "" and .product_code != $product then "product_mismatch"
      else "verified" end' "$work/data")
  [[ $verdict == verified ]] || refuse "$verdict"
  cat "$work/data"
)

# The signed statement of the refusal in a file: decide by its `code` and `detail`. LICENSE_KEY is the key as it was sent;
# REQUEST a file with what was sent: the method, a space, the path from /api/v1/ on with its query, a line feed, and the
# body. A refusal that fails here proves nothing: go on by what you keep.
verify_refusal() ( # BODY KEYS NONCE LICENSE_KEY REQUEST
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  count=$(count_members "$1") || refuse malformed
  jq -se --argjson count "$count" "$common"'only | select(members == $count and (endless | not))
    | .meta | objects | .refusal | objects' "$1" >"$work/statement" 2>/dev/null || refuse malformed
  verify_signed "$work/statement" "$2" >"$work/data" || exit
  credential=$(printf %s "$4" | openssl dgst -sha256 -r)
  request=$(openssl dgst -sha256 -r <"$5")
  verdict=$(jq -r --arg nonce "$3" --arg credential "${credential%% *}" --arg request "${request%% *}" '
    if .type != "refusal" or (.code | type) != "string" or (has("detail") and (.detail | type) != "string")
    then "malformed"
    elif .nonce != $nonce then "nonce_mismatch"
    elif .credential_hash != $credential then "license_mismatch"
    elif .request_hash != $request then "request_mismatch"
    else "verified" end' "$work/data")
  [[ $verdict == verified ]] || refuse "$verdict"
  cat "$work/data"
)

# A license key as it was issued, from what a person typed.
normal_license_key() ( # TYPED
  typed=$(sed -E 's/^[[:space:]]+//; s/[[:space:]]+$//' <<<"$1")
  text=$(printf %s "$typed" | tr -d '[:space:]-' | tr '[:lower:]' '[:upper:]')
  if [[ ! $typed =~ ^[Cc][Ss][Tt]?[[:space:]-] && ! $text =~ ^CST?[0-9A-Z]{25}$ ]]; then
    LC_ALL=C
    [[ $typed =~ ^[!-~]{8,1000}$ ]] || refuse license_key_invalid
    printf %s "$typed" # of another system: as it is
  else
    text=$(tr OIL 011 <<<"$text")
    [[ $text =~ ^(CST?)(.{5})(.{5})(.{5})(.{5})(.{5})$ ]] || refuse license_key_invalid # CST of the test environment
    (IFS=- && printf %s "${BASH_REMATCH[*]:1}")
  fi
)

length64() { printf '%016x' $(($1 * 8)); } # BYTES: their bits

# Zeros that fill a number of bytes up to whole blocks of 16, in hex.
filling() { printf '00%.0s' $(seq $(((16 - $1 % 16) % 16))) | head -c $(((16 - $1 % 16) % 16 * 2)); } # BYTES

# Decrypts AES-256-GCM, which `openssl enc` does not offer: AES-CTR, and the tag by way of GMAC. All in hex but AAD.
# Over the padded AAD and ciphertext, their lengths, and what the sum of these must be, GMAC is that of zeros.
decrypt() { # KEY NONCE CIPHERTEXT_AND_TAG AAD
  local sealed=${3:0:-32} tag=${3: -32} aad mask sum="" at all
  aad=$(printf %s "$4" | hex)
  mask=$(unhex "${2}00000001" | openssl enc -aes-256-ecb -nopad -K "$1" | hex)
  for ((at = 0; at < 32; at += 2)); do
    sum+=$(printf %02x $((0x${tag:at:2} ^ 0x${mask:at:2})))
  done
  all=$aad$(filling $((${#aad} / 2)))$sealed$(filling $((${#sealed} / 2)))
  all+=$(length64 $((${#aad} / 2)))$(length64 $((${#sealed} / 2)))$sum
  gmac() { openssl mac -cipher AES-256-GCM -macopt "hexkey:$1" -macopt "hexiv:$2" GMAC; }
  [[ $(unhex "$all" | gmac "$1" "$2") == $(unhex "${all//[0-9a-f]/0}" | gmac "$1" "$2") ]] || return 1
  unhex "$sealed" | openssl enc -d -aes-256-ctr -K "$1" -iv "${2}00000002"
}

# The entitlement in a file with an offline envelope, or in a .lic file: then DEVICE is empty, and FINGERPRINT that of
# this machine, in Unicode form NFC if it is not ASCII. LAST is the highest offline_counter that was accepted before;
# store the new one. REVOCATIONS is a file with the verified data of a revocation list, or empty.
open_offline() ( # ENVELOPE LICENSE_KEY KEYS NOW DEVICE FINGERPRINT PRODUCT LAST REVOCATIONS
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  [[ -n $5$6 ]] || refuse device_mismatch
  count=$(count_members "$1") || refuse malformed
  IFS=$'\x1f' read -r kid device salt nonce ciphertext < <(jq -sr --argjson count "$count" --arg device "$5" "$common"'
    only | select(members == $count)
    | [.kid, (if $device == "" then .device_id else $device end), .salt, .nonce, .ciphertext]
    | select(all(type == "string" and test("\\A[^\u0000-\u001f]*\\z"))) | join("\u001f")' "$1" 2>/dev/null) ||
    refuse malformed
  salt=$(decode "$salt" 32) && nonce=$(decode "$nonce" 12) && ciphertext=$(decode "$ciphertext") || refuse malformed
  key=$(normal_license_key "$2") || exit
  key=$(openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt "hexkey:$(printf %s "$key" | hex)" \
    -kdfopt "hexsalt:$salt" -kdfopt info:countersign/offline/v1 -binary HKDF | hex)
  ((${#ciphertext} > 32)) && decrypt "$key" "$nonce" "$ciphertext" "$kid$device" >"$work/text" ||
    refuse cannot_decrypt
  verify_answer "$work/text" "$3" "$4" "" "$7" >"$work/data" || exit
  hash=$(sed -zE 's/^[[:space:]]+//; s/[[:space:]]+$//' < <(printf %s "$6") | openssl dgst -sha256 -r)
  # Only what was signed for an envelope has a counter.
  verdict=$(jq -r --argjson now "$4" --argjson skew "${SKEW:-60}" --arg kid "$kid" --arg device "$device" \
    --arg fingerprint "$6" --arg hash "${hash%% *}" --argjson last "${8:-0}" --slurpfile revoked "${9:-/dev/null}" \
    "$common"'
    .data as $data
    | ($revoked[0] // {}) as $revoked
    | ($data.issued_at | instant) as $issued
    | if .signature.kid != $kid then "malformed"
      elif $data.device_id != $device or $fingerprint != "" and $data.fingerprint_hash != $hash
      then "device_mismatch"
      elif $issued == null then "malformed"
      elif $issued > $now + $skew and ($data | has("environment") | not) # whose clock may be ahead of every other
      then "not_yet_valid"
      elif $data.offline_counter | type != "number" or . < 1 or . != floor then "malformed"
      elif $data.offline_counter < $last then "rolled_back"
      elif any($revoked.revoked_license_ids[]?; . == $data.license_id)
        or any($revoked.revoked_kids[]?; . == $kid)
        or any($revoked.revoked_offline_files[]?; . == $data.offline_file_id)
      then "revoked"
      else "verified" end' "$work/text")
  [[ $verdict == verified ]] || refuse "$verdict"
  cat "$work/data"
)

# The event of a delivery, whose body is in a file as it arrived. HEADERS is a file with a JSON object of its headers.
# SECRETS are all that are live.
verify_delivery() ( # BODY HEADERS NOW TOLERANCE SECRET...
  { read -r delivery && read -r signature; } < <(jq -r 'with_entries(.key |= ascii_downcase)
    | .["x-service-delivery-id"] // "", .["x-service-signature"] // ""' "$2")
  [[ -n $delivery && -n $signature ]] || refuse missing_header
  times=() signatures=()
  while IFS= read -r -d , part; do
    part=$(sed -E 's/^[[:space:]]+//; s/[[:space:]]+$//' <<<"$part")
    if [[ $part =~ ^t=([0-9]{1,12})$ ]]; then
      times+=("${BASH_REMATCH[1]}")
    elif [[ $part =~ ^v1=([0-9a-fA-F]{64})$ ]]; then
      signatures+=("$(tr A-F a-f <<<"${BASH_REMATCH[1]}")")
    elif [[ $part == t=* || $part == v1=* || $part != *=* ]]; then
      refuse malformed_header
    fi # anything else is a scheme of the future
  done <<<"$signature,"
  ((${#times[@]} == 1 && ${#signatures[@]} > 0)) || refuse malformed_header
  age=$(($3 - 10#${times[0]}))
  ((${age#-} <= $4)) || refuse timestamp_out_of_tolerance
  for secret in "${@:5}"; do
    ((${#secret} >= 16)) || continue
    sum=$({ printf '%s.%s.' "${times[0]}" "$delivery" && cat "$1"; } |
      openssl mac -digest SHA256 -macopt "hexkey:$(printf %s "$secret" | hex)" HMAC | tr A-F a-f)
    for one in "${signatures[@]}"; do
      [[ $one == "$sum" ]] || continue
      count=$(count_members "$1") || refuse malformed_body
      jq -es --argjson count "$count" "$common"'only | members == $count' "$1" >/dev/null 2>&1 || refuse malformed_body
      cat "$1"
      exit 0
    done
  done
  refuse signature_mismatch
)

# Judges one case of published vectors, whose members are variables; `kind` is that of the file.
judge() {
  local code
  printf %s "$keys" >"$work/keys"
  printf %s "$body" >"$work/body"
  case $kind in
  refusals)
    printf %s "$request" >"$work/request"
    code=$(verify_refusal "$work/body" "$work/keys" "$nonce" "$license_key" "$work/request" 2>&1 >/dev/null)
    ;;
  answers) code=$(verify_answer "$work/body" "$work/keys" "$now" "$nonce" "$product" 2>&1 >/dev/null) ;;
  offline)
    printf %s "$revocations" >"$work/revocations"
    [[ -z $fingerprint ]] || device=""
    code=$(open_offline "$work/body" "$license_key" "$work/keys" "$now" "$device" "$fingerprint" "$product" "$last" \
      "$work/revocations" 2>&1 >/dev/null)
    ;;
  deliveries)
    printf %s "$headers" >"$work/headers"
    code=$(verify_delivery "$work/body" "$work/headers" "$now" "$tolerance" "${secrets[@]}" 2>&1 >/dev/null)
    ;;
  esac
  [[ ${code:-verified} == "$expected" ]] || status=1
  printf '%s\t%s\n' "${code:-verified}" "$name"
}

main() { # VECTORS
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  status=0
  # A line of variables for each case, quoted for the shell by jq.
  eval "$(jq -r "$common"'
    . as $all
    | (if .cases[0] | has("request") then "refusals" elif has("keys") then "answers" elif has("license_key") then "offline" else "deliveries" end) as $kind
    | .cases[]
    | @sh "kind=\($kind) name=\(.name) expected=\(.expected)
      now=\(.now | if type == "string" then instant else . end)
      keys=\($all.keys // {data: $all.public_keys} | tojson)
      body=\(.body // (.envelope | tojson)) nonce=\(.nonce // "") product=\(.product_code // "")
      license_key=\(.license_key // $all.license_key_as_typed // "") fingerprint=\(.fingerprint // "")
      device=\(.device_id // $all.device_id // "") last=\(.last_counter // 0)
      revocations=\(.revocations // {} | tojson) headers=\(.headers // {} | tojson)
      request=\(.request // "") ALLOW_TEST=\(if .allow_test then 1 else 0 end)
      secrets=(\(.secrets // [])) tolerance=\($all.tolerance // 0)
      judge"' "$1")"
  exit $status
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then main "$@"; fi
