<?php

/**
 * Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.
 *
 * Copy this file into an app. PHP 8.1 or newer with sodium, openssl and json, which PHP brings. Whatever cannot be
 * trusted throws Refused with a reason; what is returned was signed. Run as a program it judges published vectors:
 *
 *     php verify.php VECTORS.json
 */

declare(strict_types=1);

namespace Countersign;

/** What was given must not be trusted; `reason` says why. */
final class Refused extends \Exception
{
    public function __construct(public readonly string $reason)
    {
        parent::__construct($reason);
    }
}

/** How many members the objects of a value have, at any depth. */
function countMembers(mixed $value): int
{
    $items = $value instanceof \stdClass ? get_object_vars($value) : (is_array($value) ? $value : []);
    return ($value instanceof \stdClass ? count($items) : 0) + array_sum(array_map(countMembers(...), $items));
}

/** Whether a value has a number beyond all doubles, which readers take for different ones. */
function isEndless(mixed $value): bool
{
    $items = $value instanceof \stdClass ? get_object_vars($value) : (is_array($value) ? $value : []);
    return is_float($value) ? !is_finite($value) : in_array(true, array_map(isEndless(...), $items), true);
}

/** The JSON object of a text. */
function parse(string $text, string $reason = 'malformed'): \stdClass
{
    try {
        $value = json_decode($text, false, 128, JSON_THROW_ON_ERROR);
    } catch (\JsonException) {
        throw new Refused($reason);
    }
    // A name that occurs twice is kept once, and two readers could read it differently (RFC 7493): of the colons
    // outside of strings there must be one for each member.
    $colons = substr_count(preg_replace('/"(?:[^"\\\\]|\\\\.)*+"/s', '', $text) ?? '', ':');
    if (!$value instanceof \stdClass || countMembers($value) !== $colons || isEndless($value)) {
        throw new Refused($reason);
    }
    return $value;
}

/** The bytes that are signed: RFC 8785, of values whose numbers are whole and whose names are ASCII. */
function canonical(mixed $value): string
{
    if (is_array($value)) {
        return '[' . implode(',', array_map(canonical(...), $value)) . ']';
    }
    if ($value instanceof \stdClass) {
        $members = get_object_vars($value);
        ksort($members, SORT_STRING);
        $pairs = array_map(
            fn ($name, $member) => canonical((string) $name) . ':' . canonical($member),
            array_keys($members),
            $members
        );
        return '{' . implode(',', $pairs) . '}';
    }
    if (is_int($value) || is_float($value)) {
        // Whole and safe, however it is written.
        if ($value != floor($value) || abs($value) > 2 ** 53 - 1) {
            throw new Refused('malformed');
        }
        return (string) (int) $value;
    }
    $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS | JSON_THROW_ON_ERROR;
    return json_encode($value, $flags);
}

/** The bytes of canonical, padded base64. */
function decode(mixed $text, ?int $length = null): string
{
    $bytes = is_string($text) ? base64_decode($text, true) : false;
    if ($bytes === false || base64_encode($bytes) !== $text || ($length !== null && strlen($bytes) !== $length)) {
        throw new Refused('malformed');
    }
    return $bytes;
}

/** Unix seconds of an RFC 3339 date-time in UTC with milliseconds, as the service writes them. */
function instant(mixed $text): float
{
    if (!is_string($text) || !preg_match('/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/D', $text)) {
        throw new Refused('malformed');
    }
    $at = \DateTimeImmutable::createFromFormat('Y-m-d\TH:i:s.v\Z', $text, new \DateTimeZone('UTC'));
    // What is no day or no hour would be taken for another one.
    if ($at === false || $at->format('Y-m-d\TH:i:s.v\Z') !== $text) {
        throw new Refused('malformed');
    }
    return (float) $at->format('U.u');
}

/**
 * The answer of GET /api/v1/system/public-keys as kid => 32 bytes. Pin it in the app, or fetch it over TLS. What is no
 * key of ours stops none beside it; of an id that is said to be revoked nothing verifies.
 *
 * @param iterable<\stdClass> $listed `data` of the answer
 * @return array<string, string>
 */
function trustedKeys(iterable $listed): array
{
    $keys = $revoked = [];
    foreach ($listed as $key) {
        $kid = $key->kid ?? null;
        if (!is_string($kid)) {
            continue;
        }
        if (($key->status ?? null) === 'revoked') {
            $revoked[$kid] = true;
        }
        if (($key->algorithm ?? null) === 'Ed25519') {
            try {
                $keys[$kid] ??= decode($key->public_key ?? null, 32);
            } catch (Refused) {
                continue;
            }
        }
    }
    return array_diff_key($keys, $revoked);
}

/**
 * The `data` of `{data, signature}`, and the id of the key that signed it. What another environment than the live one
 * signed is refused, but for test where that is allowed.
 *
 * @param array<string, string> $keys
 * @return array{\stdClass, string}
 */
function verifySigned(mixed $answer, array $keys, bool $allowTest): array
{
    $signature = $answer instanceof \stdClass ? $answer->signature ?? null : null;
    if (!$signature instanceof \stdClass) {
        throw new Refused('malformed');
    }
    $alg = $signature->alg ?? null;
    if ($alg !== 'Ed25519' || (property_exists($signature, 'algorithm') && $signature->algorithm !== 'Ed25519')) {
        throw new Refused('unsupported_algorithm');
    }
    $kid = $signature->kid ?? null;
    if (!is_string($kid) || !isset($keys[$kid])) {
        throw new Refused('unknown_key');
    }
    $data = $answer->data ?? null;
    if (!$data instanceof \stdClass) {
        throw new Refused('malformed');
    }
    if (!sodium_crypto_sign_verify_detached(decode($signature->value ?? null, 64), canonical($data), $keys[$kid])) {
        throw new Refused('signature_mismatch');
    }
    if (property_exists($data, 'environment') && !($allowTest && $data->environment === 'test')) {
        throw new Refused('environment_mismatch');
    }
    return [$data, $kid];
}

/**
 * The signed `data` of a runtime answer, and the id of the key that signed it. `$body` is the text that arrived.
 * `$allowTest` takes answers of the test environment too: never set it in a build for customers.
 *
 * @param array<string, string> $keys
 * @return array{\stdClass, string}
 */
function verifyAnswer(
    string $body,
    array $keys,
    ?string $nonce = null,
    ?string $productCode = null,
    ?float $now = null,
    int $skew = 60,
    bool $allowTest = false
): array {
    [$data, $kid] = verifySigned(parse($body), $keys, $allowTest);
    if (($now ?? microtime(true)) > instant($data->valid_until ?? null) + $skew) {
        throw new Refused('expired');
    }
    if ($nonce !== null && ($data->nonce ?? null) !== $nonce) {
        throw new Refused('nonce_mismatch');
    }
    if ($productCode !== null && ($data->product_code ?? null) !== $productCode) {
        throw new Refused('product_mismatch');
    }
    return [$data, $kid];
}

/**
 * The signed statement of a refusal: decide by its `code` and `detail`. `$body` is the text that arrived, `$licenseKey`
 * the key as it was sent, `$request` what was sent: the method, a space, the path from /api/v1/ on with its query, a line
 * feed, and the body. A refusal that is Refused here proves nothing: go on by what you keep.
 *
 * @param array<string, string> $keys
 */
function verifyRefusal(
    string $body,
    array $keys,
    string $nonce,
    string $licenseKey,
    string $request,
    bool $allowTest = false
): \stdClass {
    $meta = parse($body)->meta ?? null;
    [$data] = verifySigned($meta instanceof \stdClass ? $meta->refusal ?? null : null, $keys, $allowTest);
    if (($data->type ?? null) !== 'refusal' || !is_string($data->code ?? null) || !is_string($data->detail ?? '')) {
        throw new Refused('malformed');
    }
    if (($data->nonce ?? null) !== $nonce) {
        throw new Refused('nonce_mismatch');
    }
    if (($data->credential_hash ?? null) !== hash('sha256', $licenseKey)) {
        throw new Refused('license_mismatch');
    }
    if (($data->request_hash ?? null) !== hash('sha256', $request)) {
        throw new Refused('request_mismatch');
    }
    return $data;
}

/**
 * The root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2); null where it leads nowhere.
 *
 * @param array<string> $hashes
 */
function rootOf(string $leaf, int $sequence, int $size, array $hashes): ?string
{
    [$node, $last, $root] = [$sequence - 1, $size - 1, hash('sha256', "\0$leaf", true)];
    if ($node < 0 || $node > $last) {
        return null;
    }
    foreach ($hashes as $sibling) {
        if ($last === 0) {
            return null;
        }
        if ($node % 2 === 1 || $node === $last) {
            $root = hash('sha256', "\1$sibling$root", true);
            while ($node % 2 === 0 && $node > 0) {
                [$node, $last] = [intdiv($node, 2), intdiv($last, 2)];
            }
        } else {
            $root = hash('sha256', "\1$root$sibling", true);
        }
        [$node, $last] = [intdiv($node, 2), intdiv($last, 2)];
    }
    return $last === 0 ? $root : null;
}

/**
 * The size and the root of a checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note).
 *
 * @param array<string, string> $keys
 * @return array{int, string}
 */
function openNote(string $note, array $keys): array
{
    $end = strrpos($note, "\n\n");
    if ($end === false || !preg_match('/^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([^\n]+)\n/', $note, $parts)) {
        throw new Refused('malformed');
    }
    [, $origin, $size, $root] = $parts;
    $root = decode($root, 32);
    $text = substr($note, 0, $end + 1);
    $signed = [];
    foreach (explode("\n", preg_replace('/\n$/D', '', substr($note, $end + 2))) as $line) {
        if (!preg_match('/^\xe2\x80\x94 (\S+) (\S+)$/D', $line, $found)) {
            throw new Refused('malformed');
        }
        $signed[] = [$found[1], decode($found[2])];
    }
    foreach ($keys as $raw) {
        // Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
        $id = fn (int $kind): string => substr(hash('sha256', "$origin\n" . chr($kind) . $raw, true), 0, 4);
        [$plain, $timed, $isSigned] = [$id(1), $id(4), false];
        foreach ($signed as [$name, $line]) {
            $own = substr($line, 0, 4);
            if ($name !== $origin || ($own !== $plain && $own !== $timed)) {
                continue;
            }
            [$body, $value, $isSigned] = [$text, substr($line, 4), true];
            if ($own === $timed && strlen($value) === 72) {
                $time = unpack('J', $value)[1];
                [$body, $value] = ["cosignature/v1\ntime $time\n$text", substr($value, 8)];
            }
            if (strlen($value) !== 64 || !sodium_crypto_sign_verify_detached($value, $body, $raw)) {
                throw new Refused('signature_mismatch');
            }
        }
        if ($isSigned) {
            return [(int) $size, $root];
        }
    }
    throw new Refused('unknown_key');
}

/**
 * The same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice.
 *
 * @param array<string> $hashes
 */
function proofOf(string $leaf, int $sequence, array $hashes, string $note): string
{
    $lines = ['c2sp.org/tlog-proof@v1', 'extra ' . base64_encode($leaf), 'index ' . ($sequence - 1)];
    return implode("\n", [...$lines, ...array_map(base64_encode(...), $hashes), '', $note]);
}

/**
 * The leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt; its `data` has the amount
 * and the total after it. `$body` is the text that arrived or was kept.
 *
 * @param array<string, string> $keys
 */
function verifyReceipt(
    string $body,
    array $keys,
    ?string $eventId = null,
    ?string $licenseId = null,
    ?string $nonce = null,
    bool $allowTest = false
): \stdClass {
    [$data] = verifySigned(parse($body), $keys, $allowTest);
    if (($data->schema ?? null) !== 'countersign/receipt/v1') {
        throw new Refused('malformed');
    }
    $expected = ['nonce_mismatch' => ['nonce', $nonce], 'license_mismatch' => ['license_id', $licenseId],
        'request_mismatch' => ['event_id', $eventId]];
    foreach ($expected as $reason => [$name, $value]) {
        if ($value !== null && ($data->$name ?? null) !== $value) {
            throw new Refused($reason);
        }
    }
    [$text, $note, $hashes] = [$data->leaf ?? null, $data->note ?? null, $data->hashes ?? null];
    if (!is_string($text) || !is_string($note) || !is_array($hashes) || count($hashes) > 64) {
        throw new Refused('malformed');
    }
    $leaf = parse($text);
    $used = $leaf->data ?? null;
    $isUse = ($leaf->event_type ?? null) === 'license.usage_recorded' && is_int($leaf->sequence ?? null);
    if (!$isUse || !$used instanceof \stdClass) {
        throw new Refused('malformed');
    }
    $said = [$leaf->resource_id ?? null, $used->event_id ?? null, $used->feature_code ?? null];
    $asked = [$data->license_id ?? null, $data->event_id ?? null, $data->feature_code ?? null];
    if ($said !== $asked || in_array(null, $said, true)) {
        throw new Refused('malformed');
    }
    $isPath = array_filter($hashes, fn ($one): bool => !is_string($one) || !preg_match('/^[0-9a-f]{64}$/D', $one)) === [];
    $path = $isPath ? array_map(hex2bin(...), $hashes) : [];
    if (property_exists($data, 'tlog_proof') && $data->tlog_proof !== proofOf($text, $leaf->sequence, $path, $note)) {
        throw new Refused('malformed');
    }
    [$size, $root] = openNote($note, $keys);
    if (!$isPath || rootOf($text, $leaf->sequence, $size, $path) !== $root) {
        throw new Refused('not_in_log');
    }
    return $leaf;
}

/** A license key as it was issued, from what a person typed. */
function normalLicenseKey(string $typed): string
{
    $typed = trim($typed);
    $text = strtoupper(preg_replace('/[\s-]/', '', $typed));
    if (!preg_match('/^CST?[\s-]/i', $typed) && !preg_match('/^CST?[0-9A-Z]{25}$/D', $text)) {
        if (!preg_match('/^[!-~]{8,1000}$/D', $typed)) {
            throw new Refused('license_key_invalid');
        }
        return $typed; // of another system: as it is
    }
    $text = strtr($text, 'OIL', '011');
    if (!preg_match('/^CST?[0-9A-Z]{25}$/D', $text)) {
        throw new Refused('license_key_invalid');
    }
    // CST of the test environment.
    return substr($text, 0, -25) . '-' . implode('-', str_split(substr($text, -25), 5));
}

/**
 * The entitlement in an offline envelope (give `$deviceId`) or a .lic file (give `$fingerprint`, which must be in
 * Unicode form NFC if it is not ASCII). Store `offline_counter` of what is returned, and give it as `$lastCounter` the
 * next time. `$revocations` is the verified `data` of a revocation list.
 *
 * @param array<string, string> $keys
 */
function openOffline(
    string $envelope,
    string $licenseKey,
    array $keys,
    ?string $deviceId = null,
    ?string $fingerprint = null,
    ?string $productCode = null,
    int $lastCounter = 0,
    ?\stdClass $revocations = null,
    ?float $now = null,
    int $skew = 60,
    bool $allowTest = false
): \stdClass {
    $sealed = parse($envelope);
    if ($deviceId === null && $fingerprint === null) {
        throw new Refused('device_mismatch');
    }
    $device = $deviceId ?? $sealed->device_id ?? null;
    $kid = $sealed->kid ?? null;
    if (!is_string($device) || !is_string($kid)) {
        throw new Refused('malformed');
    }
    $salt = decode($sealed->salt ?? null, 32);
    $nonce = decode($sealed->nonce ?? null, 12);
    $ciphertext = decode($sealed->ciphertext ?? null);
    $key = hash_hkdf('sha256', normalLicenseKey($licenseKey), 32, 'countersign/offline/v1', $salt);
    $tag = substr($ciphertext, -16);
    $text = strlen($ciphertext) < 17 ? false : openssl_decrypt(
        substr($ciphertext, 0, -16),
        'aes-256-gcm',
        $key,
        OPENSSL_RAW_DATA,
        $nonce,
        $tag,
        $kid . $device
    );
    if ($text === false) {
        throw new Refused('cannot_decrypt');
    }
    [$data, $signer] = verifyAnswer($text, $keys, null, $productCode, $now, $skew, $allowTest);
    if ($signer !== $kid) {
        throw new Refused('malformed');
    }
    if (($data->device_id ?? null) !== $device) {
        throw new Refused('device_mismatch');
    }
    if ($fingerprint !== null && ($data->fingerprint_hash ?? null) !== hash('sha256', trim($fingerprint))) {
        throw new Refused('device_mismatch');
    }
    $issued = instant($data->issued_at ?? null);
    // The clock of the test environment may be ahead of every other.
    if (!property_exists($data, 'environment') && $issued > ($now ?? microtime(true)) + $skew) {
        throw new Refused('not_yet_valid');
    }
    $counter = $data->offline_counter ?? null; // only what was signed for an envelope has one
    if (!is_int($counter) || $counter < 1) {
        throw new Refused('malformed');
    }
    if ($counter < $lastCounter) {
        throw new Refused('rolled_back');
    }
    if (
        in_array($data->license_id ?? null, $revocations->revoked_license_ids ?? [], true)
        || in_array($kid, $revocations->revoked_kids ?? [], true)
        || in_array($data->offline_file_id ?? null, $revocations->revoked_offline_files ?? [], true)
    ) {
        throw new Refused('revoked');
    }
    return $data;
}

/**
 * The event of a delivery. `$body` is the bytes that arrived (`file_get_contents('php://input')`), `$headers` those of
 * `getallheaders()`, `$secrets` are all that are live.
 *
 * @param array<string, string> $headers
 * @param list<string> $secrets
 */
function verifyDelivery(
    string $body,
    array $headers,
    array $secrets,
    int $tolerance = 300,
    ?float $now = null
): \stdClass {
    $given = array_change_key_case($headers);
    $delivery = $given['x-service-delivery-id'] ?? '';
    $signature = $given['x-service-signature'] ?? '';
    if ($delivery === '' || $signature === '') {
        throw new Refused('missing_header');
    }
    $times = $signatures = [];
    foreach (explode(',', $signature) as $part) {
        [$scheme, $value] = explode('=', trim($part), 2) + [1 => null];
        $shape = ['t' => '/^[0-9]{1,12}$/D', 'v1' => '/^[0-9a-f]{64}$/iD'][$scheme] ?? '//';
        if ($value === null || !preg_match($shape, $value)) {
            throw new Refused('malformed_header');
        }
        if ($scheme === 't') {
            $times[] = $value;
        } elseif ($scheme === 'v1') {
            $signatures[] = strtolower($value);
        }
    }
    if (count($times) !== 1 || $signatures === []) {
        throw new Refused('malformed_header');
    }
    if (abs(($now ?? microtime(true)) - (int) $times[0]) > $tolerance) {
        throw new Refused('timestamp_out_of_tolerance');
    }
    $matches = false;
    foreach (array_filter($secrets, fn ($secret) => is_string($secret) && strlen($secret) >= 16) as $secret) {
        $sum = hash_hmac('sha256', "$times[0].$delivery.$body", $secret);
        foreach ($signatures as $one) {
            $matches = hash_equals($sum, $one) || $matches;
        }
    }
    if (!$matches) {
        throw new Refused('signature_mismatch');
    }
    return parse($body, 'malformed_body');
}

/** The verdict about one case of published vectors. */
function judge(\stdClass $vectors, \stdClass $case): string
{
    $allowTest = $case->allow_test ?? false;
    try {
        if (isset($case->request)) {
            $keys = trustedKeys($vectors->keys->data);
            verifyRefusal($case->body, $keys, $case->nonce, $case->license_key, $case->request, $allowTest);
        } elseif (isset($case->event_id)) {
            $keys = trustedKeys($vectors->keys->data);
            verifyReceipt($case->body, $keys, $case->event_id, $case->license_id, $case->nonce, $allowTest);
        } elseif (isset($vectors->keys)) {
            $keys = trustedKeys($vectors->keys->data);
            $now = instant($case->now);
            verifyAnswer($case->body, $keys, $case->nonce, $case->product_code, $now, allowTest: $allowTest);
        } elseif (isset($vectors->license_key)) {
            openOffline(
                json_encode($case->envelope),
                $case->license_key ?? $vectors->license_key_as_typed,
                trustedKeys($vectors->public_keys),
                isset($case->fingerprint) ? null : $case->device_id ?? $vectors->device_id,
                $case->fingerprint ?? null,
                $case->product_code ?? null,
                $case->last_counter ?? 0,
                $case->revocations ?? null,
                instant($case->now),
                allowTest: $allowTest
            );
        } else {
            $headers = get_object_vars($case->headers);
            verifyDelivery($case->body, $headers, $case->secrets, $vectors->tolerance, $case->now);
        }
        return 'verified';
    } catch (Refused $refused) {
        return $refused->reason;
    }
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $vectors = json_decode(file_get_contents($argv[1]), false, 512, JSON_THROW_ON_ERROR);
    $agreed = true;
    foreach ($vectors->cases as $case) {
        $verdict = judge($vectors, $case);
        $agreed = $agreed && $verdict === $case->expected;
        echo "$verdict\t$case->name\n";
    }
    exit($agreed ? 0 : 1);
}
